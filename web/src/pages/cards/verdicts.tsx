import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { BadgeCheck, CircleCheck, CircleX, Clock } from 'lucide-react'
import { type MouseEvent, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, Trust, Verdict } from '../../api/types.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { credits, formatAgo, formatNumber, formatTime } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Segmented, TextareaField } from '../../ui/field.tsx'
import { FormError, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardQuery, listsChanged } from './card-queries.ts'
import { draftOf, pairsAsRecord, repeatedProblem } from './draft.ts'
import { PairsField, SecretWarning } from './fields.tsx'
import * as strings from './strings.ts'

export function Verdicts({ card }: { card: Card }) {
  const [saying, setSaying] = useState<Outcome | null>(null)
  const { query, items, total, own } = useVerdicts(card.card_id)
  const verify = useVerify(card, own)
  const takeBack = useWithdrawVerdicts(card, own)
  const takeBackAndGoOn = ({ currentTarget }: MouseEvent) => {
    // The button disappears with the verdict; the focus moves to the first one beside it.
    const { parentElement } = currentTarget
    neighbourGetsFocus(currentTarget, () => (parentElement ? [parentElement] : []))
    takeBack.mutate()
  }
  return (
    <section aria-label={strings.verdicts} className="grid gap-3 border-t border-line pt-5">
      <p className="text-sm text-soft">{strings.verdictsLead}</p>
      <div className="flex flex-wrap gap-2">
        {card.can_edit && (
          <Button
            busy={verify.isPending}
            onClick={() => verify.mutate({ outcome: 'worked', environment: {} }, { onError: toastError })}
          >
            <BadgeCheck size={14} aria-hidden />
            {strings.stillTrue}
          </Button>
        )}
        {OUTCOMES.map(({ value, label, icon: Icon }) => (
          <Button key={value} onClick={() => setSaying(value)}>
            <Icon size={14} aria-hidden />
            {label}
          </Button>
        ))}
        {own.verdicts.length > 0 && (
          <Button look="ghost" busy={takeBack.isPending} onClick={takeBackAndGoOn}>
            {strings.takeBackVerdicts}
          </Button>
        )}
      </div>
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
      {saying && <VerdictDialog card={card} start={saying} own={own} onClose={() => setSaying(null)} />}
    </section>
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

type Props = { card: Card; start: Outcome; own: Own; onClose: () => void }

function VerdictDialog({ card, start, own, onClose }: Props) {
  const [outcome, setOutcome] = useState(start)
  const [environment, setEnvironment] = useState(() => draftOf(card).environment)
  const keptAs = `kv-verdict:${useMe().user_id}:${card.card_id}`
  const { text: note, change: setNote, dropSent: dropNote } = useKeptText(keptAs, '')
  const { text: evidence, change: setEvidence, dropSent: dropEvidence } = useKeptText(`${keptAs}:output`, '')
  const verify = useVerify(card, own)
  const api = verify.error instanceof ApiError ? verify.error : null
  const send = () => {
    const said = {
      outcome,
      environment: pairsAsRecord(environment),
      note: note.trim() || null,
      evidence: evidence.trim() || null,
    }
    // The sent text is dropped even if the dialog was closed meanwhile.
    void verify.mutateAsync(said, { onSuccess: onClose }).then(
      () => [dropNote(note), dropEvidence(evidence)],
      () => undefined,
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title={strings.whatCameOfItTitle}
      description={strings.countsForVersion(card.version)}
      action={strings.saySo}
      ready={repeatedProblem(environment) === undefined}
      busy={verify.isPending}
      error={verify.error}
      onSubmit={send}
    >
      <Segmented
        label={strings.whatCameOfIt}
        value={outcome}
        onChange={setOutcome}
        options={OUTCOMES.map(({ value, label }) => ({ value, label }))}
        className="justify-self-start"
      />
      <PairsField pairs={environment} onChange={setEnvironment} error={api?.field('environment')} />
      <div className="grid gap-1.5">
        <TextareaField
          label={strings.note}
          aside="optional"
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          hint={strings.noteHint}
          error={api?.field('note')}
        />
        <SecretWarning text={note} onReplace={setNote} />
      </div>
      <div className="grid gap-1.5">
        <TextareaField
          label={strings.output}
          aside="optional"
          className="font-mono text-xs!"
          maxLength={20_000}
          value={evidence}
          onChange={(event) => setEvidence(event.target.value)}
          hint={strings.outputHint}
          error={api?.field('evidence')}
        />
        <SecretWarning text={evidence} onReplace={setEvidence} />
      </div>
    </FormDialog>
  )
}

const AT_ONCE = 20

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
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const own: Own = {
    verdicts: items.filter((item) => item.is_mine),
    isComplete: query.isSuccess && !query.hasNextPage,
  }
  return { query, items, total: query.data?.pages[0]?.total ?? 0, own }
}

type Own = { verdicts: Verdict[]; isComplete: boolean }

type VerdictInput = {
  outcome: Outcome
  environment: Record<string, string>
  note?: string | null
  evidence?: string | null
}

function changed(cardId: string, trust?: Trust | null) {
  if (trust !== undefined)
    queryClient.setQueryData(cardQuery(cardId).queryKey, (before) => before && { ...before, trust })
  listsChanged()
  return queryClient.invalidateQueries({ queryKey: ['card', cardId] })
}

const takeBack = async (cardId: string) => {
  await call('DELETE /api/v1/cards/{card_id}/verdicts', { card_id: cardId })
  await changed(cardId)
}

const noticesOf = ({ card_id }: Card) => `verdicts ${card_id}`

/** Gives a verdict. Undo would withdraw all verdicts of the person, so only the first one has it. */
function useVerify(card: Card, own: Own) {
  return useMutation({
    // Kept from before the call: the list may be read again before the answer.
    onMutate: () => own,
    mutationFn: (said: VerdictInput) =>
      call('POST /api/v1/cards/{card_id}/verdicts', { card_id: card.card_id, ...said }),
    onSuccess: ({ verdict_id, trust, credits_awarded }, _said, before) => {
      if (before.verdicts.some((verdict) => verdict.verdict_id === verdict_id))
        return toast(strings.alreadySaid)
      const isFirst = before.isComplete && before.verdicts.length === 0
      const earned = credits_awarded > 0 ? strings.ownerEarned(card.owner_name, credits(credits_awarded)) : ''
      const undo = () => void takeBack(card.card_id).catch(toastError)
      toast(strings.notedWithReward(earned), { about: noticesOf(card), ...(isFirst ? { undo } : {}) })
      return changed(card.card_id, trust)
    },
  })
}

/** Withdraws all verdicts. Verdicts on a former version cannot be given again, so they have no undo. */
function useWithdrawVerdicts(card: Card, own: Own) {
  const sayAgain = async (said: readonly Verdict[]) => {
    for (const { outcome, environment, note, evidence } of said)
      await call('POST /api/v1/cards/{card_id}/verdicts', {
        card_id: card.card_id,
        outcome,
        environment,
        note,
        evidence,
      })
    await changed(card.card_id)
  }
  return useMutation({
    onMutate: () => own,
    mutationFn: () => takeBack(card.card_id),
    onError: toastError,
    onSuccess: (_answer, _input, { verdicts, isComplete }) => {
      const canReturn = isComplete && verdicts.every(({ card_version }) => card_version === card.version)
      const undo = () => void sayAgain(verdicts).catch(toastError)
      toast(strings.verdictTakenBack, { about: noticesOf(card), ...(canReturn ? { undo } : {}) })
    },
  })
}

type Outcome = Verdict['outcome']

const OUTCOMES = [
  { value: 'worked', label: strings.worked, icon: CircleCheck, tone: 'text-ok' },
  { value: 'failed', label: strings.failed, icon: CircleX, tone: 'text-bad' },
  { value: 'stale', label: strings.noLongerTrue, icon: Clock, tone: 'text-warn' },
] as const satisfies readonly { value: Outcome; label: string; icon: unknown; tone: string }[]

const outcomeOf = (value: Outcome) => OUTCOMES.find((one) => one.value === value) ?? OUTCOMES[0]
