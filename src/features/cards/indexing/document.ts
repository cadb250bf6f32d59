import type { CardType, ReviewStatus } from '../../../db/tables/cards.ts'
import { PUBLIC_FILTER } from '../../../search-index/public-documents.ts'
import { type Emit, scan } from '../../../text/analyse.ts'
import {
  environmentFilters,
  ownerFilter,
  ownerInFilter,
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
  review_status: ReviewStatus
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
  words: string[]
  /** Sorted; `levels` says how much each occurs. */
  hashes: number[]
  levels: number[]
  /** In words, without weights. */
  length: number
  filters: number[]
}

/** A word in the title or a tag says more about a card than one in its text. */
const titleWeight = 2
const textWeight = 1

const highestLevel = 31
const levelsPerDoubling = 4

const levelFor = (frequency: number) =>
  Math.min(highestLevel, Math.max(0, Math.round(levelsPerDoubling * Math.log2(frequency))))

const commonLevels = Uint8Array.from({ length: 64 }, (_, frequency) => levelFor(frequency))

/** How often a term occurs, on a logarithmic scale of 32 steps: close enough for ranking, and it fits a byte. */
const levelOf = (frequency: number) => commonLevels[frequency] ?? levelFor(frequency)

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

let scratch = new Uint32Array(4096)

/** Numbers sort many times faster in typed arrays, and a new one for each card is what the garbage collector dreads. */
function sorted(numbers: Iterable<number>, size: number): number[] {
  if (size > scratch.length) scratch = new Uint32Array(size * 2)
  let next = 0
  for (const number of numbers) scratch[next++] = number
  return Array.from(scratch.subarray(0, size).sort())
}

export function documentOf(card: IndexedCard, isPublicPlace: boolean): SearchDocument {
  const frequency = new Map<number, number>()
  const words: string[] = []
  let length = 0
  let weight = textWeight
  const count: Emit = (reading) => {
    const { hashes } = reading
    length += reading.words
    for (let i = 0; i < hashes.length; i++) {
      const hash = hashes[i] as number
      const before = frequency.get(hash)
      if (before === undefined) words.push(reading.terms[i] as string)
      frequency.set(hash, (before ?? 0) + weight)
    }
  }
  for (const part of textsOf(card)) {
    weight = part.weight
    scan(part.text, count)
  }
  const hashes = sorted(frequency.keys(), frequency.size)
  const levels = hashes.map((hash) => levelOf(frequency.get(hash) ?? 1))
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
  if (card.status === 'published' && card.review_status === 'passed' && isPublicPlace)
    found.push(PUBLIC_FILTER)
  return [...new Set(found)].sort((a, b) => a - b)
}
