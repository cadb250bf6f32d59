import { useEffect, useState } from 'react'
import type { Finding } from '#server/redaction/redact.ts'
import { whenLoaded } from '../../lib/when-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'

const loadScanner = () => import('#server/redaction/redact.ts')

/** The server's own scanner, executed while typing: share and publish would refuse what it finds. */
export function useSecrets(text: string): Finding[] {
  const [found, setFound] = useState<Finding[]>([])
  useEffect(() => {
    if (text.length < 8) return setFound([])
    let current = true
    const timer = setTimeout(
      () => whenLoaded(loadScanner(), ({ findSecrets }) => current && setFound(findSecrets(text))),
      250,
    )
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text])
  return found
}

export function SecretWarning({ text, onReplace }: { text: string; onReplace: (text: string) => void }) {
  const found = useSecrets(text)
  if (found.length === 0) return null
  const names = found.map(
    ({ kind, count }) => `${kind.replaceAll('_', ' ').toLowerCase()}${count > 1 ? ` (${count})` : ''}`,
  )
  return (
    <Notice
      tone="warn"
      action={
        <Button
          size="sm"
          onClick={() => whenLoaded(loadScanner(), ({ redact }) => onReplace(redact(text).text))}
        >
          Put a placeholder
        </Button>
      }
    >
      This looks like a secret: {names.join(', ')}. A card that holds one cannot be shared.
    </Notice>
  )
}
