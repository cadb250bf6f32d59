import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { analyserVersion } from './analyse.ts'
import type { Candidate, Match, SearchIndex, Word } from './engine.ts'
import { gramHash, hasTrigrams, trigramsOf } from './trigrams.ts'

const array = (numbers: Iterable<number>) => `{${Array.from(numbers).join(',')}}`

/** Each list becomes one overlap condition; GIN answers all of them in one scan. */
const matches = (column: string, match: Match) =>
  sql.join(
    match.map((anyOf) => sql`${sql.ref(column)} && ${array(anyOf)}::integer[]`),
    sql` and `,
  )

type Row = { doc_no: number; card_id: string; length: number; terms: string; levels: Buffer }

/** Read from the text form by hand: the driver's own array parser takes longer than the whole query. */
function numbersOf(text: string, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  let at = 1
  for (let i = 0; i < count; i++) {
    let number = 0
    for (let code = text.charCodeAt(at); code >= 48; code = text.charCodeAt(++at))
      number = number * 10 + code - 48
    numbers[i] = number
    at++
  }
  return numbers
}

/** Words come before filters in the sorted array, so the first `levels.length` numbers are the words. */
const unpack = ({ doc_no, card_id, length, terms, levels }: Row): Candidate => ({
  docNo: doc_no,
  cardId: card_id,
  length,
  hashes: numbersOf(terms, levels.length),
  levels,
})

const columns = sql`doc_no, card_id, length, terms::text as terms, levels`

type AskedRow = { doc_no: number; card_id: string; length: number; asked: string }

const absent = 32
const firstLevel = absent + 1

/** One sign for each asked word: how often the card has it. The arrays are sorted, so each is a binary search. */
const askedColumns = (words: readonly number[]) => {
  const signs = words.map((word) => {
    const place = sql`width_bucket(${sql.lit(word)}, terms)`
    return sql`chr(case when terms[${place}] = ${sql.lit(word)} then ${sql.lit(firstLevel)} + get_byte(levels, ${place} - 1)
      else ${sql.lit(absent)} end)`
  })
  const asked = signs.length > 0 ? sql.join(signs, sql` || `) : sql`''`
  return sql`doc_no, card_id, length, ${asked} as asked`
}

const unpackAsked = (rows: readonly AskedRow[], words: readonly number[]): Candidate[] =>
  rows.map(({ doc_no, card_id, length, asked }) => {
    const hashes: number[] = []
    const levels: number[] = []
    words.forEach((word, i) => {
      const level = asked.charCodeAt(i) - firstLevel
      if (level < 0) return
      hashes.push(word)
      levels.push(level)
    })
    return { docNo: doc_no, cardId: card_id, length, hashes, levels }
  })

/** With all their words, or, far faster, with the asked ones. */
async function candidates(
  ctx: Ctx,
  from: RawBuilder<unknown>,
  words: readonly number[] | undefined,
): Promise<Candidate[]> {
  if (!words) return (await sql<Row>`select ${columns} from ${from}`.execute(ctx.db)).rows.map(unpack)
  const asked = [...new Set(words)].sort((a, b) => a - b)
  const found = await sql<AskedRow>`select ${askedColumns(asked)} from ${from}`.execute(ctx.db)
  return unpackAsked(found.rows, asked)
}

export const postgresIndex: SearchIndex = {
  async write(ctx, cardId, { hashes, levels, length, filters }) {
    const written = await sql`
      insert into search_docs (card_id, analyser, length, terms, levels)
      values (${cardId}, ${analyserVersion}, ${length}, ${array([...hashes, ...filters])}::integer[],
        ${Buffer.from(levels)})
      on conflict (card_id) do nothing`.execute(ctx.db)
    return written.numAffectedRows === 1n
  },

  async remove(ctx, cardId) {
    const found = await sql<Row>`
      delete from search_docs where card_id = ${cardId} returning ${columns}`.execute(ctx.db)
    return found.rows[0] && unpack(found.rows[0])
  },

  find: (ctx, match, limit, words) =>
    candidates(ctx, sql`search_docs where ${matches('terms', match)} limit ${limit}`, words),

  read: (ctx, condition, limit, words) =>
    candidates(
      ctx,
      sql`cards inner join search_docs using (card_id) where ${condition} limit ${limit}`,
      words,
    ),

  async countWords(ctx, changes) {
    const updated = await sql<{ hash: number }>`
      update search_words set cards = cards + change.delta
      from unnest(${array(changes.map((c) => c.hash))}::integer[], ${array(changes.map((c) => c.delta))}::integer[])
        as change (hash, delta)
      where search_words.hash = change.hash returning search_words.hash`.execute(ctx.db)
    const known = new Set(updated.rows.map((row) => row.hash))
    const fresh = changes.filter((change) => change.word !== undefined && !known.has(change.hash))
    if (fresh.length === 0) return
    const grams = fresh.map(({ word = '' }) =>
      array(hasTrigrams(word) ? new Set(trigramsOf(word).map(gramHash)) : []),
    )
    await sql`
      insert into search_words (hash, word, cards, grams)
      select hash, word, cards, grams::integer[] from unnest(
        ${array(fresh.map((c) => c.hash))}::integer[], ${fresh.map((c) => c.word)}::text[],
        ${array(fresh.map((c) => Math.max(0, c.delta)))}::integer[], ${grams}::text[])
        as fresh (hash, word, cards, grams)
      on conflict (hash) do nothing`.execute(ctx.db)
  },

  async findWords(ctx, match, limit) {
    const found = await sql<Word>`
      select hash, word, cards from search_words where ${matches('grams', match)} and cards > 0
      order by cards desc limit ${limit}`.execute(ctx.db)
    return found.rows
  },
}
