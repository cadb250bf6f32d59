import { sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import { holdLock } from '../db/locks.ts'
import { isAmong, numberList } from '../db/number-list.ts'
import { insertRow, type Named, prepared } from '../db/prepared.ts'
import { wordHash } from '../text/term-hash.ts'
import type { SearchDocument } from './document.ts'
import type { Candidate } from './packing.ts'
import { isPublic as isForAll } from './public-documents.ts'
import { markDead } from './tombstones.ts'
import type { WordChange } from './word-changes.ts'
import { type Word, wordStore } from './word-store.ts'

/** Remembers what card writes do to the counts; `foldChanges` does the counting later. */
export async function noteChange(
  ctx: Ctx,
  before: readonly Candidate[],
  after: readonly SearchDocument[],
): Promise<void> {
  // Documents that everybody may find are counted apart, so they are noted apart.
  for (const isPublic of [false, true]) {
    const went = before.filter((card) => isForAll(card) === isPublic)
    const came = after.filter((card) => isForAll(card) === isPublic)
    if (went.length > 0 || came.length > 0)
      await insertRow(ctx.db, 'search_changes', noteOf(went, came, isPublic))
  }
}

const noteOf = (went: readonly Candidate[], came: readonly SearchDocument[], isPublic: boolean) => ({
  cards: came.length - went.length,
  length: total(came.map((card) => card.length)) - total(went.map((card) => card.length)),
  added: addedWords(came),
  removed: went.map((card) => Array.from(card.hashes).join(' ')).join(' '),
  gone: went.map((card) => card.docNo).join(' '),
  is_public: isPublic ? 1 : 0,
})

/** No word has it: it is no part of any token. */
const TIMES = '*'

/** The words, and with those of several cards how often: `lock timeout*3`. */
function addedWords(cards: readonly SearchDocument[]): string {
  const [only] = cards
  if (cards.length === 1 && only) return only.words.join(' ')
  const counts = new Map<string, number>()
  for (const { words } of cards) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return Array.from(counts, ([word, cards]) => (cards === 1 ? word : `${word}${TIMES}${cards}`)).join(' ')
}

/** After a bulk load, one note stands for hundreds of cards. */
const FOLDED_AT_ONCE = 500
/** Processes that fold into the counts or into the lists at the same time wait for each other. */
export const lockIndex = (ctx: Ctx): Promise<void> => holdLock(ctx.db, ctx.database.engine, 'searchIndex')

/** Counts in what card writes have noted; returns how many notes are folded. */
export async function foldChanges(ctx: Ctx): Promise<number> {
  const waiting = await ctx.db.selectFrom('search_changes').select('change_no').limit(1).execute()
  if (waiting.length === 0) return 0
  let folded = 0
  for (let now = FOLDED_AT_ONCE; now === FOLDED_AT_ONCE; folded += now)
    now = await inTx(ctx, foldSome, SELF_GUARDED)
  return folded
}

async function foldSome(ctx: Ctx): Promise<number> {
  await lockIndex(ctx)
  const notes = await ctx.db
    .selectFrom('search_changes')
    .selectAll()
    .orderBy('change_no')
    .limit(FOLDED_AT_ONCE)
    .execute()
  if (notes.length === 0) return 0
  await ctx.db
    .deleteFrom('search_changes')
    .where(
      'change_no',
      'in',
      notes.map((note) => note.change_no),
    )
    .execute()
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
  return notes.length
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

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
      add(wordHash(word), word, Number(cards), is_public)
    }
    for (const hash of numbersIn(removed)) add(hash, undefined, -1, is_public)
  }
  return [...changes.values()].sort((a, b) => a.hash - b.hash)
}

export type Totals = { cards: number; length: number }

const readTotals = prepared((db) =>
  db.selectFrom('search_totals').select(['cards', 'length', 'public_cards', 'public_length']),
)

/** For documents that everybody may find. `state` changes with the totals of all documents. */
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

/** A vault without a word in it yet is taken to get cards of this length. */
const LIKELY_LENGTH = 150
const LIKELY_CARDS = 50

/** For documents that everybody may find. If they are few, likely words count too. */
export async function publicAverageLength(ctx: Ctx): Promise<number> {
  const { cards, length } = await publicTotals(ctx)
  return (length + LIKELY_CARDS * LIKELY_LENGTH) / (cards + LIKELY_CARDS)
}

export const averageLengthOf = ({ cards, length }: Totals): number =>
  cards > 0 && length > 0 ? length / cards : LIKELY_LENGTH

const countsOf = prepared(
  (db, parameter: Named<{ hashes: string }>) =>
    sql<{
      hash: number
      cards: number
      public_cards: number
    }>`select hash, cards, public_cards from search_words
      where ${isAmong(db, 'hash', parameter('hashes'))}`,
)

export type WordCount = {
  /** In how many cards that everybody may find; what is not counted yet is rare. */
  publicCards: number
  /** About how long the posting lists are, for planning. */
  postings: number
}

/**
 * The planner treats lists up to this length as equal, and rounds longer ones to powers of two: what a search costs
 * depends on everybody's cards, but a plan must not reveal whether a word occurs in any of them.
 */
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

/** How the words with these numbers are spelled. */
export async function wordsNumbered(ctx: Ctx, hashes: readonly number[]): Promise<Word[]> {
  const { rows } = await sql<Word>`select hash, word from search_words
    where ${isAmong(ctx.db, 'hash', numberList(ctx.db, hashes))}`.execute(ctx.db)
  return rows
}
