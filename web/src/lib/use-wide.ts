import { useSyncExternalStore } from 'react'

const wide = matchMedia('(min-width: 900px)')

/** True where list and detail stand side by side; below that the detail is a page of its own. */
export const useWide = () =>
  useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
