import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, CardLink } from '../../api/types.ts'
import { plural } from '../../lib/format.ts'
import { useDebounced } from '../../lib/hooks.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe, useShowsCredits } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Segmented, SelectField, TextareaField, TextField } from '../../ui/field.tsx'
import { FormError, Notice, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { TypeBadge } from './card-badges.tsx'
import { cardQuery } from './card-queries.ts'
import { rowId } from './draft.ts'
import { RemoveRow, RowsField, rowsOf } from './fields.tsx'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'
import { type NewLink, useLinking, useMerge } from './use-card-links.ts'

/** Superseding can be chosen from either card: people are mostly on the page of the old one. */
type Way = CardLink['kind'] | 'superseded_by'

const WAYS: { way: Way; label: string; effect?: string }[] = [
  { way: 'related', label: strings.isRelatedTo },
  {
    way: 'supersedes',
    label: 'replaces',
    effect: strings.supersedesHint,
  },
  {
    way: 'superseded_by',
    label: strings.isReplacedBy,
    effect: strings.supersededByHint,
  },
  { way: 'duplicates', label: strings.saysTheSameAs },
  { way: 'contradicts', label: 'contradicts' },
]

const linkBetween = (cardId: string, otherId: string, way: Way): Omit<NewLink, 'why'> =>
  way === 'superseded_by'
    ? { fromId: otherId, toId: cardId, kind: 'supersedes' }
    : { fromId: cardId, toId: otherId, kind: way }

export function LinkDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [way, setWay] = useState<Way>('related')
  const [other, setOther] = useState<PickedCard | null>(null)
  const keptAs = `kv-reason:${useMe().user_id}:link:${card.card_id}`
  const { text: why, change: setWhy, dropSent } = useKeptText(keptAs, '')
  const { add } = useLinking(card.card_id)
  const chosen = WAYS.find((one) => one.way === way)
  const send = () => {
    if (!other) return
    const link = { ...linkBetween(card.card_id, other.card_id, way), why: why.trim() || null }
    // The sent text is dropped even if the dialog was closed meanwhile.
    void add.mutateAsync(link, { onSuccess: onClose }).then(
      () => dropSent(why),
      () => undefined,
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title={strings.linkToAnother}
      action={strings.link}
      ready={other !== null}
      busy={add.isPending}
      onSubmit={send}
    >
      <SelectField
        label={strings.thisCard}
        value={way}
        onChange={(event) => setWay(event.target.value as Way)}
      >
        {WAYS.map((one) => (
          <option key={one.way} value={one.way}>
            {one.label}
          </option>
        ))}
      </SelectField>
      <CardPicker label={strings.theOtherCard} except={card.card_id} picked={other} onPick={setOther} />
      <TextareaField
        label={strings.why}
        aside="optional"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
        hint={strings.reasonHint}
      />
      {chosen?.effect && <Notice>{chosen.effect}</Notice>}
      <LinkFailure error={add.error} />
    </FormDialog>
  )
}

export function MergeDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [into, setInto] = useState<PickedCard | null>(null)
  const showsCredits = useShowsCredits()
  const keptAs = `kv-reason:${useMe().user_id}:merge:${card.card_id}`
  const { text: why, change: setWhy, dropSent } = useKeptText(keptAs, '')
  const merge = useMerge(card)
  const send = () =>
    into &&
    merge.mutateAsync({ into_card_id: into.card_id, why: why.trim() || null }).then(
      () => dropSent(why),
      () => undefined,
    )
  const votes = card.feedback.useful + card.feedback.not_applicable + card.feedback.outdated
  return (
    <FormDialog
      onClose={onClose}
      title={strings.mergeIntoAnother}
      description={strings.mergeLead}
      action={strings.merge}
      ready={into !== null}
      busy={merge.isPending}
      onSubmit={send}
    >
      <CardPicker label={strings.intoWhichCard} except={card.card_id} picked={into} onPick={setInto} />
      <TextareaField
        label={strings.why}
        aside="optional"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <ul aria-label={strings.whatHappens} className="list-disc pl-4 text-sm text-soft">
        <li>
          {strings.verdictsCountOnOther(plural(votes, 'verdict'), plural(card.evidence_count, 'piece'))}
        </li>
        <li>{strings.mergedAddress}</li>
        {showsCredits && <li>{strings.creditsStay}</li>}
        <li>{strings.mergeCanBeUndone}</li>
      </ul>
      <LinkFailure error={merge.error} />
    </FormDialog>
  )
}

type PickedCard = Pick<Card, 'card_id' | 'title' | 'card_type' | 'home' | 'readers'>
type Scope = 'personal' | 'workspace'

const MAX_CARDS_SHOWN = 8
const MIN_QUERY_CHARS = 3
const WAIT_MS = 250

/** Searches own and team cards; without words it lists those that changed last. */
function useChoice(scope: Scope, words: string) {
  return useQuery({
    queryKey: ['cards', 'choice', scope, words],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<PickedCard[]> =>
      words.length < MIN_QUERY_CHARS
        ? (await call('GET /api/v1/cases', { scope, page_size: MAX_CARDS_SHOWN }, { signal })).items
        : (await call('POST /api/v1/search', { query: words, scope, limit: MAX_CARDS_SHOWN }, { signal }))
            .results,
  })
}

type Props = { label: string; except: string; picked: PickedCard | null; onPick: (card: PickedCard) => void }

function CardPicker({ label, except, picked, onPick }: Props) {
  const [scope, setScope] = useState<Scope>('personal')
  const [text, setText] = useState('')
  const words = useDebounced(text.trim(), WAIT_MS)
  const choice = useChoice(scope, words)
  const found = choice.data?.filter((card) => card.card_id !== except) ?? []
  const isFound = found.some((card) => card.card_id === picked?.card_id)
  const shown = picked && !isFound ? [picked, ...found] : found
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label={label}
          className="min-w-0 grow"
          placeholder={strings.wordsOfOtherCard}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Segmented
          label={strings.whoseCards}
          value={scope}
          onChange={setScope}
          options={[
            { value: 'personal', label: strings.mine },
            { value: 'workspace', label: strings.team },
          ]}
        />
      </div>
      <FormError error={choice.error} />
      {choice.isPending && <Skeleton className="h-8 w-full" />}
      {choice.isSuccess && shown.length === 0 && <p className="text-sm text-faint">{strings.noCardFound}</p>}
      {shown.length > 0 && <Options cards={shown} picked={picked} onPick={onPick} />}
    </div>
  )
}

function Options({ cards, picked, onPick }: Pick<Props, 'picked' | 'onPick'> & { cards: PickedCard[] }) {
  const name = useId()
  return (
    <fieldset className="grid auto-rows-max max-h-60 overflow-y-auto rounded-md border border-line p-1">
      <legend className="sr-only">{strings.cardsToChoose}</legend>
      {cards.map((card) => (
        <label
          key={card.card_id}
          className="flex min-h-8 items-center gap-2 rounded-sm px-2 py-1 text-sm hover:bg-hover has-checked:bg-chosen has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-10"
        >
          <input
            type="radio"
            name={name}
            className="accent-accent"
            checked={card.card_id === picked?.card_id}
            onChange={() => onPick(card)}
          />
          <span className="grid min-w-0 grow">
            <span className="truncate">{card.title}</span>
            <ReadersLine card={card} />
          </span>
          <TypeBadge type={card.card_type} />
        </label>
      ))}
    </fieldset>
  )
}

/** Shows the reason of a refusal, with the other card if the server names one. */
function LinkFailure({ error }: { error: unknown }) {
  const inTheWay = error instanceof ApiError ? error.extra.superseded_by : undefined
  if (!(error instanceof ApiError) || typeof inTheWay !== 'string') return <FormError error={error} />
  return (
    <Notice tone="bad">
      {error.message}{' '}
      <Link to="/cards/$cardId" params={{ cardId: inTheWay }} className="underline">
        {strings.openThatCard}
      </Link>
    </Notice>
  )
}

type Row = { id: string; text: string }

const rowFor = (text: string): Row => ({ id: rowId(), text })
const isFilled = ({ text }: Row) => text.trim() !== ''

/** Cites are written by hand, or read from the text whenever the card is saved. */
export function CitesDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [rows, setRows] = useState(() => (card.cites.length > 0 ? card.cites : ['']).map(rowFor))
  const { set, remove, add } = rowsOf(rows, setRows)
  const write = useMutation({
    mutationFn: (sent: Row[] | null) =>
      call('PUT /api/v1/cards/{card_id}/cites', {
        card_id: card.card_id,
        cites: sent?.map(({ text }) => text) ?? null,
      }),
    onSuccess: ({ cites, are_written }) => {
      queryClient.setQueryData(cardQuery(card.card_id).queryKey, (before) => before && { ...before, cites })
      void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
      toast(are_written ? strings.citesSaved : strings.citesReadAgain)
      onClose()
    },
  })
  const problems = problemsOf(write.error, write.variables ?? [])
  return (
    <FormDialog
      onClose={onClose}
      title={strings.citesTitle}
      description={strings.citesLead}
      action={strings.save}
      busy={write.isPending}
      error={problems.size > 0 ? null : write.error}
      onSubmit={() => write.mutate(rows.filter(isFilled))}
    >
      <RowsField
        legend={strings.cites}
        note="npm:fastify@^5, file:src/app.ts@1a2b3c4"
        addLabel={strings.addACite}
        onAdd={() => add({ text: '' })}
      >
        <div className="grid gap-1.5">
          {rows.map((row, index) => (
            <div key={row.id} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
              <TextField
                label={strings.citeNumber(index + 1)}
                hideLabel
                spellCheck={false}
                maxLength={500}
                value={row.text}
                onChange={(event) => set(row.id, { text: event.target.value })}
                error={problems.get(row.id)}
              />
              <RemoveRow label={strings.removeCite(index + 1)} onRemove={() => remove(row.id)} />
            </div>
          ))}
        </div>
      </RowsField>
      <Notice
        action={
          <Button size="sm" disabled={write.isPending} onClick={() => write.mutate(null)}>
            {strings.readCitesFromCard}
          </Button>
        }
      >
        {strings.citesStayHint}
      </Notice>
    </FormDialog>
  )
}

function problemsOf(error: unknown, sent: readonly Row[]): Map<string, string> {
  const found = new Map<string, string>()
  if (!(error instanceof ApiError)) return found
  for (const { loc, msg } of error.issues) {
    const at = loc[loc.indexOf('cites') + 1]
    const row = typeof at === 'number' ? sent[at] : undefined
    if (row) found.set(row.id, msg)
  }
  return found
}
