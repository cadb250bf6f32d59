import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { gramHash, hasTrigrams, trigramsOf } from '../text/trigrams.ts'
import type { Match } from './match.ts'
import { type CountedWord, freshAmong, unusedAmong } from './word-changes.ts'
import type { WordStore } from './word-store.ts'

const token = (number: number) => number.toString(36)
const tokens = (numbers: Iterable<number>) => Array.from(numbers, token).join(' ')

/** Only digits and small letters ever reach FTS5, so there is no query syntax to escape from. */
const matchExpression = (match: Match) =>
  match.map((anyOf) => `(${anyOf.map(token).join(' OR ')})`).join(' AND ')

async function drop(ctx: Ctx, hashes: readonly number[]): Promise<void> {
  if (hashes.length === 0) return
  const list = JSON.stringify(hashes)
  await sql`delete from search_words where hash in (select value from json_each(${list}))`.execute(ctx.db)
  await sql`delete from search_grams where rowid in (select value from json_each(${list}))`.execute(ctx.db)
}

export const sqliteWords: WordStore = {
  async count(ctx, changes) {
    const counts = JSON.stringify(changes.map(({ hash, delta, publicDelta }) => [hash, delta, publicDelta]))
    const { rows: counted } = await sql<CountedWord>`
      update search_words set cards = cards + (change.value ->> 1), public_cards = public_cards + (change.value ->> 2)
      from json_each(${counts}) as change where hash = change.value ->> 0
      returning hash, cards, public_cards`.execute(ctx.db)
    await drop(ctx, unusedAmong(counted))
    const fresh = freshAmong(changes, counted)
    if (fresh.length === 0) return
    const rows = JSON.stringify(
      fresh.map(({ hash, word, delta, publicDelta }) => [hash, word, delta, publicDelta]),
    )
    const inserted = await sql<{ hash: number; word: string }>`
      insert into search_words (hash, word, cards, public_cards)
      select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${rows}) where true
      on conflict (hash) do nothing returning hash, word`.execute(ctx.db)
    const grams = inserted.rows
      .filter(({ word }) => hasTrigrams(word))
      .map(({ hash, word }) => [hash, tokens(new Set(trigramsOf(word).map(gramHash)))])
    await sql`
      insert into search_grams (rowid, grams)
      select value ->> 0, value ->> 1 from json_each(${JSON.stringify(grams)})`.execute(ctx.db)
  },

  async findPublic(ctx, match, limit) {
    const found = await sql<{ hash: number }>`
      select hash from search_words where public_cards > 0 and hash in (
        select rowid from search_grams where search_grams match ${matchExpression(match)})
      order by public_cards desc, hash limit +${limit}`.execute(ctx.db)
    return found.rows.map(({ hash }) => hash)
  },

  async findAny(ctx, match, limit) {
    const found = await sql<{ hash: number }>`
      select rowid as hash from search_grams where search_grams match ${matchExpression(match)}
      limit +${limit}`.execute(ctx.db)
    return found.rows.map(({ hash }) => hash)
  },
}
