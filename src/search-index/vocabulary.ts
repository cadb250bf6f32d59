import { type Selectable, sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import type { SearchChangesTable } from '../db/knowledge-schema.ts'
import { acquireLock } from '../db/locks.ts'
import { insertRow, type Named, prepared } from '../db/prepared.ts'
import { isAmong, numberList } from '../db/sql-values.ts'
import { gramHash, hasTrigrams, trigramsOf, wordHash } from '../text/term-hash.ts'
import type { SearchDocument } from './document.ts'
import { type Candidate, isPublic as isForAll, type Match } from './packing.ts'
import { BLOCK_DOCUMENTS, blockOf, decodeBitmap, emptyBitmap, encodeBitmap, setBit } from './postings.ts'

/** Marks numbers as deleted while posting lists still contain them. */
async function markDead(ctx: Ctx, docNos: readonly number[]): Promise<void> {
  for (const [block, some] of Map.groupBy(docNos, blockOf)) {
    const [row] = await ctx.db.selectFrom('search_dead').select('docs').where('block', '=', block).execute()
    const bitmap = row ? decodeBitmap(row.docs) : emptyBitmap()
    for (const docNo of some) setBit(bitmap, docNo % BLOCK_DOCUMENTS)
    const docs = encodeBitmap(bitmap)
    await ctx.db
      .insertInto('search_dead')
      .values({ block, docs })
      .onConflict((conflict) => conflict.column('block').doUpdateSet({ docs }))
      .execute()
  }
}

type WordChange = {
  hash: number
  word: string | undefined
  delta: number
  /** The part that concerns public cards. */
  publicDelta: number
}

type CountedWord = { hash: number; cards: number; public_cards: number }

/** A negative count is not unused: a note is still to be folded. */
const unusedAmong = (counted: readonly CountedWord[]): number[] =>
  counted.filter(({ cards, public_cards }) => cards === 0 && public_cards === 0).map(({ hash }) => hash)

function freshAmong(
  changes: readonly WordChange[],
  counted: readonly CountedWord[],
): (WordChange & { word: string })[] {
  const known = new Set(counted.map(({ hash }) => hash))
  return changes.flatMap((change) =>
    change.word === undefined || change.delta <= 0 || known.has(change.hash)
      ? []
      : [{ ...change, word: change.word, publicDelta: Math.max(0, change.publicDelta) }],
  )
}

const array = (numbers: Iterable<number>) => `{${Array.from(numbers).join(',')}}`

/** Each list becomes one overlap condition; GIN answers all in one scan. */
const matches = (match: Match) =>
  sql.join(
    match.map((anyOf) => sql`grams && ${array(anyOf)}::integer[]`),
    sql` and `,
  )

const postgresWords: WordStore = {
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

const token = (number: number) => number.toString(36)
const tokens = (numbers: Iterable<number>) => Array.from(numbers, token).join(' ')

/** Only digits and small letters reach FTS5, so query injection is impossible. */
const matchExpression = (match: Match) =>
  match.map((anyOf) => `(${anyOf.map(token).join(' OR ')})`).join(' AND ')

async function drop(ctx: Ctx, hashes: readonly number[]): Promise<void> {
  if (hashes.length === 0) return
  const list = JSON.stringify(hashes)
  await sql`delete from search_words where hash in (select value from json_each(${list}))`.execute(ctx.db)
  await sql`delete from search_grams where rowid in (select value from json_each(${list}))`.execute(ctx.db)
}

const sqliteWords: WordStore = {
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

export type Word = { word: string; hash: number }

/** The operations that differ between the engines: bulk counting of words and finding them by trigrams. */
type WordStore = {
  /** Counts words up or down, adds trigrams of new words and deletes unused ones. */
  count: (ctx: Ctx, changes: readonly WordChange[]) => Promise<void>
  findPublic: (ctx: Ctx, match: Match, limit: number) => Promise<number[]>
  /** Finds any words by trigrams. The caller must check which of them the user may know. */
  findAny: (ctx: Ctx, match: Match, limit: number) => Promise<number[]>
}

export const wordStore = (ctx: Ctx): WordStore =>
  ctx.database.engine === 'sqlite' ? sqliteWords : postgresWords

/** What counting a word later costs, in bytes of an ordinary log. */
const BYTES_PER_WORD = 300
/** An ordinary text has no more different words, and most of its words are known. */
const FREE_WORDS = 300

/** Charges the writer for what `foldChanges` will do: it costs more than the request itself if the words are new. */
function oweCounting(ctx: Ctx, documents: readonly { hashes: readonly number[] }[]): void {
  const words = total(documents.map(({ hashes }) => Math.max(0, hashes.length - FREE_WORDS)))
  if (words > 0) ctx.work.owe(BYTES_PER_WORD * words)
}

/** Notes a card write's changes of the counts; `foldChanges` counts them later. */
export async function noteChange(
  ctx: Ctx,
  before: readonly Candidate[],
  after: readonly SearchDocument[],
): Promise<void> {
  oweCounting(ctx, [...before, ...after])
  for (const isPublic of [false, true]) {
    const went = before.filter((card) => isForAll(card) === isPublic)
    const came = after.filter((card) => isForAll(card) === isPublic)
    if (went.length > 0 || came.length > 0)
      await insertRow(ctx.db, 'search_changes', noteOf(went, came, isPublic))
  }
}

/** Notes additions first, or a word of only this document would be forgotten in between. */
export async function noteOtherFilters(
  ctx: Ctx,
  before: readonly Candidate[],
  after: readonly Candidate[],
): Promise<void> {
  const changes = before.map((was, i) => ({ was, is: after[i] ?? was }))
  const moved = changes.filter(({ was, is }) => isForAll(was) !== isForAll(is))
  oweCounting(
    ctx,
    moved.flatMap(({ was, is }) => [was, is]),
  )
  for (const isPublic of [false, true]) {
    const came = moved.flatMap(({ is }) => (isForAll(is) === isPublic ? [is] : []))
    if (came.length > 0)
      await insertRow(ctx.db, 'search_changes', {
        cards: came.length,
        length: lengthOf(came),
        added: came.flatMap(({ hashes }) => hashes.map((hash) => `${TIMES}${hash}`)).join(' '),
        removed: '',
        gone: '',
        is_public: isPublic ? 1 : 0,
      })
  }
  for (const isPublic of [false, true]) {
    const went = moved.flatMap(({ was }) => (isForAll(was) === isPublic ? [was] : []))
    const gone = before.filter((was) => isForAll(was) === isPublic)
    if (gone.length > 0)
      await insertRow(ctx.db, 'search_changes', {
        cards: -went.length,
        length: -lengthOf(went),
        added: '',
        removed: numbersOfWords(went),
        gone: gone.map(({ docNo }) => docNo).join(' '),
        is_public: isPublic ? 1 : 0,
      })
  }
}

const numbersOfWords = (cards: readonly Candidate[]): string =>
  cards.map(({ hashes }) => hashes.join(' ')).join(' ')

const noteOf = (went: readonly Candidate[], came: readonly SearchDocument[], isPublic: boolean) => ({
  cards: came.length - went.length,
  length: lengthOf(came) - lengthOf(went),
  added: addedWords(came),
  removed: numbersOfWords(went),
  gone: went.map((card) => card.docNo).join(' '),
  is_public: isPublic ? 1 : 0,
})

/** Never part of a token. Before a number it marks a word by its number. */
const TIMES = '*'

/** Returns the words, with a count for several cards: `lock timeout*3`. */
function addedWords(cards: readonly SearchDocument[]): string {
  const [only] = cards
  if (cards.length === 1 && only) return only.words.join(' ')
  const counts = new Map<string, number>()
  for (const { words } of cards) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return Array.from(counts, ([word, cards]) => (cards === 1 ? word : `${word}${TIMES}${cards}`)).join(' ')
}

const MAX_FOLDED_NOTES = 500
/** Characters of notes (about 8,000 words) per transaction, because other writers wait for it. */
const MAX_FOLDED_CHARACTERS = 2 ** 16
export const lockIndex = (ctx: Ctx): Promise<void> => acquireLock(ctx.db, ctx.database.engine, 'searchIndex')

/** Counts what card writes have noted; returns how many notes are folded. */
export async function foldChanges(ctx: Ctx): Promise<number> {
  const waiting = await ctx.db.selectFrom('search_changes').select('change_no').limit(1).execute()
  if (waiting.length === 0) return 0
  let folded = 0
  for (let isMore = true; isMore; ) {
    const some = await inTx(ctx, foldSome, SELF_GUARDED)
    folded += some.folded
    isMore = some.isMore
  }
  return folded
}

type Note = Selectable<SearchChangesTable>

/** Takes the oldest notes up to the limit of one transaction, and deletes or shortens them. */
async function takeNotes(ctx: Ctx): Promise<{ notes: Note[]; isMore: boolean }> {
  const waiting = await ctx.db
    .selectFrom('search_changes')
    .select(['change_no', sql<number>`octet_length(added) + octet_length(removed)`.as('size')])
    .orderBy('change_no')
    .limit(MAX_FOLDED_NOTES)
    .execute()
  let room = MAX_FOLDED_CHARACTERS
  const fitting = waiting.filter(({ size }) => {
    room -= size
    return room >= 0
  })
  const taken = (fitting.length > 0 ? fitting : waiting.slice(0, 1)).map(({ change_no }) => change_no)
  if (taken.length === 0) return { notes: [], isMore: false }
  const notes = await ctx.db
    .selectFrom('search_changes')
    .selectAll()
    .where('change_no', 'in', taken)
    .orderBy('change_no')
    .execute()
  const [first] = notes
  const begun = fitting.length === 0 && first ? await takeBeginning(ctx, first) : undefined
  if (begun) return { notes: [begun], isMore: true }
  await ctx.db.deleteFrom('search_changes').where('change_no', 'in', taken).execute()
  return { notes, isMore: taken.length < waiting.length || waiting.length === MAX_FOLDED_NOTES }
}

/** The last part also holds the number of cards and removed documents. */
async function takeBeginning(ctx: Ctx, note: Note): Promise<Note | undefined> {
  // Additions first: a word that is also removed is not forgotten in between.
  const name = note.added === '' ? 'removed' : 'added'
  const end = note[name].indexOf(' ', MAX_FOLDED_CHARACTERS)
  const isLastOfBoth = name === 'removed' || note.removed === ''
  if (end < 0 && isLastOfBoth) return undefined
  const [begun, rest] = end < 0 ? [note[name], ''] : [note[name].slice(0, end), note[name].slice(end + 1)]
  await ctx.db
    .updateTable('search_changes')
    .set({ [name]: rest })
    .where('change_no', '=', note.change_no)
    .execute()
  return { ...note, cards: 0, length: 0, gone: '', added: '', removed: '', [name]: begun }
}

async function foldSome(ctx: Ctx): Promise<{ folded: number; isMore: boolean }> {
  await lockIndex(ctx)
  const { notes, isMore } = await takeNotes(ctx)
  if (notes.length === 0) return { folded: 0, isMore }
  await wordStore(ctx).count(ctx, sumUp(notes))
  await markDead(
    ctx,
    notes.flatMap(({ gone }) => numbersIn(gone)),
  )
  const sumOf = (some: typeof notes) => ({
    cards: total(some.map((note) => note.cards)),
    length: total(some.map((note) => note.length)),
  })
  const all = sumOf(notes)
  const open = sumOf(notes.filter((note) => note.is_public === 1))
  await ctx.db
    .updateTable('search_totals')
    .set((eb) => ({
      cards: eb('cards', '+', all.cards),
      length: eb('length', '+', all.length),
      public_cards: eb('public_cards', '+', open.cards),
      public_length: eb('public_length', '+', open.length),
    }))
    .execute()
  return { folded: notes.length, isMore }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

const lengthOf = (cards: readonly { length: number }[]) => total(cards.map(({ length }) => length))

const numbersIn = (text: string) => (text === '' ? [] : text.split(' ').map(Number))

function sumUp(notes: readonly { added: string; removed: string; is_public: number }[]): WordChange[] {
  const changes = new Map<number, WordChange>()
  const add = (hash: number, word: string | undefined, delta: number, isPublic: number) => {
    const change = changes.get(hash) ?? { hash, word, delta: 0, publicDelta: 0 }
    changes.set(hash, change)
    change.word ??= word
    change.delta += delta
    change.publicDelta += isPublic * delta
  }
  for (const { added, removed, is_public } of notes) {
    for (const counted of added.split(' ')) {
      if (counted === '') continue
      const [word = '', cards = '1'] = counted.split(TIMES)
      if (word === '') add(Number(cards), undefined, 1, is_public)
      else add(wordHash(word), word, Number(cards), is_public)
    }
    for (const hash of numbersIn(removed)) add(hash, undefined, -1, is_public)
  }
  return [...changes.values()].sort((a, b) => a.hash - b.hash)
}

export type Totals = { cards: number; length: number }

const readTotals = prepared('searchTotals', (db) =>
  db.selectFrom('search_totals').select(['cards', 'length', 'public_cards', 'public_length']),
)

/** Returns the totals of public documents. `state` changes with the totals of all documents. */
export async function publicTotals(ctx: Ctx): Promise<Totals & { state: string }> {
  const [row] = await readTotals(ctx.db, {})
  if (!row) return { cards: 0, length: 0, state: '' }
  const { cards, length, public_cards, public_length } = row
  return {
    cards: public_cards,
    length: public_length,
    state: `${cards} ${length} ${public_cards} ${public_length}`,
  }
}

const LIKELY_LENGTH = 150
const LIKELY_CARDS = 50

/** Returns the average length of public documents; few documents are mixed with the likely length. */
export async function publicAverageLength(ctx: Ctx): Promise<number> {
  const { cards, length } = await publicTotals(ctx)
  return (length + LIKELY_CARDS * LIKELY_LENGTH) / (cards + LIKELY_CARDS)
}

export const averageLengthOf = ({ cards, length }: Totals): number =>
  cards > 0 && length > 0 ? length / cards : LIKELY_LENGTH

const countsOf = prepared(
  'wordCounts',
  (db, parameter: Named<{ hashes: string }>) =>
    sql<{
      hash: number
      cards: number
      public_cards: number
    }>`select hash, cards, public_cards from search_words
      where ${isAmong(db, 'hash', parameter('hashes'))}`,
)

export type WordCount = {
  publicCards: number
  postings: number
}

/** Rounds lengths: a plan must not reveal whether a word occurs in other users' cards. */
const SHORT_LIST = 1024

const postingsFor = (cards: number): number =>
  cards <= SHORT_LIST ? SHORT_LIST : 2 ** Math.ceil(Math.log2(cards))

const UNKNOWN_WORD: WordCount = { publicCards: 0, postings: SHORT_LIST }

export async function wordCounts(ctx: Ctx, hashes: readonly number[]): Promise<(hash: number) => WordCount> {
  if (hashes.length === 0) return () => UNKNOWN_WORD
  const found = await countsOf(ctx.db, { hashes: numberList(ctx.db, hashes) })
  const counts = new Map(
    found.map((row) => [
      row.hash,
      { publicCards: Math.max(0, row.public_cards), postings: postingsFor(row.cards) },
    ]),
  )
  return (hash) => counts.get(hash) ?? UNKNOWN_WORD
}

export async function wordsNumbered(ctx: Ctx, hashes: readonly number[]): Promise<Word[]> {
  const { rows } = await sql<Word>`select hash, word from search_words
    where ${isAmong(ctx.db, 'hash', numberList(ctx.db, hashes))}`.execute(ctx.db)
  return rows
}
