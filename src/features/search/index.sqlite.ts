import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { analyserVersion } from './analyse.ts'
import type { SearchDocument } from './document.ts'
import type { Candidate, Match, SearchIndex, Word } from './engine.ts'
import { gramHash, hasTrigrams, trigramsOf } from './trigrams.ts'

const token = (number: number) => number.toString(36)
const tokens = (numbers: Iterable<number>) => Array.from(numbers, token).join(' ')

/** Only digits and small letters ever reach FTS5, so there is no query syntax to escape from. */
const matchExpression = (match: Match) =>
  match.map((anyOf) => `(${anyOf.map(token).join(' OR ')})`).join(' AND ')

const headerBytes = 4
const bytesPerTerm = 5

/** Length, then every hash, then every level: one column, read without a copy. */
function pack({ length, hashes, levels }: SearchDocument): Uint8Array {
  const bytes = new Uint8Array(headerBytes + hashes.length * bytesPerTerm)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, length, true)
  hashes.forEach((hash, i) => {
    view.setUint32(headerBytes + i * 4, hash, true)
  })
  bytes.set(levels, headerBytes + hashes.length * 4)
  return bytes
}

type Row = { doc_no: number; card_id: string; weights: Uint8Array }

/** The processors that Node 24 runs on are little-endian, so the bytes can be looked at as they are. */
function unpack({ doc_no, card_id, weights }: Row): Candidate {
  const terms = (weights.length - headerBytes) / bytesPerTerm
  const bytes = weights.byteOffset % 4 === 0 ? weights : weights.slice()
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, 1 + terms)
  return {
    docNo: doc_no,
    cardId: card_id,
    length: numbers[0] ?? 0,
    hashes: numbers.subarray(1),
    levels: bytes.subarray(headerBytes + terms * 4),
  }
}

async function rowOf(ctx: Ctx, cardId: string): Promise<Row | undefined> {
  const found = await sql<Row>`
    select doc_no, card_id, weights from search_docs where card_id = ${cardId}`.execute(ctx.db)
  return found.rows[0]
}

export const sqliteIndex: SearchIndex = {
  async write(ctx, cardId, document) {
    const written = await sql<{ doc_no: number }>`
      insert into search_docs (card_id, analyser, weights)
      values (${cardId}, ${analyserVersion}, ${pack(document)})
      on conflict (card_id) do nothing returning doc_no`.execute(ctx.db)
    const docNo = written.rows[0]?.doc_no
    if (docNo === undefined) return false
    const terms = `${tokens(document.hashes)} ${tokens(document.filters)}`
    await sql`insert into search_terms (rowid, terms) values (${docNo}, ${terms})`.execute(ctx.db)
    return true
  },

  async remove(ctx, cardId) {
    const row = await rowOf(ctx, cardId)
    if (!row) return undefined
    await sql`delete from search_terms where rowid = ${row.doc_no}`.execute(ctx.db)
    await sql`delete from search_docs where doc_no = ${row.doc_no}`.execute(ctx.db)
    return unpack(row)
  },

  async find(ctx, match, limit) {
    const found = await sql<Row>`
      select doc_no, card_id, weights from search_docs where doc_no in (
        select rowid from search_terms where search_terms match ${matchExpression(match)}
        order by rowid desc limit ${limit})`.execute(ctx.db)
    return found.rows.map(unpack)
  },

  async read(ctx, condition, limit) {
    const found = await sql<Row>`
      select doc_no, search_docs.card_id, weights from cards
      inner join search_docs on search_docs.card_id = cards.card_id
      where ${condition} limit ${limit}`.execute(ctx.db)
    return found.rows.map(unpack)
  },

  async countWords(ctx, changes) {
    const counts = JSON.stringify(changes.map(({ hash, delta }) => [hash, delta]))
    const updated = await sql<{ hash: number }>`
      update search_words set cards = cards + change.value ->> 1
      from json_each(${counts}) as change where hash = change.value ->> 0 returning hash`.execute(ctx.db)
    const known = new Set(updated.rows.map((row) => row.hash))
    const fresh = changes.filter((change) => change.word !== undefined && !known.has(change.hash))
    if (fresh.length === 0) return
    const rows = JSON.stringify(fresh.map(({ hash, word, delta }) => [hash, word, Math.max(0, delta)]))
    const inserted = await sql<{ word_no: number; word: string }>`
      insert into search_words (hash, word, cards)
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${rows}) where true
      on conflict (hash) do nothing returning word_no, word`.execute(ctx.db)
    const grams = inserted.rows
      .filter(({ word }) => hasTrigrams(word))
      .map(({ word_no, word }) => [word_no, tokens(new Set(trigramsOf(word).map(gramHash)))])
    await sql`
      insert into search_grams (rowid, grams)
      select value ->> 0, value ->> 1 from json_each(${JSON.stringify(grams)})`.execute(ctx.db)
  },

  async findWords(ctx, match, limit) {
    const found = await sql<Word>`
      select hash, word, cards from search_words where cards > 0 and word_no in (
        select rowid from search_grams where search_grams match ${matchExpression(match)})
      order by cards desc limit ${limit}`.execute(ctx.db)
    return found.rows
  },
}
