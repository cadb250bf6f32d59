import type { Ctx } from '../core/context.ts'
import type { Match } from './match.ts'
import type { WordChange } from './word-changes.ts'
import { postgresWords } from './words.postgres.ts'
import { sqliteWords } from './words.sqlite.ts'

export type Word = { word: string; hash: number }

/** Where the two engines differ, and nothing else: how words are counted in bulk and found by trigrams. */
export type WordStore = {
  /** Counts words up or down. Words that are new get their trigrams, and those that no card has any more go. */
  count: (ctx: Ctx, changes: readonly WordChange[]) => Promise<void>
  /** Public words whose trigrams match, the most used in public first. */
  findPublic: (ctx: Ctx, match: Match, limit: number) => Promise<number[]>
  /** Any words whose trigrams match. Which of them the asker may know of is for the caller to check. */
  findAny: (ctx: Ctx, match: Match, limit: number) => Promise<number[]>
}

export const wordStore = (ctx: Ctx): WordStore =>
  ctx.database.engine === 'sqlite' ? sqliteWords : postgresWords
