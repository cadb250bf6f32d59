import { useEffect } from 'react'

export function useTitle(title: string) {
  useEffect(() => {
    document.title = title ? `${title} · Knowledge Vault` : 'Knowledge Vault'
  }, [title])
}
