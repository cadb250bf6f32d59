import { useCallback, useEffect, useRef, useState } from 'react'
import { local } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { toast } from '../../ui/toast.tsx'
import type { Draft } from './draft.ts'

type Stored = { draft: Draft; version: number; savedAt: string }

const keyOf = (userId: string, cardKey: string) => `kv-draft:${userId}:${cardKey}`

/** Before each new card had a draft of its own, there was one for all of them. */
const FORMER_KEY = 'new'

export type KeptDraft = { draftId: string; title: string; savedAt: string }

/** The cards that somebody began to write in this browser and has not saved, the latest first. */
export function newDraftsOf(userId: string): KeptDraft[] {
  const former = local.read<Stored>(keyOf(userId, FORMER_KEY))
  if (former && local.write(keyOf(userId, 'new:former'), former)) local.remove(keyOf(userId, FORMER_KEY))
  const start = keyOf(userId, 'new:')
  return local
    .keys(start)
    .flatMap((key) => {
      const stored = local.read<Stored>(key)
      return stored?.draft
        ? [{ draftId: key.slice(start.length), title: stored.draft.title, savedAt: stored.savedAt }]
        : []
    })
    .toSorted((a, b) => (a.savedAt < b.savedAt ? 1 : -1))
}

/**
 * The draft of one card, kept in this browser while it is being written. A reload or a closed tab loses nothing;
 * saving the card or discarding the draft forgets it.
 */
export function useDraft(cardKey: string, start: Draft, version: number) {
  const me = useMe()
  const key = keyOf(me.user_id, cardKey)
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

  const discard = (afterUndo?: () => void) => {
    const kept: Stored = { draft, version: restored?.version ?? version, savedAt: new Date().toISOString() }
    forget()
    setDraft(start)
    toast('The draft is discarded.', {
      undo: () => {
        // Even if the page was left meanwhile: the draft is there again on the next visit.
        local.write(key, kept)
        setRestored(kept)
        setDraft(kept.draft)
        setSavedAt(kept.savedAt)
        afterUndo?.()
      },
    })
  }
  return { draft, change, savedAt, restored, discard, forget, baseVersion: restored?.version ?? version }
}
