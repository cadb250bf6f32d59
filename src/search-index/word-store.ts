import type { Ctx } from '../core/context.ts'
import type { Match } from './match.ts'
import { postgresWords } from './words.postgres.ts'
import { sqliteWords } from './words.sqlite.ts'

export type Word = { word: string; hash: number; cards: number }

export type WordChange = { hash: number; word: string | undefined; delta: number }

/** Where the two engines differ, and nothing else: how words are counted in bulk and found by trigrams. */
export type WordStore = {
  /** Counts words up or down; words that are new get their trigrams. */
  count: (ctx: Ctx, changes: readonly WordChange[]) => Promise<void>
  /** Words whose trigrams match, the most used first. */
  find: (ctx: Ctx, match: Match, limit: number) => Promise<Word[]>
}

export const wordStore = (ctx: Ctx): WordStore =>
  ctx.database.engine === 'sqlite' ? sqliteWords : postgresWords
