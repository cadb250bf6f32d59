import { isDeepStrictEqual } from 'node:util'
import { Work } from '../../../core/work.ts'
import type { CardType, ReviewStatus } from '../../../db/tables/cards.ts'
import {
  countWords,
  type DocumentTexts,
  type DocumentWords,
  PUBLIC_FILTER,
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

/** What a card says. */
export type CardTexts = Pick<
  IndexedCard,
  | 'title'
  | 'symptom'
  | 'fix_summary'
  | 'root_cause'
  | 'body'
  | 'steps'
  | 'tags'
  | 'environment'
  | 'scope_notes'
  | 'evidence_texts'
>

/** A word in the title or a tag says more about a card than one in its text. */
const TITLE_WEIGHT = 2
const TEXT_WEIGHT = 1

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Only this much of the notes: a snippet is not looked for beyond it. */
const LONGEST_NOTES = 20_000

/** The texts of a card, those that say most about it first. */
const textsOf = (card: CardTexts): DocumentTexts => ({
  mainTexts: [
    { weight: TITLE_WEIGHT, text: card.title },
    { weight: TITLE_WEIGHT, text: card.tags.join(' , ') },
    { weight: TEXT_WEIGHT, text: card.symptom },
    { weight: TEXT_WEIGHT, text: card.fix_summary },
  ],
  texts: [
    { weight: TEXT_WEIGHT, text: card.root_cause ?? '' },
    ...card.steps.flatMap((step) => [
      { weight: TEXT_WEIGHT, text: asText(step.action) },
      { weight: TEXT_WEIGHT, text: asText(step.result) },
    ]),
    { weight: TEXT_WEIGHT, text: Object.entries(card.environment).flat().join(' , ') },
    { weight: TEXT_WEIGHT, text: card.body ?? '' },
  ],
  minorTexts: [(card.scope_notes ?? '').slice(0, LONGEST_NOTES), ...card.evidence_texts],
})

/** The words of a card, and the texts that they were counted in. */
export type CardWords = DocumentWords & { of: DocumentTexts }

/** Counts the words of a card. Call it before the transaction: it takes longer than the statements. */
export async function wordsOfCard(card: CardTexts, work: Work = new Work()): Promise<CardWords> {
  const texts = textsOf(card)
  return { ...(await work.inPieces(countWords(texts))), of: texts }
}

/** Whether words that were counted before are those of the card as it is now. */
export const isUpToDate = (words: CardWords, card: CardTexts): boolean =>
  isDeepStrictEqual(words.of, textsOf(card))

/** For a check of the words alone: filters depend on the workspace too. */
export const wordsOnly = async (card: IndexedCard) => ({
  documentId: card.card_id,
  words: await wordsOfCard(card),
})

/** Who may find the card, and what narrows a search, as terms of the index. */
export function filtersOf(card: Omit<IndexedCard, 'evidence_texts'>, isInPublicWorkspace: boolean): number[] {
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
