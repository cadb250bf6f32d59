import type { Generated } from 'kysely'

/** One row per indexed card: its words and how often each occurs; see search-index/packing.ts. */
export type SearchDocsTable = {
  doc_no: Generated<number>
  card_id: string
  /** The version of the analyser that read the card. */
  analyser: number
  weights: Uint8Array
}

/** Cards that are in no posting list yet. */
export type SearchFreshTable = { doc_no: number }

/** The runs of the index, each with the number of its cards that were gone when it was last written. */
export type SearchRunsTable = { run: number; dead: number }

/** Which cards of a run have a word, or pass a filter; see search-index/postings.ts. */
export type SearchPostingsTable = { run: number; key: number; docs: Uint8Array }

/** Cards of a block that are gone from the index, though posting lists may still have them. */
export type SearchDeadTable = { block: number; docs: Uint8Array }

/** Every word of every card, and in how many cards it occurs: what the planner and the trigram path ask. */
export type SearchWordsTable = {
  hash: number
  word: string
  /** In all cards: how long its posting lists are. It never weighs a word. */
  cards: number
  /** In cards that everybody may find. */
  public_cards: Generated<number>
}

/**
 * What card writes have added to and taken from the counts, a row for each write, until a background job folds it in. Writers only ever
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
  /** Numbers that cards had in the index before, separated by spaces. */
  gone: string
  /** 1: all of this concerns cards that everybody may find. */
  is_public: Generated<number>
}

/** One row, of the index as a whole: how many cards are counted, and how many words they have together; of all, and of those that everybody may find. */
export type SearchTotalsTable = {
  id: 1
  cards: number
  length: number
  public_cards: Generated<number>
  public_length: Generated<number>
  /** How often posting lists were changed. */
  list_changes: Generated<number>
}

export type SearchTables = {
  search_docs: SearchDocsTable
  search_fresh: SearchFreshTable
  search_runs: SearchRunsTable
  search_postings: SearchPostingsTable
  search_dead: SearchDeadTable
  search_words: SearchWordsTable
  search_changes: SearchChangesTable
  search_totals: SearchTotalsTable
}
