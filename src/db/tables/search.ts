import type { Generated } from 'kysely'

/**
 * One row per indexed card. What differs between the engines (the terms and how often they occur) is written and
 * read in features/search/index.sqlite.ts and index.postgres.ts; these columns are the same on both.
 */
export type SearchDocsTable = {
  doc_no: Generated<number>
  card_id: string
  /** By which analyser the card was read; see analyserVersion. */
  analyser: number
}

/** Every word of every card, and in how many cards it occurs: what the planner and the trigram path ask. */
export type SearchWordsTable = {
  word_no: Generated<number>
  hash: number
  word: string
  cards: number
}

/**
 * What card writes have added to and taken from the counts, until a background job folds it in. Writers only ever
 * append here: were they to count up the shared rows of common words, they would all wait for one another.
 */
export type SearchChangesTable = {
  change_no: Generated<number>
  cards: number
  length: number
  /** Words that came, separated by spaces. */
  added: string
  /** Hashes of words that went, separated by spaces. */
  removed: string
}

/** One row: how many cards are counted, and how many words they have together. */
export type SearchTotalsTable = { id: 1; cards: number; length: number }

export type SearchTables = {
  search_docs: SearchDocsTable
  search_words: SearchWordsTable
  search_changes: SearchChangesTable
  search_totals: SearchTotalsTable
}
