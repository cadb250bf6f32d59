import type { CardType, ReviewStatus } from '../../../db/tables/cards.ts'
import {
  makeDocument,
  PUBLIC_FILTER,
  type SearchDocument,
  type WeighedText,
} from '../../../search-index/index.ts'
import { trackOf } from '../card-type.ts'
import {
  environmentFilters,
  ownerFilter,
  ownerInFilter,
  publishedFromFilter,
  tagFilter,
  trackFilter,
  typeFilter,
  workspaceFilter,
} from './filters.ts'

/** What the index needs to know of a card. */
export type IndexedCard = {
  card_id: string
  workspace_id: string
  origin_workspace_id: string
  owner_id: string
  status: 'unpublished' | 'published'
  review_status: ReviewStatus
  hidden_at: string | null
  card_type: CardType
  title: string
  symptom: string
  fix_summary: string
  root_cause: string | null
  body: string | null
  steps: readonly { action?: unknown; result?: unknown }[]
  tags: readonly string[]
  environment: Readonly<Record<string, string>>
  scope_notes: string | null
  /** As `evidenceTexts` of the cards gives them. */
  evidence_texts: readonly string[]
}

/** A word in the title or a tag says more about a card than one in its text. */
const TITLE_WEIGHT = 2
const TEXT_WEIGHT = 1

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The texts of a card in the order in which a reader meets them. */
const textsOf = (card: IndexedCard): WeighedText[] => [
  { weight: TITLE_WEIGHT, text: card.title },
  { weight: TITLE_WEIGHT, text: card.tags.join(' , ') },
  { weight: TEXT_WEIGHT, text: card.symptom },
  { weight: TEXT_WEIGHT, text: card.root_cause ?? '' },
  { weight: TEXT_WEIGHT, text: card.fix_summary },
  ...card.steps.flatMap((step) => [
    { weight: TEXT_WEIGHT, text: asText(step.action) },
    { weight: TEXT_WEIGHT, text: asText(step.result) },
  ]),
  { weight: TEXT_WEIGHT, text: card.body ?? '' },
  { weight: TEXT_WEIGHT, text: Object.entries(card.environment).flat().join(' , ') },
]

/** Only this much of the notes: a snippet is not looked for beyond it. */
const LONGEST_NOTES = 20_000

const minorTextsOf = ({ scope_notes, evidence_texts }: IndexedCard): string[] => [
  (scope_notes ?? '').slice(0, LONGEST_NOTES),
  ...evidence_texts,
]

export const documentOf = (card: IndexedCard, isInPublicWorkspace: boolean): SearchDocument =>
  makeDocument({
    texts: textsOf(card),
    minorTexts: minorTextsOf(card),
    filters: filtersOf(card, isInPublicWorkspace),
  })

/** For a check of the words alone: filters depend on the workspace too. */
export const wordsOnly = (card: IndexedCard) => ({
  documentId: card.card_id,
  document: documentOf(card, false),
})

/** Who may find the card, and what narrows a search, as terms of the index. */
function filtersOf(card: IndexedCard, isInPublicWorkspace: boolean): number[] {
  const found = [
    ownerFilter(card.owner_id),
    ownerInFilter(card.owner_id, card.workspace_id),
    typeFilter(card.card_type),
    trackFilter(trackOf(card.card_type)),
    ...card.tags.map(tagFilter),
    ...Object.entries(card.environment).flatMap(([name, value]) => environmentFilters(name, value)),
  ]
  const isShown = card.status === 'published' && card.hidden_at === null
  if (isShown) found.push(workspaceFilter(card.workspace_id))
  if (isShown && card.review_status === 'passed' && isInPublicWorkspace) {
    found.push(PUBLIC_FILTER)
    if (card.origin_workspace_id !== card.workspace_id)
      found.push(publishedFromFilter(card.origin_workspace_id))
  }
  return [...new Set(found)].sort((a, b) => a - b)
}
