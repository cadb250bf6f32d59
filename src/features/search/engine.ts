import type { Expression, SqlBool } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { SearchDocument } from './document.ts'
import { postgresIndex } from './index.postgres.ts'
import { sqliteIndex } from './index.sqlite.ts'

/** One of these must be there, from each list: an AND of ORs over index numbers. */
export type Match = readonly (readonly number[])[]

/** A candidate with what scoring needs. `hashes` is sorted; `levels[i]` belongs to `hashes[i]`. */
export type Candidate = {
  docNo: number
  cardId: string
  length: number
  hashes: ArrayLike<number>
  levels: ArrayLike<number>
}

export type Word = { word: string; hash: number; cards: number }

/** Where the two engines differ, and nothing else: how terms are kept and how candidates are found by them. */
export type SearchIndex = {
  /** Puts a card in; false where it is in already. */
  write: (ctx: Ctx, cardId: string, document: SearchDocument) => Promise<boolean>
  /** Takes the card out and returns what it had, or undefined where it had nothing. */
  remove: (ctx: Ctx, cardId: string) => Promise<Candidate | undefined>
  /** Up to `limit` cards that match, with all of their words or at least `words`. Of more, SQLite takes the newest. */
  find: (ctx: Ctx, match: Match, limit: number, words?: readonly number[]) => Promise<Candidate[]>
  /** Up to `limit` cards on which a condition over `cards` holds, with all of their words or at least `words`. */
  read: (
    ctx: Ctx,
    condition: Expression<SqlBool>,
    limit: number,
    words?: readonly number[],
  ) => Promise<Candidate[]>
  /** Counts words up or down; words that are new get their trigrams. */
  countWords: (ctx: Ctx, changes: readonly WordChange[]) => Promise<void>
  /** Words whose trigrams match, the most used first. */
  findWords: (ctx: Ctx, match: Match, limit: number) => Promise<Word[]>
}

export type WordChange = { hash: number; word: string | undefined; delta: number }

export const indexOf = (ctx: Ctx): SearchIndex =>
  ctx.database.engine === 'sqlite' ? sqliteIndex : postgresIndex
