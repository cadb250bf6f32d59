import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { listCards } from '../../../api/cards.ts'
import { searchCards } from '../../../api/search.ts'
import type { Card } from '../../../api/types.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { Segmented, TextField } from '../../../ui/field.tsx'
import { FormError, Skeleton } from '../../../ui/states.tsx'
import { TypeBadge } from '../card-badges.tsx'
import { ReadersLine } from '../sharing/readers.tsx'

export type PickedCard = Pick<Card, 'card_id' | 'title' | 'card_type' | 'home' | 'readers'>
type Scope = 'personal' | 'workspace'

const MOST_SHOWN = 8
const SHORTEST_QUERY = 3
const WAIT_MS = 250

/** Searches own cards and those of the team; before the first word it shows those that changed last. */
function useChoice(scope: Scope, words: string) {
  return useQuery({
    queryKey: ['cards', 'choice', scope, words],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<PickedCard[]> =>
      words.length < SHORTEST_QUERY
        ? (await listCards({ scope, page_size: MOST_SHOWN }, { signal })).items
        : (await searchCards({ query: words, scope, limit: MOST_SHOWN }, { signal })).results,
  })
}

type Props = { label: string; except: string; picked: PickedCard | null; onPick: (card: PickedCard) => void }

export function CardPicker({ label, except, picked, onPick }: Props) {
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
