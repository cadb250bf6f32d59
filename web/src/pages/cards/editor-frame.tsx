import { useIsMutating } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Card, Evidence } from '../../api/types.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { formatAgo } from '../../lib/format.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged } from './card-queries.ts'
import { type Draft, draftProblem, fieldsOf, newEvidences } from './draft.ts'
import { LibraryRules } from './review-checklist.tsx'
import * as strings from './strings.ts'
import { keepRest } from './use-draft.tsx'

type Props = {
  title: string
  back: ReactNode
  lead?: ReactNode
  draft: Draft
  savedAt: string | null
  notices: ReactNode
  /** The error of the last save. Its notice comes into view, since the button may be far below it. */
  problem: unknown
  busy: boolean
  waits?: boolean
  saveLabel: string
  onSave: () => void
  onDiscard: () => void
  children: ReactNode
  stored?: Evidence[]
  beside?: ReactNode
  cites?: readonly string[]
  isForLibrary?: boolean
}

export function EditorFrame({
  title,
  back,
  lead,
  draft,
  savedAt,
  notices,
  problem,
  busy,
  waits = false,
  saveLabel,
  onSave,
  onDiscard,
  children,
  stored = [],
  beside,
  cites = [],
  isForLibrary = false,
}: Props) {
  const proofs = [...stored, ...newEvidences(draft)]
  const form = useRef<HTMLFormElement>(null)
  useShortcut('mod+s', () => form.current?.requestSubmit())
  const [refused, setRefused] = useState<string>()
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (problem || refused) top.current?.focus()
  }, [problem, refused])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const wrong = draftProblem(draft)
    setRefused(wrong)
    if (wrong === undefined) onSave()
    else top.current?.focus()
  }
  return (
    <Page title={title} back={back} lead={lead}>
      <form ref={form} onSubmit={submit} className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_--spacing(75)]">
        <div className="grid min-w-0 content-start gap-6">
          <div ref={top} tabIndex={-1} className="grid scroll-mt-16 gap-6 empty:hidden focus:outline-none">
            {notices}
            {refused && <Notice tone="warn">{refused}</Notice>}
          </div>
          {waits && <Notice tone="warn">{strings.saveWaitsForServer}</Notice>}
          {children}
        </div>
        <div className="grid gap-6 lg:sticky lg:top-7 lg:self-start">
          {beside}
          <LibraryRules
            isFor={isForLibrary}
            content={{ ...fieldsOf(draft), cites }}
            evidences={proofs}
            evidenceCount={proofs.length}
          />
        </div>
        <SaveBar {...{ savedAt, busy, waits, saveLabel, onDiscard }} />
      </form>
    </Page>
  )
}

type SaveBarProps = Pick<Props, 'savedAt' | 'busy' | 'waits' | 'saveLabel' | 'onDiscard'>

function SaveBar({ savedAt, busy, waits, saveLabel, onDiscard }: SaveBarProps) {
  const bar = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={bar}
      data-save-bar=""
      className="sticky bottom-14 z-10 -mx-4 flex flex-wrap items-center gap-2 border-t border-line bg-page px-4 py-3 md:bottom-0 lg:col-span-2 md:mx-0 md:px-0"
    >
      <Button type="submit" look="primary" busy={busy}>
        {waits ? strings.waitingForServer : saveLabel}
      </Button>
      {savedAt && (
        <Button
          look="ghost"
          // The text is being saved, so discarding it would not help.
          disabled={busy}
          onClick={({ currentTarget }) => {
            neighbourGetsFocus(currentTarget, () => (bar.current ? [bar.current] : []))
            onDiscard()
          }}
        >
          {strings.discardDraft}
        </Button>
      )}
      <span role="status" className="ml-auto text-xs text-faint">
        {savedAt ? strings.draftKept(formatAgo(savedAt)) : ''}
      </span>
    </div>
  )
}

type Finish = (card: Card, sent: Draft) => unknown

/** How open editors continue after a save, by person and draft. */
const editors = new Map<string, Finish>()

/**
 * Saves a draft, even after its editor was left. An editor of the same draft that is open by then
 * continues; otherwise a notice leads to the card. A failure shows in its editor or in a notice.
 */
export function useSaving(cardKey: string, finish: Finish) {
  const { user_id } = useMe()
  const navigate = useNavigate()
  const mutationKey = ['save-card', user_id, cardKey]
  const editor = mutationKey.join(' ')
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    editors.set(editor, finish)
    return () => {
      isOpen.current = false
      editors.delete(editor)
    }
  })
  const onSuccess: Finish = (card, sent) => {
    cardChanged(card)
    const goOn = editors.get(editor)
    if (goOn) return goOn(card, sent)
    const to = keepRest(user_id, cardKey, card, sent) ? '/cards/$cardId/edit' : '/cards/$cardId'
    const open = () => void navigate({ to, params: { cardId: card.card_id } })
    toast(strings.savedCard(card.title), { action: { label: strings.openLabel, run: open } })
  }
  const onError = (error: unknown) => {
    if (!isOpen.current) toastError(error)
  }
  return { isSaving: useIsMutating({ mutationKey }) > 0, saving: { mutationKey, onSuccess, onError } }
}
