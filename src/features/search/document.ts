import type { CardType } from '../../db/tables/cards.ts'
import { type Emit, scan } from './analyse.ts'
import {
  environmentFilters,
  ownerFilter,
  ownerInFilter,
  publicFilter,
  tagFilter,
  trackFilter,
  workspaceFilter,
} from './filters.ts'

/** What the index needs to know of a card. */
export type IndexedCard = {
  card_id: string
  workspace_id: string
  owner_id: string
  status: 'unpublished' | 'published'
  card_type: CardType
  title: string
  symptom: string
  fix_summary: string
  root_cause: string | null
  body: string | null
  steps: readonly { action?: unknown; result?: unknown }[]
  tags: readonly string[]
  environment: Readonly<Record<string, string>>
}

/** A card as the engines keep it. */
export type SearchDocument = {
  words: Set<string>
  /** Sorted; `levels` says how much each occurs. */
  hashes: Uint32Array
  levels: Uint8Array
  /** In words, without weights. */
  length: number
  filters: number[]
}

/** A word in the title or a tag says more about a card than one in its text. */
const titleWeight = 2
const textWeight = 1

const highestLevel = 31
const levelsPerDoubling = 4

/** How often a term occurs, on a logarithmic scale of 32 steps: close enough for ranking, and it fits a byte. */
const levelOf = (frequency: number) =>
  Math.min(highestLevel, Math.max(0, Math.round(levelsPerDoubling * Math.log2(frequency))))

/** The frequency that each level stands for. */
export const frequencies: readonly number[] = Array.from(
  { length: highestLevel + 1 },
  (_, level) => 2 ** (level / levelsPerDoubling),
)

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The texts of a card in the order in which a reader meets them. */
export const textsOf = (card: IndexedCard): { weight: number; text: string }[] => [
  { weight: titleWeight, text: card.title },
  { weight: titleWeight, text: card.tags.join(' , ') },
  { weight: textWeight, text: card.symptom },
  { weight: textWeight, text: card.root_cause ?? '' },
  { weight: textWeight, text: card.fix_summary },
  ...card.steps.flatMap((step) => [
    { weight: textWeight, text: asText(step.action) },
    { weight: textWeight, text: asText(step.result) },
  ]),
  { weight: textWeight, text: card.body ?? '' },
  { weight: textWeight, text: Object.entries(card.environment).flat().join(' , ') },
]

export function documentOf(card: IndexedCard, isPublicPlace: boolean): SearchDocument {
  const frequency = new Map<number, number>()
  const words = new Set<string>()
  let length = 0
  for (const { weight, text } of textsOf(card)) {
    const count: Emit = (reading) => {
      length += reading.words
      for (let i = 0; i < reading.hashes.length; i++) {
        const hash = reading.hashes[i] as number
        const before = frequency.get(hash)
        if (before === undefined) words.add(reading.terms[i] as string)
        frequency.set(hash, (before ?? 0) + weight)
      }
    }
    scan(text, count)
  }
  const hashes = Uint32Array.from(frequency.keys()).sort()
  const levels = Uint8Array.from(hashes, (hash) => levelOf(frequency.get(hash) ?? 1))
  return { words, hashes, levels, length, filters: filtersOf(card, isPublicPlace) }
}

/** Who may find the card, and what narrows a search, as terms of the index. */
function filtersOf(card: IndexedCard, isPublicPlace: boolean): number[] {
  const found = [
    ownerFilter(card.owner_id),
    ownerInFilter(card.owner_id, card.workspace_id),
    trackFilter(card.card_type === 'debug_fix' ? 'debug' : 'build'),
    ...card.tags.map(tagFilter),
    ...Object.entries(card.environment).flatMap(([name, value]) => environmentFilters(name, value)),
  ]
  if (card.status === 'published') found.push(workspaceFilter(card.workspace_id))
  if (card.status === 'published' && isPublicPlace) found.push(publicFilter)
  return [...new Set(found)].sort((a, b) => a - b)
}
