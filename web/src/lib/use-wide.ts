import { useSyncExternalStore } from 'react'

let query: MediaQueryList | undefined

/** Read on first use, because the style sheet with the breakpoint is loaded by then. */
function wide(): MediaQueryList {
  query ??= matchMedia(
    `(min-width: ${getComputedStyle(document.documentElement).getPropertyValue('--breakpoint-md')})`,
  )
  return query
}

export const isWide = (): boolean => wide().matches

/** True if list and detail are side by side; on a narrower screen the detail is a page of its own. */
export const useWide = () =>
  useSyncExternalStore((listener) => {
    wide().addEventListener('change', listener)
    return () => wide().removeEventListener('change', listener)
  }, isWide)
