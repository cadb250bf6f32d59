import { useEffect } from 'react'

/** Without a title, another part of the page names the tab. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title === undefined) return
    document.title = title ? `${title} · Knowledge Vault` : 'Knowledge Vault'
  }, [title])
}
