import { sql } from 'kysely'
import { gramHash, hasTrigrams, trigramsOf } from '../text/trigrams.ts'
import type { Match } from './match.ts'
import { type CountedWord, freshAmong, unusedAmong } from './word-changes.ts'
import type { WordStore } from './word-store.ts'

const array = (numbers: Iterable<number>) => `{${Array.from(numbers).join(',')}}`

/** Each list becomes one overlap condition; GIN answers all of them in one scan. */
const matches = (match: Match) =>
  sql.join(
    match.map((anyOf) => sql`grams && ${array(anyOf)}::integer[]`),
    sql` and `,
  )

export const postgresWords: WordStore = {
  async count(ctx, changes) {
    const { rows: counted } = await sql<CountedWord>`
      update search_words
      set cards = cards + change.delta, public_cards = public_cards + change.public_delta
      from unnest(${array(changes.map((c) => c.hash))}::integer[], ${array(changes.map((c) => c.delta))}::integer[],
        ${array(changes.map((c) => c.publicDelta))}::integer[]) as change (hash, delta, public_delta)
      where search_words.hash = change.hash
      returning search_words.hash, search_words.cards, search_words.public_cards`.execute(ctx.db)
    const unused = unusedAmong(counted)
    if (unused.length > 0)
      await sql`delete from search_words where hash = any(${array(unused)}::integer[])`.execute(ctx.db)
    const fresh = freshAmong(changes, counted)
    if (fresh.length === 0) return
    const grams = fresh.map(({ word }) =>
      array(hasTrigrams(word) ? new Set(trigramsOf(word).map(gramHash)) : []),
    )
    await sql`
      insert into search_words (hash, word, cards, public_cards, grams)
      select hash, word, cards, public_cards, grams::integer[] from unnest(
        ${array(fresh.map((c) => c.hash))}::integer[], ${fresh.map((c) => c.word)}::text[],
        ${array(fresh.map((c) => c.delta))}::integer[],
        ${array(fresh.map((c) => c.publicDelta))}::integer[], ${grams}::text[])
        as fresh (hash, word, cards, public_cards, grams)
      on conflict (hash) do nothing`.execute(ctx.db)
  },

  async findPublic(ctx, match, limit) {
    const found = await sql<{ hash: number }>`
      select hash from search_words where ${matches(match)} and public_cards > 0
      order by public_cards desc, hash limit ${limit}`.execute(ctx.db)
    return found.rows.map(({ hash }) => hash)
  },

  async findAny(ctx, match, limit) {
    const found = await sql<{ hash: number }>`
      select hash from search_words where ${matches(match)} limit ${limit}`.execute(ctx.db)
    return found.rows.map(({ hash }) => hash)
  },
}
