import { useEffect } from 'react'
import { sayTitle } from './say-title.ts'

const APP = 'Knowledge Vault'

/** Without a title, another part of the page names the tab, or nothing does: a page that is gone, or not loaded. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title === undefined) return
    document.title = title ? `${title} · ${APP}` : APP
    sayTitle(title || APP)
    return () => {
      document.title = APP
    }
  }, [title])
}
