import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import Markdown, { defaultUrlTransform } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { Html } from '../../pages/page.ts'
import { anchors, type GuidePage, plainText } from './guide.ts'

/** Renders a guide page as HTML. Raw HTML stays text, and links with other schemes are dropped (XSS). */

export function renderGuide(page: GuidePage): Html {
  const anchor = anchors()
  const heading =
    (tag: 'h1' | 'h2' | 'h3') =>
    ({ children }: { children?: ReactNode }) =>
      createElement(tag, { id: anchor(plainText(textOf(children))) }, children)
  const content = createElement(
    Markdown,
    {
      remarkPlugins: [remarkGfm],
      urlTransform: (url) =>
        defaultUrlTransform(url).replace(/^(?:\.\/)?([a-z0-9-]+)\.md(?=$|#)/, '/guide/$1'),
      components: {
        h1: heading('h1'),
        h2: heading('h2'),
        h3: heading('h3'),
        // Wide code scrolls, so it must be reachable by keyboard.
        pre: ({ children }) => createElement('pre', { tabIndex: 0 }, children),
      },
    },
    page.markdown,
  )
  return new Html(renderToStaticMarkup(content))
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (node && typeof node === 'object' && 'props' in node) {
    return textOf((node.props as { children?: ReactNode }).children)
  }
  return ''
}
