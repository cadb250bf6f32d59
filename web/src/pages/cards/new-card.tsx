import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, SENT_WHEN_BACK, useAttempt } from '../../api/query.ts'
import type { Card, CardProposal } from '../../api/types.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { useDebounced } from '../../lib/hooks.ts'
import { randomId } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { FormError, Notice, NotLoaded, PartNotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { CardForm } from './card-form.tsx'
import { nearestFirst } from './card-queries.ts'
import {
  type Draft,
  draftOfProposal,
  emptyDraft,
  fieldsOf,
  isSameDraft,
  newEvidences,
  unsavedPart,
} from './draft.ts'
import { EditorFrame, useSaving } from './editor-frame.tsx'
import { ReadersLine } from './readers.tsx'
import { rulesOf } from './refusals.ts'
import * as strings from './strings.ts'
import { attemptKeyOf, keepForCard, newDraftsOf, useDraft } from './use-draft.tsx'

const route = getRouteApi('/app/cards/new')

/** Each new card has a draft of its own, named in the address, so two tabs write two cards. */
export function NewCard() {
  const { draft, from, also } = route.useSearch()
  // A new id each time that the address names none: the link to a new card works on this page too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft is what makes it another one
  const fresh = useMemo(randomId, [draft])
  if (from) return <CardFromMemory key={from} from={from} also={also} />
  if (!draft) return <Navigate to="/cards/new" search={{ draft: fresh }} replace />
  return <CardEditor key={draft} draftId={draft} />
}

function CardFromMemory({ from, also }: { from: string; also: string | undefined }) {
  const proposal = useQuery({
    queryKey: ['memory', 'proposal', from, also ?? ''],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      call(
        'POST /api/v1/project-context/events/{raw_id}/card-proposal',
        { raw_id: from, also_raw_ids: also?.split(',').filter(Boolean) ?? [] },
        { signal },
      ),
  })
  if (!proposal.data)
    return (
      <NotLoaded
        isPage
        query={proposal}
        action={<LinkButton to="/cards/new">{strings.writeEmptyCard}</LinkButton>}
      >
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <CardEditor
      draftId={from}
      source={{
        rawId: from,
        start: draftOfProposal(proposal.data),
        notice: <FilledIn proposal={proposal.data} from={from} />,
      }}
    />
  )
}

function FilledIn({ proposal, from }: { proposal: CardProposal; from: string }) {
  const secrets = proposal.redactions.reduce((sum, { count }) => sum + count, 0)
  return (
    <Notice>
      {strings.filledInFrom}
      <Link to="/memory/events/$rawId" params={{ rawId: from }} className="underline">
        {strings.exchangeInMemory}
      </Link>
      {proposal.method === 'model' && strings.byLanguageModel}
      {strings.readBeforeSaving}
      {secrets > 0 && ` ${plural(secrets, 'secret')} replaced.`}
      {proposal.draft && (
        <>
          {strings.thereIsADraft}
          <Link to="/drafts" className="underline">
            {proposal.draft.title}
          </Link>
          {strings.draftHasEvidence}
        </>
      )}
    </Notice>
  )
}

type CardSource = { rawId: string; start: Draft; notice: ReactNode }

function CardEditor({ draftId, source }: { draftId: string; source?: CardSource }) {
  const navigate = useNavigate()
  const { user_id, default_workspace_id } = useMe()
  const start = { ...(source?.start ?? emptyDraft()), workspace_id: default_workspace_id ?? '' }
  const draftKey = source ? `memory:${source.rawId}` : `new:${draftId}`
  const { draft, newest, change, savedAt, restored, discard, forget } = useDraft(draftKey, start, 0)
  const home = useHome(draft.workspace_id)
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input[required]')?.focus(), [])
  const { isSaving, saving } = useSaving(draftKey, (card, sent) => {
    const { current } = newest
    const goesOn = !isSameDraft(current, sent) && keepForCard(user_id, card, unsavedPart(current, sent))
    forget()
    toast(savedWords(card))
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
        source
          ? call(
              'POST /api/v1/project-context/events/{raw_id}/card',
              { ...input, raw_id: source.rawId },
              options,
            )
          : call('POST /api/v1/cards', input, options),
      )
    },
    onError: (error) => {
      saving.onError(error)
      // The team may be gone, or closed to this person.
      return queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey })
    },
  })
  const api = save.error instanceof ApiError ? save.error : null
  return (
    <EditorFrame
      title={strings.newCard}
      back={
        <Link to="/cards" className="text-faint hover:text-ink">
          {strings.myCards}
        </Link>
      }
      draft={draft}
      savedAt={savedAt}
      busy={isSaving}
      saveLabel={strings.saveCard}
      onSave={() => save.mutate(draft)}
      onDiscard={() => discard()}
      waits={save.isPaused}
      problem={save.error}
      beside={<NearCards draft={draft} />}
      notices={
        <>
          {source?.notice}
          {!savedAt && !source && <OtherDrafts except={draftId} />}
          {restored && <Notice>{strings.draftIsBack(formatAgo(restored.savedAt))}</Notice>}
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

function OtherDrafts({ except }: { except: string }) {
  const { user_id } = useMe()
  const drafts = useMemo(
    () => newDraftsOf(user_id).filter(({ draftId }) => draftId !== except),
    [user_id, except],
  )
  if (drafts.length === 0) return null
  return (
    <Notice>
      <span>{drafts.length === 1 ? strings.aDraftWaits : strings.draftsWait(drafts.length)}</span>
      <ul className="mt-1 grid gap-1">
        {drafts.slice(0, 5).map(({ draftId, title, savedAt }) => (
          <li key={draftId}>
            <Link to="/cards/new" search={{ draft: draftId }} className="text-accent hover:underline">
              {title.trim() || strings.withoutATitle}
            </Link>{' '}
            <span className="text-xs text-faint">{formatAgo(savedAt)}</span>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

const WAIT_MS = 600
const MIN_TITLE_CHARS = 10
const MIN_SYMPTOM_CHARS = 20

/** Shows similar cards while a person writes; a failure shows nothing. */
function NearCards({ draft }: { draft: Pick<Draft, 'title' | 'symptom' | 'fix_summary'> }) {
  // One text, because an object would differ at every render and never settle.
  const written = useDebounced(
    JSON.stringify({
      title: draft.title.trim(),
      symptom: draft.symptom.trim(),
      fix_summary: draft.fix_summary.trim(),
    }),
    WAIT_MS,
  )
  const { title, symptom, fix_summary } = JSON.parse(written) as typeof draft
  const isEnough = title.length >= MIN_TITLE_CHARS && symptom.length >= MIN_SYMPTOM_CHARS
  const near = useQuery({
    queryKey: ['search', 'near', written],
    enabled: isEnough,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call('POST /api/v1/cards/similar', { title, symptom, fix_summary }, { signal }),
  })
  const cards = isEnough ? nearestFirst(near.data ?? []) : []
  return (
    <section aria-label={strings.nearCards} aria-live="polite">
      {cards.length > 0 && (
        <>
          <h2 className="mb-1 text-sm font-semibold">{strings.isItOneOfThese}</h2>
          <ul className="-mx-2 grid">
            {cards.map((card) => (
              <li key={card.card_id}>
                <a
                  href={`/cards/${card.card_id}`}
                  target="_blank"
                  rel="noreferrer"
                  className="flex min-h-8 items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-hover"
                >
                  <span className="grid min-w-0 grow">
                    <span className="line-clamp-2">{card.title}</span>
                    <ReadersLine card={card} />
                  </span>
                  {card.similarity >= 0.5 && (
                    <span className="shrink-0 text-xs text-faint tabular-nums">
                      {strings.percentTheSame(Math.round(card.similarity * 100))}
                    </span>
                  )}
                  <ExternalLink size={12} className="shrink-0 text-faint" aria-hidden />
                  <span className="sr-only">{strings.opensInNewTab}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** Says who reads a saved card, and what kept it from the team that it would have been shared with. */
function savedWords(card: Card): string {
  const kept = card.warnings?.find(({ code }) => code === 'not_shared')
  if (!kept) return strings.savedWithReaders(card.readers.text)
  const [rule] = rulesOf([{ rule: kept.kind, message: '', field: kept.field }], card.card_type)
  return strings.savedUnshared(rule?.label ?? '')
}

/** Target workspace of a new card; falls back to Personal if the draft's team is gone or no longer accessible. */
function useHome(wanted: string) {
  const { personal_workspace_id, default_workspace_id, share_recorded } = useMe()
  const query = useQuery(workspacesQuery)
  const writable = query.data?.items.filter(
    ({ workspace_id, role }) =>
      workspace_id !== personal_workspace_id && (role === 'admin' || role === 'editor'),
  )
  const isThere = !writable || writable.some(({ workspace_id }) => workspace_id === wanted)
  return {
    query,
    writable,
    home: isThere ? wanted : '',
    isShared: share_recorded && wanted !== '' && wanted === default_workspace_id,
    isLost: !isThere && wanted !== '' && wanted !== personal_workspace_id,
  }
}

type Props = { home: ReturnType<typeof useHome>; onChange: (workspaceId: string) => void }

function WorkspaceField({ home: { query, writable, home, isShared, isLost }, onChange }: Props) {
  const team = writable?.find(({ workspace_id }) => workspace_id === home)
  const field = (
    <SelectField
      label={strings.workspace}
      value={home}
      disabled={!writable}
      onChange={(event) => onChange(event.target.value)}
      hint={team && isShared ? strings.newCardShared(team.name) : strings.newCardLead}
    >
      {writable ? (
        <option value="">{strings.personal}</option>
      ) : (
        <option value={home}>{strings.loadingPending}</option>
      )}
      {writable?.map((workspace) => (
        <option key={workspace.workspace_id} value={workspace.workspace_id}>
          {workspace.name}
        </option>
      ))}
    </SelectField>
  )
  // Keeps its place while the list loads, so that the fields below do not move.
  if (!writable)
    return (
      <PartNotLoaded what={strings.yourWorkspaces} query={query}>
        {field}
      </PartNotLoaded>
    )
  return (
    <div className="grid gap-2">
      {writable.length > 0 ? field : <p className="text-xs text-faint">{strings.savedInPersonal}</p>}
      {isLost && <Notice tone="warn">{strings.workspaceIsLost}</Notice>}
    </div>
  )
}
