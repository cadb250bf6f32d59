import { loadable } from '../lib/loadable.tsx'
import { Boundary } from './boundary.tsx'
import type { ShownImages } from './markdown/picture.tsx'

const renderer = loadable(() => import('./markdown/markdown.tsx'))

type Props = { children: string; images?: ShownImages | undefined }

/** Markdown that does not add to the first load: the plain text shows until the renderer is loaded. */
export function LazyMarkdown({ children, images }: Props) {
  const { value } = renderer.useLoaded()
  if (!value) return <div className="reading whitespace-pre-wrap">{children}</div>
  return (
    <Boundary what="This text">
      <value.Markdown images={images}>{children}</value.Markdown>
    </Boundary>
  )
}
