import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'

import type { Card, CardLink } from '../../api/types.ts'
import { plural } from '../../lib/format.ts'
import { useDebounced } from '../../lib/hooks.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Segmented, SelectField, TextareaField, TextField } from '../../ui/field.tsx'
import { FormError, Notice, Skeleton } from '../../ui/states.tsx'
import { TypeBadge } from './card-badges.tsx'
import { ReadersLine } from './readers.tsx'
import { type NewLink, useLinking, useMerge } from './use-card-links.ts'

/** Superseding can be chosen from either card: people are mostly on the page of the old one. */
type Way = CardLink['kind'] | 'superseded_by'

const WAYS: { way: Way; label: string; effect?: string }[] = [
  { way: 'related', label: 'is related to' },
  {
    way: 'supersedes',
    label: 'replaces',
    effect: 'The other card leaves search. Its address still works, and points to this one.',
  },
  {
    way: 'superseded_by',
    label: 'is replaced by',
    effect: 'This card leaves search. Its address still works, and points to the other one.',
  },
  { way: 'duplicates', label: 'says the same as' },
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
      title="Link to another card"
      action="Link"
      ready={other !== null}
      busy={add.isPending}
      onSubmit={send}
    >
      <SelectField label="This card" value={way} onChange={(event) => setWay(event.target.value as Way)}>
        {WAYS.map((one) => (
          <option key={one.way} value={one.way}>
            {one.label}
          </option>
        ))}
      </SelectField>
      <CardPicker label="The other card" except={card.card_id} picked={other} onPick={setOther} />
      <TextareaField
        label="Why"
        aside="optional"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
        hint="Read by everybody who reads both cards."
      />
      {chosen?.effect && <Notice>{chosen.effect}</Notice>}
      <LinkFailure error={add.error} />
    </FormDialog>
  )
}

export function MergeDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [into, setInto] = useState<PickedCard | null>(null)
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
      title="Merge into another card"
      description="For two cards that say the same. The text of the other one stays as it is."
      action="Merge"
      ready={into !== null}
      busy={merge.isPending}
      onSubmit={send}
    >
      <CardPicker label="Into which card" except={card.card_id} picked={into} onPick={setInto} />
      <TextareaField
        label="Why"
        aside="optional"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <ul aria-label="What happens" className="list-disc pl-4 text-sm text-soft">
        <li>
          Its verdicts, {plural(votes, 'vote')} and {plural(card.evidence_count, 'piece')} of evidence count
          on the other card.
        </li>
        <li>It leaves search. Its address opens the other card and says so.</li>
        <li>Credits stay as they are.</li>
        <li>It can be undone for 30 days, at its old address.</li>
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
          placeholder="Words of the other card"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Segmented
          label="Whose cards"
          value={scope}
          onChange={setScope}
          options={[
            { value: 'personal', label: 'Mine' },
            { value: 'workspace', label: 'Team' },
          ]}
        />
      </div>
      <FormError error={choice.error} />
      {choice.isPending && <Skeleton className="h-8 w-full" />}
      {choice.isSuccess && shown.length === 0 && <p className="text-sm text-faint">No card found.</p>}
      {shown.length > 0 && <Options cards={shown} picked={picked} onPick={onPick} />}
    </div>
  )
}

function Options({ cards, picked, onPick }: Pick<Props, 'picked' | 'onPick'> & { cards: PickedCard[] }) {
  const name = useId()
  return (
    <fieldset className="grid auto-rows-max max-h-60 overflow-y-auto rounded-md border border-line p-1">
      <legend className="sr-only">Cards to choose from</legend>
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
        Open that card
      </Link>
    </Notice>
  )
}
