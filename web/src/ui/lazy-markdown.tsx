import { lazy, Suspense } from 'react'

const Rendered = lazy(() => import('./markdown.tsx').then((module) => ({ default: module.Markdown })))

/** Markdown without its weight in the first load: the plain text shows until the renderer is there. */
export function LazyMarkdown({ children }: { children: string }) {
  return (
    <Suspense fallback={<div className="reading whitespace-pre-wrap">{children}</div>}>
      <Rendered>{children}</Rendered>
    </Suspense>
  )
}
