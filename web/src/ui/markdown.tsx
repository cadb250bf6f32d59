import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeHighlight from 'rehype-highlight'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

const components: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  // Long lines scroll inside the block, so it has to be reachable by keyboard.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  // A picture from somewhere else would tell its host who reads the card; the reader decides by a click.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer nofollow">
      {alt || 'Picture'}
    </a>
  ),
}

/** Raw HTML in the text stays text; what Markdown makes of the rest is sanitised, then code is coloured. */
export function Markdown({ children }: { children: string }) {
  return (
    <div className="reading">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize, [rehypeHighlight, { detect: false }]]}
        components={components}
      >
        {children}
      </ReactMarkdown>
    </div>
  )
}
