import { useEffect } from 'react'

/** Without a title it leaves the tab to another part of the page. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title === undefined) return
    document.title = title ? `${title} · Knowledge Vault` : 'Knowledge Vault'
  }, [title])
}
