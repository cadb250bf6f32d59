import { loadable } from '../lib/loadable.tsx'
import { Boundary } from './boundary.tsx'
import type { Reading } from './markdown/markdown.tsx'

const renderer = loadable(() => import('./markdown/markdown.tsx'))

/** Shows the plain text until the renderer is loaded. */
export function LazyMarkdown({ children, ...reading }: Reading & { children: string }) {
  const { value } = renderer.useLoaded()
  if (!value) return <div className="reading whitespace-pre-wrap">{children}</div>
  return (
    <Boundary what="This text">
      <value.Markdown {...reading}>{children}</value.Markdown>
    </Boundary>
  )
}
