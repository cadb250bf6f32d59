import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import type { Card } from '../../api/types.ts'
import { local, randomId } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import {
  type Draft,
  draftOf,
  emptyDraft,
  type Ground,
  isSameDraft,
  toNewCardDraft,
  unsavedPart,
} from './draft.ts'
import * as strings from './strings.ts'

type Stored = {
  draft: Draft
  /** The text of `version`, on which the draft builds. Drafts kept by a former release have none. */
  base?: Draft
  version: number
  savedAt: string
  /** The open editor that wrote it. */
  by?: string
}

const keyOf = (userId: string, cardKey: string) => `kv-draft:${userId}:${cardKey}`

/** The key of kept drafts without an id. */
const FORMER_KEY = 'new'

type KeptDraft = { draftId: string; title: string; savedAt: string }

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

export const attemptKeyOf = (userId: string, cardKey: string) => `${keyOf(userId, cardKey)}:attempt`

/** Keeps text that was written while its new card was being saved, as a draft of that card. */
export function keepForCard(userId: string, card: Card, draft: Draft): boolean {
  return local.write(keyOf(userId, card.card_id), {
    draft,
    base: draftOf(card),
    version: card.version,
    savedAt: new Date().toISOString(),
  } satisfies Stored)
}

/**
 * After a late save: forgets the sent text and keeps what was typed later, or in another tab, as a draft of the
 * card. Returns whether there is any.
 */
export function keepRest(userId: string, cardKey: string, card: Card, sent: Draft): boolean {
  let goesOn = false
  for (const key of keptKeys(keyOf(userId, cardKey))) {
    const kept = local.read<Stored>(key)
    if (!kept?.draft) continue
    const isRest = !isSameDraft(kept.draft, sent)
    const rest = unsavedPart(kept.draft, sent)
    if (
      isRest &&
      !(cardKey === card.card_id
        ? local.write(key, { ...kept, draft: rest })
        : keepForCard(userId, card, rest))
    )
      continue
    if (!isRest || cardKey !== card.card_id) local.remove(key)
    goesOn ||= isRest
  }
  return goesOn
}

const draftOfCard = (userId: string, cardId: string): Draft | undefined =>
  newestKept(keyOf(userId, cardId))?.stored.draft

/**
 * Turns the draft of a card into one of a new card in Personal. Returns its id, or undefined if the browser
 * cannot keep it.
 */
function moveToNewCard(userId: string, cardId: string, draft: Draft): string | undefined {
  const draftId = randomId()
  const isKept = local.write(keyOf(userId, `new:${draftId}`), {
    draft: toNewCardDraft(draft),
    version: 0,
    savedAt: new Date().toISOString(),
  } satisfies Stored)
  if (!isKept) return undefined
  local.remove(keyOf(userId, cardId))
  return draftId
}

const KEEP_AFTER_MS = 400

/** Stores the newest draft, at most every 400 ms and when the page is left. */
function useKeeping(slot: Slot, onKept: (savedAt: string) => void) {
  const waiting = useRef<Omit<Stored, 'savedAt'>>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const drop = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = undefined
    waiting.current = undefined
  }, [])
  const write = useCallback(() => {
    const next = waiting.current
    drop()
    const savedAt = new Date().toISOString()
    if (next && slot.write({ ...next, savedAt })) onKept(savedAt)
  }, [slot, drop, onKept])
  const keep = useCallback(
    (next: Omit<Stored, 'savedAt'>) => {
      waiting.current = next
      timer.current ??= setTimeout(write, KEEP_AFTER_MS)
    },
    [write],
  )
  useEffect(() => {
    addEventListener('pagehide', write)
    return () => {
      removeEventListener('pagehide', write)
      write()
    }
  }, [write])
  return { keep, drop }
}

/** The kept texts of one card: one, or one for each tab that wrote at the same time. */
const keptKeys = (key: string): string[] => [key, ...local.keys(`${key}~`)]

function newestKept(key: string): { key: string; stored: Stored } | undefined {
  const [newest] = keptKeys(key)
    .flatMap((key) => {
      const stored = local.read<Stored>(key)
      return stored?.draft ? [{ key, stored }] : []
    })
    .toSorted((a, b) => (a.stored.savedAt < b.stored.savedAt ? 1 : -1))
  return newest
}

type Slot = { write: (stored: Stored) => boolean; remove: () => void }

/** Where one editor keeps its text. What another tab wrote there since is neither replaced nor removed. */
function slotOf(key: string, from: { key: string; stored: Stored } | undefined): Slot {
  const by = randomId()
  const own = `${key}~${by}`
  const isMine = (key: string) => {
    const there = local.read<Stored>(key)
    return !there || there.by === by || (from?.key === key && there.savedAt === from.stored.savedAt)
  }
  let at = from?.key ?? key
  return {
    write(stored) {
      if (!isMine(at)) at = own
      return local.write(at, { ...stored, by })
    },
    remove() {
      if (isMine(at)) local.remove(at)
    },
  }
}

/** The draft of one card, kept in this browser until it is saved or discarded. */
export function useDraft(cardKey: string, start: Draft, version: number) {
  const me = useMe()
  const key = keyOf(me.user_id, cardKey)
  const [found] = useState(() => newestKept(key))
  const [slot] = useState(() => slotOf(key, found))
  const [restored, setRestored] = useState(() => found?.stored ?? null)
  const [ground, setGround] = useState<Ground>({
    base: restored && restored.version !== version ? (restored.base ?? emptyDraft()) : start,
    version: restored?.version ?? version,
  })
  const [draft, setDraft] = useState(() => ({ ...start, ...restored?.draft }))
  const [savedAt, setSavedAt] = useState<string | null>(restored?.savedAt ?? null)
  const { keep, drop } = useKeeping(slot, setSavedAt)
  const touched = useRef(false)
  const newest = useRef(draft)

  const change = useCallback((next: Partial<Draft>) => {
    touched.current = true
    setDraft((before) => ({ ...before, ...next }))
  }, [])

  useEffect(() => {
    newest.current = draft
    if (touched.current) keep({ draft, ...ground })
  }, [draft, keep, ground])

  const forget = useCallback(() => {
    touched.current = false
    drop()
    slot.remove()
    local.remove(attemptKeyOf(me.user_id, cardKey))
    setRestored(null)
    setSavedAt(null)
  }, [slot, drop, me.user_id, cardKey])

  const discard = (afterUndo?: () => void) => {
    const kept: Stored = { draft, ...ground, savedAt: new Date().toISOString() }
    forget()
    setDraft(start)
    setGround({ base: start, version })
    toast(strings.draftDiscarded, {
      undo: () => {
        slot.write(kept)
        setGround(ground)
        setRestored(kept)
        setDraft(kept.draft)
        setSavedAt(kept.savedAt)
        afterUndo?.()
      },
    })
  }
  return {
    draft,
    /** The draft at the end of a save; the person may have typed meanwhile. */
    newest,
    change,
    savedAt,
    restored,
    discard,
    forget,
    ground,
    setGround,
  }
}

function reasonOf({ status, code, message }: ApiError): string {
  if (status === 404) return strings.cardOutOfReach
  return code === 'merged_already' ? strings.mergedIntoAnother : message
}

type Props = { cardId: string; draft: Draft; why?: ApiError; onMoved?: () => void }

/** Offers to continue text as a new card, when its own card can no longer take it. */
export function AsNewCard({ cardId, draft, why, onMoved }: Props) {
  const { user_id } = useMe()
  const navigate = useNavigate()
  const into = why?.extra.into_card_id
  const move = () => {
    const moved = moveToNewCard(user_id, cardId, draft)
    if (!moved) return toastError(new Error(strings.browserStoresNothing))
    onMoved?.()
    void navigate({ to: '/cards/new', search: { draft: moved } })
  }
  return (
    <Notice
      tone="warn"
      action={
        <Button size="sm" onClick={move}>
          {strings.saveAsNewCard}
        </Button>
      }
    >
      {why ? strings.textIsStillHere(reasonOf(why)) : strings.unsavedText}
      {typeof into === 'string' && (
        <>
          {' '}
          <Link
            to="/cards/$cardId"
            params={{ cardId: into }}
            search={{ merged_from: cardId }}
            className="font-medium underline"
          >
            {strings.readOtherCard}
          </Link>
        </>
      )}
    </Notice>
  )
}

export function KeptText({ cardId }: { cardId: string }) {
  const { user_id } = useMe()
  const draft = draftOfCard(user_id, cardId)
  return (
    draft && (
      <div className="mx-auto max-w-form px-4 pb-6">
        <AsNewCard cardId={cardId} draft={draft} />
      </div>
    )
  )
}
