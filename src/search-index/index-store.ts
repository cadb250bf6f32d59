import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Ctx } from '../core/context.ts'
import { type Database, isSqlite } from '../db/db.ts'
import { insertRows, type Named, prepared } from '../db/prepared.ts'
import { isAmong, isAmongTexts, numberList, textList } from '../db/sql-values.ts'
import { ANALYSER_VERSION } from '../text/analyse.ts'
import { gramHash, hasTrigrams, trigramsOf } from '../text/term-hash.ts'
import type { ScopeBits } from './collect.ts'
import type { SearchDocument } from './document.ts'
import { type Candidate, type Match, type PackedDocument, pack, unpack } from './packing.ts'
import { BLOCK_DOCUMENTS, bundleOf, type PostingRow, type ReadRow, readRow } from './postings.ts'
import { type Word, wordsNumbered } from './vocabulary.ts'

/** Returns a cache with a limit in bytes. */
const cacheOf = <V extends {}, K extends {} = number>(maxBytes: number, bytesOf: (value: V) => number) =>
  new LRUCache<K, V>({ maxSize: Math.ceil(maxBytes), sizeCalculation: bytesOf })

const SLOTS = 2 ** 16

/** A number replaces the last one with the same low bits, so old ones are forgotten. */
export class SecondTimes {
  readonly #lately = new Uint32Array(SLOTS)

  isSecond(number: number): boolean {
    const slot = number % SLOTS
    if (this.#lately[slot] === number) return true
    this.#lately[slot] = number
    return false
  }
}

/** Approximate bytes per row besides its numbers. */
const ROW_BYTES = 300

const bytesOf = (rows: readonly ReadRow[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes + ROW_BYTES, ROW_BYTES)

/** Valid only for one `search_totals.list_changes`; every transaction that changes lists increments it. */
export class KeptLists {
  #state = -1
  readonly #rows: LRUCache<number, readonly ReadRow[]>

  constructor(mostBytes: number) {
    this.#rows = cacheOf(mostBytes, bytesOf)
  }

  rowsOf(state: number, key: number): readonly ReadRow[] | undefined {
    return state === this.#state ? this.#rows.get(key) : undefined
  }

  keep(state: number, key: number, rows: readonly ReadRow[]): void {
    // A replica may be behind; its older rows are not cached.
    if (state < this.#state) return
    if (state > this.#state) {
      this.#state = state
      this.#rows.clear()
    }
    this.#rows.set(key, rows)
  }
}

const SCOPE_BYTES = 300
const BLOCK_BYTES = (2 * BLOCK_DOCUMENTS) / 8

type Dead = IndexView['dead']

function areSame(some: Dead, others: Dead): boolean {
  if (some.size !== others.size) return false
  for (const [block, docs] of some) {
    const other = others.get(block)
    if (!other || Buffer.compare(docs, other) !== 0) return false
  }
  return true
}

/** Caches the documents of large scopes by name, valid for one state of lists and tombstones. */
export class KeptScopes {
  #state = -1
  #dead: Dead = new Map()
  readonly #bits: LRUCache<string, ScopeBits>

  constructor(mostBytes: number) {
    this.#bits = cacheOf(mostBytes, ({ blocks }) => SCOPE_BYTES + BLOCK_BYTES * blocks.size)
  }

  get({ state, dead }: IndexView, name: string): ScopeBits | undefined {
    return state === this.#state && areSame(dead, this.#dead) ? this.#bits.get(name) : undefined
  }

  keep({ state, dead }: IndexView, name: string, bits: ScopeBits): void {
    if (state !== this.#state || !areSame(dead, this.#dead)) {
      this.#state = state
      this.#dead = dead
      this.#bits.clear()
    }
    this.#bits.set(name, bits)
  }
}

const ENTRY_BYTES = 200
const CHARACTER_BYTES = 2
const SCOPE_WORD_BYTES = 300
const GRAM_BYTES = 8
const SHARES = { found: 0.5, spellings: 0.25, ofScopes: 0.25 }
/** In ms: changed counts with unchanged sums are noticed after this time. */
const VALID_MS = 10_000

/** Valid for one `VisibleCounts.state`, because the set of words changes only with the totals. */
export class KeptWords {
  #state = ''
  #until = Number.NEGATIVE_INFINITY
  readonly #found: LRUCache<string, Uint32Array>
  readonly spellings: LRUCache<number, string>
  readonly ofScopes: LRUCache<number, ScopeWord>

  constructor(mostBytes: number) {
    this.#found = cacheOf(mostBytes * SHARES.found, (hashes) => ENTRY_BYTES + hashes.byteLength)
    this.spellings = cacheOf(
      mostBytes * SHARES.spellings,
      (word) => ENTRY_BYTES + CHARACTER_BYTES * word.length,
    )
    this.ofScopes = cacheOf(
      mostBytes * SHARES.ofScopes,
      ({ word, grams }) => SCOPE_WORD_BYTES + CHARACTER_BYTES * word.length + GRAM_BYTES * grams.length,
    )
  }

  /** Returns the numbers of the words that a question found in this state. */
  async found(state: string, question: string, find: () => Promise<number[]>): Promise<Uint32Array> {
    if (state !== this.#state || performance.now() > this.#until) {
      this.#state = state
      this.#until = performance.now() + VALID_MS
      this.#found.clear()
    }
    const known = this.#found.get(question)
    if (known) return known
    const hashes = Uint32Array.from(await find())
    if (state === this.#state) this.#found.set(question, hashes)
    return hashes
  }
}

const CACHE_SHARES = { lists: 0.5, scopes: 0.05, documents: 0.3, words: 0.15 }

const CACHE_ENTRY_BYTES = 250
const NUMBER_BYTES = 8
const cachedBytes = ({ hashes, filters }: Candidate): number =>
  CACHE_ENTRY_BYTES + NUMBER_BYTES * (2 * hashes.length + filters.length)

type KeptIndex = {
  lists: KeptLists
  scopes: KeptScopes
  /** Numbers are never reused and entries never change, so only existence is checked. */
  documents: LRUCache<number, Candidate>
  /** An entry is cached at its second read. In a large vault most entries are read only once. */
  readDocuments: SecondTimes
  words: KeptWords
}

const kept = new WeakMap<Database, KeptIndex>()

export function keptIndex({ database, searchTuning: { keptBytes } }: Ctx): KeptIndex {
  let known = kept.get(database)
  if (!known) {
    known = {
      lists: new KeptLists(keptBytes * CACHE_SHARES.lists),
      scopes: new KeptScopes(keptBytes * CACHE_SHARES.scopes),
      documents: cacheOf(keptBytes * CACHE_SHARES.documents, cachedBytes),
      readDocuments: new SecondTimes(),
      words: new KeptWords(keptBytes * CACHE_SHARES.words),
    }
    kept.set(database, known)
  }
  return known
}

export type Entry = { documentId: string; document: SearchDocument }

/** A document that was in the index, and the analyser version of its words. */
type TakenDocument = Candidate & { analyser: number }

/** Inserts cards; returns those that already exist, unchanged. */
export async function addToIndex(ctx: Ctx, entries: readonly Entry[]): Promise<Entry[]> {
  const added = await addRows(
    ctx,
    entries.map(({ documentId, document }) => [documentId, ANALYSER_VERSION, pack(document)]),
  )
  if (added.length === entries.length) return []
  const isNew = new Set(added.map((row) => row.card_id))
  return entries.filter(({ documentId }) => !isNew.has(documentId))
}

export async function putBack(ctx: Ctx, documents: readonly TakenDocument[]): Promise<void> {
  await addRows(
    ctx,
    documents.map((document) => [document.documentId, document.analyser, pack(document)]),
  )
}

async function addRows(ctx: Ctx, rows: readonly [cardId: string, analyser: number, weights: Buffer][]) {
  const added = await insertRows<'search_docs', { doc_no: number; card_id: string }>(
    ctx.db,
    'search_docs',
    ['card_id', 'analyser', 'weights'],
    rows,
    'on conflict (card_id) do nothing returning doc_no, card_id',
  )
  await insertRows(
    ctx.db,
    'search_fresh',
    ['doc_no'],
    added.map((row) => [row.doc_no]),
  )
  return added
}

/** Removes cards and returns what they had. */
export async function takeFromIndex(ctx: Ctx, documentIds: readonly string[]): Promise<TakenDocument[]> {
  if (documentIds.length === 0) return []
  const rows = await ctx.db
    .deleteFrom('search_docs')
    .where('card_id', 'in', documentIds)
    .returning(['doc_no', 'card_id', 'analyser', 'weights'])
    .execute()
  if (rows.length > 0)
    await ctx.db
      .deleteFrom('search_fresh')
      .where(
        'doc_no',
        'in',
        rows.map((row) => row.doc_no),
      )
      .execute()
  return rows.map((row) => ({ ...unpack(row), analyser: row.analyser }))
}

const byNumber = prepared(
  'documentsByNumber',
  (db, parameter: Named<{ numbers: string }>) =>
    sql<PackedDocument>`select doc_no, card_id, weights from search_docs
      where ${isAmong(db, 'doc_no', parameter('numbers'))}`,
)

/** A cached entry may be deleted already: callers check `removedLately` and the tombstones. */
export async function documentsByNumber(ctx: Ctx, docNos: readonly number[]): Promise<Candidate[]> {
  const kept = keptIndex(ctx).documents
  const known: Candidate[] = []
  const unknown: number[] = []
  for (const docNo of docNos) {
    const document = kept.get(docNo)
    if (document) known.push(document)
    else unknown.push(docNo)
  }
  return unknown.length > 0 ? [...known, ...(await readByNumber(ctx, unknown))] : known
}

async function readByNumber(ctx: Ctx, docNos: readonly number[]): Promise<Candidate[]> {
  const read = (await byNumber(ctx.db, { numbers: numberList(ctx.db, docNos) })).map(unpack)
  keepRead(ctx, read)
  return read
}

function keepRead(ctx: Ctx, read: readonly Candidate[]): void {
  if (ctx.transacting) return
  const { documents, readDocuments } = keptIndex(ctx)
  for (const document of read)
    if (readDocuments.isSecond(document.docNo)) documents.set(document.docNo, document)
}

const numbersNow = prepared('documentNumbers', (db, parameter: Named<{ ids: string }>) =>
  db
    .selectFrom('search_docs')
    .select(['card_id', 'doc_no'])
    .where(isAmongTexts(db, 'card_id', parameter('ids'))),
)

/** Returns the current numbers of documents. A document gets a new number when it changes. */
export async function numbersOf(ctx: Ctx, documentIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await numbersNow(ctx.db, { ids: textList(documentIds) })
  return new Map(rows.map(({ card_id, doc_no }) => [card_id, doc_no]))
}

/** Returns up to `limit` documents whose ids the query returns as `card_id`. */
export async function documentsNamedBy(
  ctx: Ctx,
  ids: RawBuilder<{ card_id: string }>,
  limit: number,
): Promise<Candidate[]> {
  const found = await sql<PackedDocument>`
    select search_docs.doc_no, search_docs.card_id, search_docs.weights
    from (${ids}) as named inner join search_docs on search_docs.card_id = named.card_id
    limit +${limit}`.execute(ctx.db)
  return found.rows.map(unpack)
}

const newestFresh = prepared('freshDocuments', (db, parameter: Named<{ limit: number }>) =>
  db.selectFrom('search_fresh').select('doc_no').orderBy('doc_no', 'desc').limit(parameter('limit')),
)

/** Returns cards that are in no posting list yet, newest first. */
export async function freshDocuments(ctx: Ctx, limit: number): Promise<Candidate[]> {
  const numbers = (await newestFresh(ctx.db, { limit })).map((row) => row.doc_no)
  if (numbers.length === 0) return []
  return (await documentsByNumber(ctx, numbers)).sort((a, b) => b.docNo - a.docNo)
}

const listState = prepared('postingListState', (db) => db.selectFrom('search_totals').select('list_changes'))

const stateOfLists = async (ctx: Ctx): Promise<number> => (await listState(ctx.db, {}))[0]?.list_changes ?? 0

/** The first row holds the state instead of bytes. */
type ListRow = PostingRow | { run: number; key: number; docs: null }

const rowsByKey = prepared('postingRowsByKey', (db, parameter: Named<{ keys: string }>) =>
  isSqlite(db)
    ? // In SQLite's scan order: run by run, one look-up per key.
      sql<ListRow>`select list_changes as run, 0 as key, null as docs from search_totals
        union all select p.run, p.key, p.docs from search_runs
        cross join json_each(${parameter('keys')}) as asked
        cross join search_postings as p on p.run = search_runs.run and p.key = asked.value`
    : sql<ListRow>`select list_changes as run, 0 as key, null as docs from search_totals
        union all select p.run, p.key, p.docs from search_runs
        inner join search_postings as p on p.run = search_runs.run
        where p.key = any (${parameter('keys')}::integer[])`,
)

/** One statement, so that rows and state belong together. */
async function postingsOf(ctx: Ctx, keys: Iterable<number>): Promise<{ state: number; rows: PostingRow[] }> {
  const found = await rowsByKey(ctx.db, { keys: numberList(ctx.db, keys) })
  const state = found.find(({ docs }) => docs === null)?.run ?? 0
  return { state, rows: found.filter((row): row is PostingRow => row.docs !== null) }
}

/** Call it in every transaction that changes posting lists. */
export const noteChangedLists = async (ctx: Ctx): Promise<void> => {
  await ctx.db
    .updateTable('search_totals')
    .set((eb) => ({ list_changes: eb('list_changes', '+', 1) }))
    .execute()
}

const goneNotes = prepared('goneDocuments', (db) =>
  db.selectFrom('search_changes').select('gone').where('gone', '!=', ''),
)

/** Read these before the tombstones: counting moves numbers from here to there. */
const removedLately = async (ctx: Ctx): Promise<Set<number>> =>
  new Set((await goneNotes(ctx.db, {})).flatMap(({ gone }) => gone.split(' ').map(Number)))

const allDead = prepared('deadDocuments', (db) => db.selectFrom('search_dead').selectAll())

const deadCards = (ctx: Ctx) => allDead(ctx.db, {})

/**
 * Reads removed documents first, then fresh ones, then the state, then lists. A document that moves in between
 * is then seen twice, never missed.
 */
export type IndexView = {
  fresh: readonly Candidate[]
  /** Documents removed a moment ago, without a tombstone yet. */
  gone: ReadonlySet<number>
  /** Removed documents by block; lists may still contain them. */
  dead: ReadonlyMap<number, Uint8Array>
  /** Grows with every change of posting lists; data read may already be of a later state. */
  state: number
  /** Returns the rows with the lists of these words and filters; other lists may share a row. */
  rowsOf: (hashes: Iterable<number>) => Promise<ReadRow[]>
}

const keysOf = (hashes: Iterable<number>): Set<number> =>
  new Set(Array.from(hashes, (hash) => [hash, bundleOf(hash)]).flat())

export async function viewIndex(ctx: Ctx): Promise<IndexView> {
  const gone = await removedLately(ctx)
  const fresh = await freshDocuments(ctx, ctx.searchTuning.freshRead)
  const dead = new Map((await deadCards(ctx)).map(({ block, docs }) => [block, docs]))
  const state = await stateOfLists(ctx)
  const kept = keptIndex(ctx).lists
  const known = new Map<number, readonly ReadRow[]>()
  const rowsOf = async (hashes: Iterable<number>) => {
    const keys = keysOf(hashes)
    const unread: number[] = []
    for (const key of keys) {
      if (known.has(key)) continue
      const rows = kept.rowsOf(state, key)
      if (rows) known.set(key, rows)
      else unread.push(key)
    }
    if (unread.length > 0) {
      const { state: stateRead, rows } = await postingsOf(ctx, unread)
      const read = Map.groupBy(rows, ({ key }) => key)
      for (const key of unread) {
        const lists = (read.get(key) ?? []).map(readRow)
        known.set(key, lists)
        if (!ctx.transacting) kept.keep(stateRead, key, lists)
      }
    }
    return Array.from(keys, (key) => known.get(key) ?? []).flat()
  }
  return { fresh, gone, dead, state, rowsOf }
}

export type ScopeWord = Word & { grams: readonly number[]; gramBits: number }

const bitsOf = (numbers: readonly number[]): number =>
  numbers.reduce((bits, number) => bits | (1 << number), 0)

function withGrams({ hash, word }: Word): ScopeWord {
  const grams = hasTrigrams(word) ? trigramsOf(word).map(gramHash) : []
  return { hash, word, grams, gramBits: bitsOf(grams) }
}

export async function wordsOfDocuments(ctx: Ctx, documents: readonly Candidate[]): Promise<ScopeWord[]> {
  const { ofScopes } = keptIndex(ctx).words
  const words: ScopeWord[] = []
  const unread: number[] = []
  for (const hash of new Set(documents.flatMap(({ hashes }) => hashes))) {
    const word = ofScopes.get(hash)
    if (word) words.push(word)
    else unread.push(hash)
  }
  if (unread.length === 0) return words
  const read = (await wordsNumbered(ctx, unread)).map(withGrams)
  if (!ctx.transacting) for (const word of read) ofScopes.set(word.hash, word)
  return [...words, ...read]
}

export function havingGrams(words: readonly ScopeWord[], match: Match): ScopeWord[] {
  const lists = match.map((anyOf) => ({ anyOf, bits: bitsOf(anyOf) }))
  return words.filter(({ grams, gramBits }) =>
    lists.every(({ anyOf, bits }) => (gramBits & bits) !== 0 && anyOf.some((gram) => grams.includes(gram))),
  )
}
