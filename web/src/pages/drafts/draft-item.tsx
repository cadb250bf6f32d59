import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { acceptDraft, type CardDraft, dismissDraft, reopenDraft } from '../../api/drafts.ts'
import { formatAgo } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { DraftForm } from './draft-form.tsx'
import { draftsChanged } from './draft-queries.ts'
import { Evidence } from './evidence.tsx'

type Props = {
  draft: CardDraft
  /** It stands here only because somebody writes in it. */
  isGone: boolean
  /** Whether the list has to keep it. */
  onKeep: (isKept: boolean) => void
}

/** One draft: its text on one side, its evidence on the other. */
export function DraftItem({ draft, isGone, onKeep }: Props) {
  const [isEditing, setEditing] = useState(false)
  const edit = (isOpen: boolean) => {
    setEditing(isOpen)
    onKeep(isOpen)
  }
  return (
    <li className="grid gap-x-8 gap-y-4 py-6 lg:grid-cols-2">
      <div className="min-w-0">
        {isEditing ? (
          <DraftForm
            draft={draft}
            isGone={isGone}
            onAccepted={() => onKeep(false)}
            onCancel={() => edit(false)}
          />
        ) : (
          <>
            <Words draft={draft} />
            <Decision draft={draft} onEdit={() => edit(true)} />
          </>
        )}
      </div>
      <Evidence draft={draft} />
    </li>
  )
}

function Words({ draft }: { draft: CardDraft }) {
  return (
    <>
      <h2 className="text-base font-semibold break-words">{draft.title}</h2>
      <p className="mt-1 text-xs text-faint">
        {[draft.project_key, formatAgo(draft.created_at)].filter(Boolean).join(' · ')}
      </p>
      <h3 className="mt-3 text-sm font-medium">Fix</h3>
      {draft.fix_summary ? (
        <LazyMarkdown>{draft.fix_summary}</LazyMarkdown>
      ) : (
        <p className="mt-1 text-sm text-soft">The session does not say it. Edit the draft and add it.</p>
      )}
      {draft.root_cause && (
        <>
          <h3 className="mt-3 text-sm font-medium">Cause</h3>
          <LazyMarkdown>{draft.root_cause}</LazyMarkdown>
        </>
      )}
    </>
  )
}

function Decision({ draft, onEdit }: { draft: CardDraft; onEdit: () => void }) {
  const { draft_id } = draft
  const navigate = useNavigate()
  const openCard = (cardId: string) => ({
    label: 'Open',
    run: () => void navigate({ to: '/cards/$cardId', params: { cardId } }),
  })
  const accept = useMutation({
    mutationFn: (as: 'card' | 'verdict') => acceptDraft({ draft_id, as }),
    onSuccess: ({ outcome, card_id }) =>
      toast(outcome === 'recorded' ? 'Recorded as your card.' : 'Said that it worked.', {
        action: openCard(card_id),
      }),
    onError: toastError,
    onSettled: draftsChanged,
  })
  const reopen = () => void reopenDraft({ draft_id }).catch(toastError).finally(draftsChanged)
  const dismiss = useMutation({
    mutationFn: () => dismissDraft({ draft_id }),
    onSuccess: () => toast('Dismissed.', { undo: reopen }),
    onError: toastError,
    onSettled: draftsChanged,
  })
  const isBusy = accept.isPending || dismiss.isPending
  return (
    <>
      {draft.looks_like && (
        <p className="mt-4 rounded-md bg-sunken px-3 py-2 text-sm">
          This looks like{' '}
          <Link
            to="/cards/$cardId"
            params={{ cardId: draft.looks_like.card_id }}
            className="break-words text-accent-strong underline underline-offset-2"
          >
            {draft.looks_like.title}
          </Link>
          . If it is the same, say that it worked: that helps the next person who finds it.
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {draft.looks_like && (
          <Button look="primary" busy={isBusy} onClick={() => accept.mutate('verdict')}>
            It worked
          </Button>
        )}
        <Button
          look={draft.looks_like ? 'plain' : 'primary'}
          busy={isBusy}
          disabled={draft.fix_summary === ''}
          onClick={() => accept.mutate('card')}
        >
          Accept as a card
        </Button>
        <Button busy={isBusy} onClick={onEdit}>
          Edit
        </Button>
        <Button look="ghost" busy={isBusy} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
      </div>
    </>
  )
}
