import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Pickaxe } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import type { CardDraft } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { configQuery, useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, Notice, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { kvaultCommand } from '../account/agents.ts'
import { emptyDraft } from '../cards/draft.ts'
import { AsNewCard } from '../cards/use-draft.tsx'
import { draftsChanged, draftsQuery } from './draft-queries.ts'
import * as strings from './strings.ts'

export function DraftsPage() {
  const drafts = useQuery(draftsQuery)
  const listed = drafts.data?.items ?? []
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const shown = useRef<readonly CardDraft[]>([])
  const items = withKept(listed, shown.current, kept)
  shown.current = items
  const keep = (id: string, isKept: boolean) =>
    setKept((before) => new Set([...before].filter((one) => one !== id).concat(isKept ? id : [])))
  const { data: config } = useQuery(configQuery)
  const base = config?.base_url ?? location.origin
  return (
    <Page title={strings.drafts} lead={strings.draftsLead}>
      {!drafts.data && (
        <NotLoaded query={drafts}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {drafts.data && items.length === 0 && (
        <EmptyState
          icon={<Pickaxe size={18} />}
          title={strings.noDrafts}
          example={<code className="break-words">{kvaultCommand(base, 'mine --dry-run')}</code>}
        >
          {strings.noDraftsHint}
        </EmptyState>
      )}
      {items.length > 0 && (
        <ul aria-label={strings.drafts} className="divide-y divide-line border-y border-line">
          {items.map((draft) => (
            <DraftItem
              key={draft.draft_id}
              draft={draft}
              isGone={!listed.includes(draft)}
              onKeep={(isKept) => keep(draft.draft_id, isKept)}
            />
          ))}
        </ul>
      )}
      {drafts.data && <NotMade reasons={drafts.data.not_made} />}
    </Page>
  )
}

function NotMade({ reasons }: { reasons: { reason: keyof typeof strings.whyNoDraft; count: number }[] }) {
  if (reasons.length === 0) return null
  return (
    <section className="mt-6 text-sm text-soft">
      <h2 className="font-medium">{strings.solvedWithoutDraft}</h2>
      <ul className="mt-1 list-disc pl-5">
        {reasons.map(({ reason, count }) => (
          <li key={reason}>{`${count} × ${strings.whyNoDraft[reason]}`}</li>
        ))}
      </ul>
    </section>
  )
}

type DraftItemProps = {
  draft: CardDraft
  /** True for a draft that the list lacks but the person edits. */
  isGone: boolean
  onKeep: (isKept: boolean) => void
}

function DraftItem({ draft, isGone, onKeep }: DraftItemProps) {
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
      <h3 className="mt-3 text-sm font-medium">{strings.fix}</h3>
      {draft.fix_summary ? (
        <LazyMarkdown>{draft.fix_summary}</LazyMarkdown>
      ) : (
        <p className="mt-1 text-sm text-soft">{strings.notSaidInSession}</p>
      )}
      {draft.root_cause && (
        <>
          <h3 className="mt-3 text-sm font-medium">{strings.cause}</h3>
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
    label: strings.openLabel,
    run: () => void navigate({ to: '/cards/$cardId', params: { cardId } }),
  })
  const accept = useMutation({
    mutationFn: (as: 'card' | 'verdict') => call('POST /api/v1/drafts/{draft_id}/accept', { draft_id, as }),
    onSuccess: ({ outcome, card_id }) =>
      toast(outcome === 'recorded' ? strings.recordedAsCard : strings.saidThatItWorked, {
        action: openCard(card_id),
      }),
    onError: toastError,
    onSettled: draftsChanged,
  })
  const reopen = () =>
    void call('POST /api/v1/drafts/{draft_id}/reopen', { draft_id }).catch(toastError).finally(draftsChanged)
  const dismiss = useMutation({
    mutationFn: () => call('POST /api/v1/drafts/{draft_id}/dismiss', { draft_id }),
    onSuccess: () => toast(strings.dismissedNotice, { undo: reopen }),
    onError: toastError,
    onSettled: draftsChanged,
  })
  const isBusy = accept.isPending || dismiss.isPending
  return (
    <>
      {draft.looks_like && (
        <p className="mt-4 rounded-md bg-sunken px-3 py-2 text-sm">
          {strings.thisLooksLike}
          <Link
            to="/cards/$cardId"
            params={{ cardId: draft.looks_like.card_id }}
            className="break-words text-accent-strong underline underline-offset-2"
          >
            {draft.looks_like.title}
          </Link>
          {strings.sameCardHint}
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {draft.looks_like && (
          <Button look="primary" busy={isBusy} onClick={() => accept.mutate('verdict')}>
            {strings.itWorked}
          </Button>
        )}
        <Button
          look={draft.looks_like ? 'plain' : 'primary'}
          busy={isBusy}
          disabled={draft.fix_summary === ''}
          onClick={() => accept.mutate('card')}
        >
          {strings.acceptAsCard}
        </Button>
        <Button busy={isBusy} onClick={onEdit}>
          {strings.edit}
        </Button>
        <Button look="ghost" busy={isBusy} onClick={() => dismiss.mutate()}>
          {strings.dismiss}
        </Button>
      </div>
    </>
  )
}

const FIELDS = [
  ['symptom', strings.problem],
  ['fix_summary', strings.fix],
  ['root_cause', strings.causeOptional],
] as const

const takeFocus = (field: HTMLInputElement | null) => field?.focus()

type DraftText = Record<'title' | (typeof FIELDS)[number][0], string>

/** The edited text of a draft; the browser keeps it until the draft is accepted or the edit dropped. */
function useDraftText(draft: CardDraft) {
  const { user_id } = useMe()
  const start: DraftText = {
    title: draft.title,
    symptom: draft.symptom,
    fix_summary: draft.fix_summary,
    root_cause: draft.root_cause ?? '',
  }
  const { text, change, isRestored } = useKeptText(
    `kv-mined:${user_id}:${draft.draft_id}`,
    JSON.stringify(start),
  )
  const setWords = (next: DraftText) => change(JSON.stringify(next))
  return { words: JSON.parse(text) as DraftText, setWords, isRestored, drop: () => setWords(start) }
}

type DraftFormProps = {
  draft: CardDraft
  isGone: boolean
  onAccepted: () => void
  onCancel: () => void
}

function DraftForm({ draft, isGone, onAccepted, onCancel }: DraftFormProps) {
  const { words, setWords, isRestored, drop } = useDraftText(draft)
  const accept = useMutation({
    mutationFn: () =>
      call('POST /api/v1/drafts/{draft_id}/accept', {
        draft_id: draft.draft_id,
        ...words,
        root_cause: words.root_cause.trim() || null,
      }),
    onSuccess: () => {
      drop()
      onAccepted()
      toast(strings.recordedAsCard)
    },
    onError: toastError,
    onSettled: draftsChanged,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Enter in the title sends a form even without a button for it.
    if (isGone) return
    accept.mutate()
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {isRestored && <Notice>{strings.editIsBack}</Notice>}
      {isGone && (
        <>
          <Notice>{strings.draftIsGone}</Notice>
          <AsNewCard cardId={draft.draft_id} draft={{ ...emptyDraft(), ...words }} onMoved={drop} />
        </>
      )}
      <Field label={strings.title}>
        {(props) => (
          <Input
            {...props}
            ref={takeFocus}
            required
            value={words.title}
            onChange={(event) => setWords({ ...words, title: event.target.value })}
          />
        )}
      </Field>
      {FIELDS.map(([name, label]) => (
        <Field key={name} label={label}>
          {(props) => (
            <Textarea
              {...props}
              required={name !== 'root_cause'}
              value={words[name]}
              onChange={(event) => setWords({ ...words, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <div className="flex flex-wrap gap-2">
        {!isGone && (
          <Button type="submit" look="primary" busy={accept.isPending}>
            {strings.acceptAsCard}
          </Button>
        )}
        <Button
          onClick={() => {
            drop()
            onCancel()
          }}
        >
          {strings.cancel}
        </Button>
      </div>
    </form>
  )
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

function Evidence({ draft: { evidence } }: { draft: CardDraft }) {
  const { command, exit_code, failure, success, attempts, files, commands } = evidence
  const changes = [...files, ...commands]
  return (
    <div className="grid min-w-0 content-start gap-3">
      <Output title={strings.failedTimes(times(attempts), exit_code ? `, exit code ${exit_code}` : '')}>
        {`$ ${command}\n${failure}`}
      </Output>
      {changes.length > 0 && (
        <div>
          <h3 className="text-sm font-medium">{strings.changedInBetween}</h3>
          <ul className="mt-1 grid gap-0.5 font-mono text-xs text-soft">
            {changes.map((change) => (
              <li key={change} className="wrap-anywhere">
                {change}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Output title={strings.succeeded}>{`$ ${command}\n${success}`}</Output>
    </div>
  )
}

/** Scrollable, so it must be reachable by keyboard. */
function Output({ title, children }: { title: string; children: string }) {
  return (
    <section aria-label={title}>
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{title}</h3>
        <CopyButton text={children} label={strings.copyOutput(title)} />
      </div>
      <pre
        tabIndex={0}
        className="max-h-48 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap"
      >
        {children}
      </pre>
    </section>
  )
}

type Row = { draft_id: string }

/** Adds drafts that are still being edited at their old place, so that the fields keep the focus. */
export function withKept<Draft extends Row>(
  listed: readonly Draft[],
  shown: readonly Draft[],
  kept: ReadonlySet<string>,
): Draft[] {
  const rows = [...listed]
  for (const [at, draft] of shown.entries())
    if (kept.has(draft.draft_id) && !rows.some((row) => row.draft_id === draft.draft_id))
      rows.splice(at, 0, draft)
  return rows
}
