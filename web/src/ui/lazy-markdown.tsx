import { lazy, Suspense } from 'react'
import type { ShownImages } from './markdown/picture.tsx'

const Rendered = lazy(() =>
  import('./markdown/markdown.tsx').then((module) => ({ default: module.Markdown })),
)

type Props = { children: string; images?: ShownImages | undefined }

/** Markdown without its weight in the first load: the plain text shows until the renderer is there. */
export function LazyMarkdown({ children, images }: Props) {
  return (
    <Suspense fallback={<div className="reading whitespace-pre-wrap">{children}</div>}>
      <Rendered images={images}>{children}</Rendered>
    </Suspense>
  )
}
