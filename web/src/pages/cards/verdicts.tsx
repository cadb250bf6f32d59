import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Clock } from 'lucide-react'
import { type MouseEvent, useRef, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, Trust, Verdict } from '../../api/types.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { credits, formatAgo, formatNumber, formatTime } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe, useShowsCredits } from '../../session.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { FormError, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardQuery, listsChanged } from './card-queries.ts'
import { draftOf, pairsAsRecord, repeatedProblem } from './draft.ts'
import { PairsField, SecretWarning } from './fields.tsx'
import { isReadByOwnerAlone } from './readers.tsx'
import * as strings from './strings.ts'

/** Asks nobody on a card without other readers; what was said of it earlier stays readable. */
export function Verdicts({ card }: { card: Card }) {
  const said = useVerdicts(card.card_id)
  const { query, items, total } = said
  const isAlone = isReadByOwnerAlone(card)
  if (isAlone && items.length === 0) return null
  return (
    <section aria-label={strings.didItWork} className="grid gap-3 border-t border-line pt-5">
      <Answer card={card} own={said.own} isAlone={isAlone} />
      <PartNotLoaded what={strings.whatPeopleSaid} query={query} />
      {items.length > 0 && (
        <ul aria-label={strings.whatPeopleSaid} className="grid gap-3">
          {items.map((verdict) => (
            <VerdictRow key={verdict.verdict_id} verdict={verdict} card={card} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button
          size="sm"
          className="justify-self-start"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {strings.showMoreOf(formatNumber(total))}
        </Button>
      )}
      {query.isFetchNextPageError && <FormError error={query.error} />}
    </section>
  )
}

/** One click says it. The person's newest verdict is their answer, and another click replaces it. */
function Answer({ card, own, isAlone }: { card: Card; own: Own; isAlone: boolean }) {
  const me = useMe()
  const [adding, setAdding] = useState(false)
  const buttons = useRef<HTMLDivElement>(null)
  const verify = useVerify(card, own)
  const takeBack = useTakeBack(card, own)
  const [newest] = own.verdicts
  const mine = verify.isPending ? verify.variables.outcome : newest?.outcome
  const say = (outcome: Outcome) => {
    if (newest?.outcome === outcome && newest.card_version === card.version) return toast(strings.alreadySaid)
    verify.mutate({ outcome, environment: newest?.environment ?? {} }, { onError: toastError })
  }
  const takeBackAndGoOn = ({ currentTarget }: MouseEvent) => {
    // The button disappears with the verdict; the focus moves to the first one beside it.
    neighbourGetsFocus(currentTarget, () => (buttons.current ? [buttons.current] : []))
    takeBack.mutate()
  }
  const question = card.owner_id === me.user_id ? strings.doesItStillWork : strings.didItWork
  return (
    <>
      {!isAlone && <p className="text-sm text-soft">{question}</p>}
      <div ref={buttons} className="flex flex-wrap gap-2">
        {!isAlone &&
          OUTCOMES.map(({ value, label, icon: Icon }) => (
            <Button
              key={value}
              aria-pressed={mine === value}
              busy={verify.isPending && mine === value}
              className={mine === value ? 'border-accent! bg-chosen! text-accent-strong!' : ''}
              onClick={() => say(value)}
            >
              <Icon size={14} aria-hidden />
              {label}
            </Button>
          ))}
        {newest && !isAlone && (
          <Button look="ghost" disabled={verify.isPending} onClick={() => setAdding(true)}>
            {strings.addDetails}
          </Button>
        )}
        {own.verdicts.length > 0 && (
          <Button
            look="ghost"
            busy={takeBack.isPending}
            disabled={verify.isPending}
            onClick={takeBackAndGoOn}
          >
            {strings.takeBack}
          </Button>
        )}
      </div>
      {adding && newest && (
        <DetailsDialog card={card} verdict={newest} own={own} onClose={() => setAdding(false)} />
      )}
    </>
  )
}

function VerdictRow({ verdict, card }: { verdict: Verdict; card: Card }) {
  const { label, icon: Icon, tone } = outcomeOf(verdict.outcome)
  const who = verdict.is_mine ? strings.you : verdict.user_name
  return (
    <li className="grid gap-1.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon size={14} className={tone} aria-hidden />
        <span className="font-medium">{label}</span>
        {Object.entries(verdict.environment).map(([name, version]) => (
          <Tag key={name}>
            {name} {version}
          </Tag>
        ))}
        <span className="text-xs text-faint">
          {who && (
            <>
              <bdi>{who}</bdi>
              {' · '}
            </>
          )}
          <span title={formatTime(verdict.created_at)}>{formatAgo(verdict.created_at)}</span>
          {verdict.card_version !== card.version && strings.verdictVersion(verdict.card_version)}
        </span>
      </div>
      {verdict.note && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{verdict.note}</p>}
      {verdict.evidence && (
        <details>
          <summary className="text-xs text-soft hover:text-ink">{strings.output}</summary>
          <div className="relative mt-1">
            <pre
              tabIndex={0}
              className="max-h-72 overflow-auto rounded-md bg-sunken py-2 pr-10 pl-3 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
            >
              {verdict.evidence}
            </pre>
            <div className="absolute top-1 right-1">
              <CopyButton text={verdict.evidence} label={strings.copyOutput} />
            </div>
          </div>
        </details>
      )}
    </li>
  )
}

type Props = { card: Card; verdict: Verdict; own: Own; onClose: () => void }

function DetailsDialog({ card, verdict, own, onClose }: Props) {
  const { outcome } = verdict
  const hasPlace = Object.keys(verdict.environment).length > 0
  const [environment, setEnvironment] = useState(
    () => draftOf(hasPlace ? { ...card, environment: verdict.environment } : card).environment,
  )
  const keptAs = `kv-verdict:${useMe().user_id}:${card.card_id}`
  const noteText = useKeptText(keptAs, verdict.note ?? '')
  const outputText = useKeptText(`${keptAs}:output`, verdict.evidence ?? '')
  const verify = useVerify(card, own)
  const api = verify.error instanceof ApiError ? verify.error : null
  const [note, evidence] = [noteText.text, outputText.text]
  const send = () => {
    const said = {
      outcome,
      environment: pairsAsRecord(environment),
      note: note.trim() || null,
      evidence: evidence.trim() || null,
      replaces: verdict.verdict_id,
    }
    // The sent text is dropped even if the dialog was closed meanwhile.
    void verify.mutateAsync(said, { onSuccess: onClose }).then(
      () => [noteText.dropSaved(note), outputText.dropSaved(evidence)],
      () => undefined,
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title={strings.addDetails}
      description={strings.detailsOf(outcomeOf(outcome).label, card.version)}
      action={strings.save}
      ready={repeatedProblem(environment) === undefined}
      busy={verify.isPending}
      error={verify.error}
      onSubmit={send}
    >
      <PairsField pairs={environment} onChange={setEnvironment} error={api?.field('environment')} />
      <div className="grid gap-1.5">
        <TextareaField
          label={strings.note}
          aside="optional"
          maxLength={2000}
          value={note}
          onChange={(event) => noteText.change(event.target.value)}
          hint={strings.noteHint}
          error={api?.field('note')}
        />
        <SecretWarning text={note} onReplace={noteText.change} />
      </div>
      <div className="grid gap-1.5">
        <TextareaField
          label={strings.output}
          aside="optional"
          className="font-mono text-xs!"
          maxLength={20_000}
          value={evidence}
          onChange={(event) => outputText.change(event.target.value)}
          hint={strings.outputHint}
          error={api?.field('evidence')}
        />
        <SecretWarning text={evidence} onReplace={outputText.change} />
      </div>
    </FormDialog>
  )
}

const AT_ONCE = 20
const MAX_OWN_VERDICTS = 100

function useVerdicts(cardId: string) {
  const query = useInfiniteQuery({
    queryKey: ['card', cardId, 'verdicts'],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v1/cards/{card_id}/verdicts',
        { card_id: cardId, page: pageParam, page_size: AT_ONCE },
        { signal },
      ),
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
  })
  // The person's own may be behind many others.
  const mine = useQuery({
    queryKey: ['card', cardId, 'verdicts', 'mine'],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v1/cards/{card_id}/verdicts',
        { card_id: cardId, mine: true, page_size: MAX_OWN_VERDICTS },
        { signal },
      ),
    enabled: query.hasNextPage,
  })
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const own: Own = {
    verdicts: query.hasNextPage ? (mine.data?.items ?? []) : items.filter((item) => item.is_mine),
    isComplete: query.isSuccess && (!query.hasNextPage || mine.data?.total === mine.data?.items.length),
  }
  return { query, items, total: query.data?.pages[0]?.total ?? 0, own }
}

/** Newest first. */
type Own = { verdicts: readonly Verdict[]; isComplete: boolean }

type VerdictInput = {
  outcome: Outcome
  environment: Record<string, string>
  note?: string | null
  evidence?: string | null
  replaces?: string
}

function changed(cardId: string, trust?: Trust | null) {
  if (trust !== undefined)
    queryClient.setQueryData(cardQuery(cardId).queryKey, (before) => before && { ...before, trust })
  listsChanged()
  void queryClient.invalidateQueries({ queryKey: ['review-queue'] })
  return queryClient.invalidateQueries({ queryKey: ['card', cardId] })
}

const takeBackAll = async (cardId: string) => {
  await call('DELETE /api/v1/cards/{card_id}/verdicts', { card_id: cardId })
  await changed(cardId)
}

const sayAgain = async ({ card_id }: Card, said: readonly Verdict[]) => {
  for (const { outcome, environment, note, evidence } of said)
    await call('POST /api/v1/cards/{card_id}/verdicts', { card_id, outcome, environment, note, evidence })
  await changed(card_id)
}

const noticesOf = ({ card_id }: Card) => `verdicts ${card_id}`

/** Verdicts on a former version cannot be given again. */
const isOfThisVersion = (card: Card) => (verdict: Verdict) => verdict.card_version === card.version

/** Returns how to undo a verdict: none before it, or one that can be given again. */
function undoOf(card: Card, { replaces }: VerdictInput, before: Own): (() => void) | undefined {
  const [newest] = before.verdicts
  if (replaces !== undefined || !before.isComplete) return undefined
  if (!newest) return () => void takeBackAll(card.card_id).catch(toastError)
  return isOfThisVersion(card)(newest) ? () => void sayAgain(card, [newest]).catch(toastError) : undefined
}

function useVerify(card: Card, own: Own) {
  const showsCredits = useShowsCredits()
  return useMutation({
    scope: { id: noticesOf(card) },
    // Kept from before the call: the list may be read again before the answer.
    onMutate: () => own,
    mutationFn: (said: VerdictInput) =>
      call('POST /api/v1/cards/{card_id}/verdicts', { card_id: card.card_id, ...said }),
    onSuccess: ({ verdict_id, trust, credits_awarded }, said, before) => {
      if (before.verdicts.some((verdict) => verdict.verdict_id === verdict_id))
        return toast(strings.alreadySaid)
      const isTold = showsCredits && credits_awarded > 0
      const earned = isTold ? strings.ownerEarned(card.owner_name, credits(credits_awarded)) : ''
      const undo = undoOf(card, said, before)
      toast(strings.notedWithReward(earned), { about: noticesOf(card), ...(undo && { undo }) })
      return changed(card.card_id, trust)
    },
  })
}

function useTakeBack(card: Card, own: Own) {
  return useMutation({
    onMutate: () => own,
    mutationFn: () => takeBackAll(card.card_id),
    onError: toastError,
    onSuccess: (_answer, _input, { verdicts, isComplete }) => {
      const canReturn = isComplete && verdicts.every(isOfThisVersion(card))
      // Oldest first, so that the newest is the answer again.
      const undo = () => void sayAgain(card, verdicts.toReversed()).catch(toastError)
      toast(strings.verdictTakenBack, { about: noticesOf(card), ...(canReturn ? { undo } : {}) })
    },
  })
}

type Outcome = Verdict['outcome']

const OUTCOMES = [
  { value: 'worked', label: strings.worked, icon: CircleCheck, tone: 'text-ok' },
  { value: 'failed', label: strings.failed, icon: CircleX, tone: 'text-bad' },
  { value: 'stale', label: strings.outdated, icon: Clock, tone: 'text-warn' },
] as const satisfies readonly { value: Outcome; label: string; icon: unknown; tone: string }[]

const outcomeOf = (value: Outcome) => OUTCOMES.find((one) => one.value === value) ?? OUTCOMES[0]
