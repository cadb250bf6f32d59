import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { recordCard } from '../../api/cards.ts'
import { ApiError } from '../../api/client.ts'
import { SENT_WHEN_BACK } from '../../api/when-back.ts'
import { listWorkspaces } from '../../api/workspaces.ts'
import { formatAgo } from '../../lib/format.ts'
import { randomId } from '../../lib/random.ts'
import { useMe } from '../../session.ts'
import { SelectField } from '../../ui/field.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { CardForm } from './card-form.tsx'
import { cardChanged } from './card-queries.ts'
import { emptyDraft, fieldsOf, newEvidences } from './draft.ts'
import { EditorFrame } from './editor-frame.tsx'
import { NearCards } from './near-cards.tsx'
import { newDraftsOf, useDraft } from './use-draft.ts'

/** Each new card has a draft of its own, named in the address: two tabs write two cards. */
export function NewCard() {
  const { draft } = useSearch({ from: '/app/cards/new' })
  const fresh = useMemo(randomId, [])
  if (!draft) return <Navigate to="/cards/new" search={{ draft: fresh }} replace />
  return <Writer key={draft} draftId={draft} />
}

function Writer({ draftId }: { draftId: string }) {
  const navigate = useNavigate()
  const { default_workspace_id } = useMe()
  const start = { ...emptyDraft(), workspace_id: default_workspace_id ?? '' }
  const { draft, change, savedAt, restored, discard, forget } = useDraft(`new:${draftId}`, start, 0)
  // The same key for the same text, so that a retry after a lost answer does not make a second card.
  const attempt = useRef({ text: '', key: '' })
  const save = useMutation({
    ...SENT_WHEN_BACK,
    mutationFn: () => {
      const { scope_notes: _, ...fields } = fieldsOf(draft)
      const input = {
        ...fields,
        evidences: newEvidences(draft),
        ...(draft.workspace_id && { workspace_id: draft.workspace_id }),
      }
      const text = JSON.stringify(input)
      if (text !== attempt.current.text) attempt.current = { text, key: randomId() }
      return recordCard(input, { headers: { 'Idempotency-Key': attempt.current.key } })
    },
    onSuccess: (card) => {
      forget()
      cardChanged(card)
      toast('Saved. The card is private until you share it.')
      return navigate({ to: '/cards/$cardId', params: { cardId: card.card_id } })
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
      busy={save.isPending}
      saveLabel="Save card"
      onSave={() => save.mutate()}
      onDiscard={() => discard()}
      waits={save.isPaused}
      beside={<NearCards draft={draft} />}
      notices={
        <>
          {!savedAt && <OtherDrafts except={draftId} />}
          {restored && <Notice>Your draft from {formatAgo(restored.savedAt)} is back.</Notice>}
          <FormError error={save.error} />
        </>
      }
    >
      <CardForm
        draft={draft}
        change={change}
        fieldError={(name) => api?.field(name)}
        workspace={
          <WorkspaceField value={draft.workspace_id} onChange={(workspace_id) => change({ workspace_id })} />
        }
      />
    </EditorFrame>
  )
}

/** What was begun before and not saved, while nothing is written here yet. */
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

/** Only workspaces where one may write; alone in the personal one, there is nothing to choose. */
function WorkspaceField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { personal_workspace_id } = useMe()
  const workspaces = useQuery({
    queryKey: ['workspaces', 'mine'],
    queryFn: () => listWorkspaces({ include_public: false }),
  })
  const writable =
    workspaces.data?.items.filter(
      (workspace) =>
        workspace.workspace_id !== personal_workspace_id &&
        (workspace.role === 'admin' || workspace.role === 'editor'),
    ) ?? []
  if (writable.length === 0) return null
  return (
    <SelectField
      label="Workspace"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint="Sharing a card shows it to the members of its workspace."
    >
      <option value="">Personal</option>
      {writable.map((workspace) => (
        <option key={workspace.workspace_id} value={workspace.workspace_id}>
          {workspace.name}
        </option>
      ))}
    </SelectField>
  )
}
