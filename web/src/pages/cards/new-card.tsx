import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { recordCard } from '../../api/cards.ts'
import { ApiError } from '../../api/client.ts'
import { recordFromMemory } from '../../api/memory.ts'
import { queryClient } from '../../api/query.ts'
import { useAttempt } from '../../api/use-attempt.ts'
import { SENT_WHEN_BACK } from '../../api/when-back.ts'
import { formatAgo } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { CardForm } from './card-form.tsx'
import { type Draft, emptyDraft, fieldsOf, isSame, newEvidences, restOf } from './draft.ts'
import { EditorFrame } from './editor-frame.tsx'
import { NearCards } from './near-cards.tsx'
import { attemptKeyOf, keepForCard, newDraftsOf, useDraft } from './use-draft.ts'
import { useSaving } from './use-saving.ts'
import { useHome, WorkspaceField } from './workspace-field.tsx'

export type CardSource = { rawId: string; start: Draft; notice: ReactNode }

/** The editor of a new card, empty or filled in from a source. Each has a draft of its own. */
export function CardEditor({ draftId, source }: { draftId: string; source?: CardSource }) {
  const navigate = useNavigate()
  const { user_id, default_workspace_id } = useMe()
  const start = { ...(source?.start ?? emptyDraft()), workspace_id: default_workspace_id ?? '' }
  const draftKey = source ? `memory:${source.rawId}` : `new:${draftId}`
  const { draft, newest, change, savedAt, restored, discard, forget } = useDraft(draftKey, start, 0)
  const home = useHome(draft.workspace_id)
  const form = useRef<HTMLDivElement>(null)
  // The first thing to write is the title, which is the first required field.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input[required]')?.focus(), [])
  const { isSaving, saving } = useSaving(draftKey, (card, sent) => {
    const { current } = newest
    const goesOn = !isSame(current, sent) && keepForCard(user_id, card, restOf(current, sent))
    forget()
    toast(`Saved. Who can read it: ${card.readers.text}.`)
    const params = { cardId: card.card_id }
    return navigate({ to: goesOn ? '/cards/$cardId/edit' : '/cards/$cardId', params, replace: true })
  })
  const attempt = useAttempt(attemptKeyOf(user_id, draftKey))
  const save = useMutation({
    ...SENT_WHEN_BACK,
    ...saving,
    mutationFn: (draft: Draft) => {
      const { scope_notes: _, ...fields } = fieldsOf(draft)
      const input = {
        ...fields,
        evidences: newEvidences(draft),
        ...(home.home && { workspace_id: home.home }),
      }
      return attempt(input, (options) =>
        source ? recordFromMemory({ ...input, raw_id: source.rawId }, options) : recordCard(input, options),
      )
    },
    onError: (error) => {
      saving.onError(error)
      // Perhaps the team is not there any more, or not for this person.
      return queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey })
    },
  })
  const api = save.error instanceof ApiError ? save.error : null
  return (
    <EditorFrame
      title="New card"
      back={
        <Link to="/cards" className="text-faint hover:text-ink">
          My cards
        </Link>
      }
      draft={draft}
      savedAt={savedAt}
      busy={isSaving}
      saveLabel="Save card"
      onSave={() => save.mutate(draft)}
      onDiscard={() => discard()}
      waits={save.isPaused}
      problem={save.error}
      beside={<NearCards draft={draft} />}
      notices={
        <>
          {source?.notice}
          {!savedAt && !source && <OtherDrafts except={draftId} />}
          {restored && <Notice>Your draft from {formatAgo(restored.savedAt)} is back.</Notice>}
          <FormError error={save.error} />
        </>
      }
    >
      <div ref={form}>
        <CardForm
          draft={draft}
          change={change}
          fieldError={(name) => api?.field(name)}
          workspace={<WorkspaceField home={home} onChange={(workspace_id) => change({ workspace_id })} />}
        />
      </div>
    </EditorFrame>
  )
}

/** Other unsaved drafts, as long as nothing is written here. */
function OtherDrafts({ except }: { except: string }) {
  const { user_id } = useMe()
  const drafts = useMemo(
    () => newDraftsOf(user_id).filter(({ draftId }) => draftId !== except),
    [user_id, except],
  )
  if (drafts.length === 0) return null
  return (
    <Notice>
      <span>{drafts.length === 1 ? 'A draft waits:' : `${drafts.length} drafts wait:`}</span>
      <ul className="mt-1 grid gap-1">
        {drafts.slice(0, 5).map(({ draftId, title, savedAt }) => (
          <li key={draftId}>
            <Link to="/cards/new" search={{ draft: draftId }} className="text-accent hover:underline">
              {title.trim() || 'Without a title'}
            </Link>{' '}
            <span className="text-xs text-faint">{formatAgo(savedAt)}</span>
          </li>
        ))}
      </ul>
    </Notice>
  )
}
