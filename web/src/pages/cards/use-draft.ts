import { useCallback, useEffect, useRef, useState } from 'react'
import { local } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import type { Draft } from './draft.ts'

type Stored = { draft: Draft; version: number; savedAt: string }

/**
 * The draft of one card, kept in this browser while it is being written. A reload or a closed tab loses nothing;
 * saving the card or discarding the draft forgets it.
 */
export function useDraft(cardKey: string, start: Draft, version: number) {
  const me = useMe()
  const key = `kv-draft:${me.user_id}:${cardKey}`
  const [restored, setRestored] = useState(() => local.read<Stored>(key))
  const [draft, setDraft] = useState(() => ({ ...start, ...restored?.draft }))
  const [savedAt, setSavedAt] = useState<string | null>(restored?.savedAt ?? null)
  const touched = useRef(false)

  const change = useCallback((next: Partial<Draft>) => {
    touched.current = true
    setDraft((before) => ({ ...before, ...next }))
  }, [])

  useEffect(() => {
    if (!touched.current) return
    const timer = setTimeout(() => {
      const now = new Date().toISOString()
      if (local.write(key, { draft, version: restored?.version ?? version, savedAt: now } satisfies Stored))
        setSavedAt(now)
    }, 400)
    return () => clearTimeout(timer)
  }, [draft, key, version, restored])

  const forget = useCallback(() => {
    touched.current = false
    local.remove(key)
    setRestored(null)
    setSavedAt(null)
  }, [key])

  const discard = () => {
    forget()
    setDraft(start)
  }
  return { draft, change, savedAt, restored, discard, forget, baseVersion: restored?.version ?? version }
}
