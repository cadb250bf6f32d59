import { sql } from 'kysely'
import { type Ctx, inTx } from '../core/context.ts'
import { insertRow, type Named, prepared } from '../db/prepared.ts'
import type { SearchDocument } from '../features/cards/indexing/document.ts'
import { wordHash } from '../text/term-hash.ts'
import { gramHash, hasTrigrams, innerTrigramsOf, likenessTo, trigramsOf } from '../text/trigrams.ts'
import { isAmong, numberList } from './index.store.ts'
import type { Candidate } from './packing.ts'
import { markDead } from './tombstones.ts'
import { type Word, type WordChange, wordStore } from './word-store.ts'

/** Remembers what card writes do to the counts; `foldChanges` does the counting later. */
export async function noteChange(
  ctx: Ctx,
  before: readonly Candidate[],
  after: readonly SearchDocument[],
): Promise<void> {
  await insertRow(ctx.db, 'search_changes', {
    cards: after.length - before.length,
    length: total(after.map((card) => card.length)) - total(before.map((card) => card.length)),
    added: addedWords(after),
    removed: before.map((card) => Array.from(card.hashes).join(' ')).join(' '),
    gone: before.map((card) => card.docNo).join(' '),
  })
}

/** No word has it: it is no part of any token. */
const times = '*'

/** The words, and with those of several cards how often: `lock timeout*3`. */
function addedWords(cards: readonly SearchDocument[]): string {
  const [only] = cards
  if (cards.length === 1 && only) return only.words.join(' ')
  const counts = new Map<string, number>()
  for (const { words } of cards) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return Array.from(counts, ([word, cards]) => (cards === 1 ? word : `${word}${times}${cards}`)).join(' ')
}

/** Of a bulk load, a note tells of hundreds of cards. */
const foldedAtOnce = 500
/** Any fixed number. */
const indexLock = 7_205_760

/** Processes that fold into the counts or into the lists at the same time take turns. */
export async function lockIndex(ctx: Ctx): Promise<void> {
  if (ctx.database.engine === 'postgres')
    await sql`select pg_advisory_xact_lock(${indexLock})`.execute(ctx.db)
}

/** Counts in what card writes have noted; returns how many notes are folded. */
export async function foldChanges(ctx: Ctx): Promise<number> {
  const waiting = await ctx.db.selectFrom('search_changes').select('change_no').limit(1).execute()
  if (waiting.length === 0) return 0
  let folded = 0
  for (let now = foldedAtOnce; now === foldedAtOnce; folded += now)
    now = await inTx(ctx, foldSome, { isolation: 'read committed' })
  return folded
}

async function foldSome(ctx: Ctx): Promise<number> {
  await lockIndex(ctx)
  const notes = await ctx.db
    .selectFrom('search_changes')
    .selectAll()
    .orderBy('change_no')
    .limit(foldedAtOnce)
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
  await ctx.db
    .updateTable('search_totals')
    .set((eb) => ({
      cards: eb('cards', '+', total(notes.map((note) => note.cards))),
      length: eb('length', '+', total(notes.map((note) => note.length))),
    }))
    .execute()
  return notes.length
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

const numbersIn = (text: string) => (text === '' ? [] : text.split(' ').map(Number))

function sumUp(notes: readonly { added: string; removed: string }[]): WordChange[] {
  const changes = new Map<number, WordChange>()
  for (const { added, removed } of notes) {
    for (const counted of added.split(' ')) {
      if (counted === '') continue
      const [word = '', cards = '1'] = counted.split(times)
      const hash = wordHash(word)
      const change = changes.get(hash)
      if (change) {
        change.delta += Number(cards)
        change.word ??= word
      } else changes.set(hash, { hash, word, delta: Number(cards) })
    }
    for (const hash of numbersIn(removed)) {
      const change = changes.get(hash)
      if (change) change.delta--
      else changes.set(hash, { hash, word: undefined, delta: -1 })
    }
  }
  return [...changes.values()].sort((a, b) => a.hash - b.hash)
}

export type Totals = { cards: number; averageLength: number }

const likelyLength = 150

const readTotals = prepared((db) => db.selectFrom('search_totals').selectAll())

export async function totals(ctx: Ctx): Promise<Totals> {
  const [row] = await readTotals(ctx.db, {})
  const [cards, length] = [row?.cards ?? 0, row?.length ?? 0]
  return { cards, averageLength: cards > 0 && length > 0 ? length / cards : likelyLength }
}

const countsOf = prepared(
  (db, parameter: Named<{ hashes: string }>) =>
    sql<{ hash: number; cards: number }>`select hash, cards from search_words
      where ${isAmong(db, 'hash', parameter('hashes'))}`,
)

/** In how many cards each hash occurs; what is not counted yet is rare. */
export async function cardCounts(ctx: Ctx, hashes: readonly number[]): Promise<Map<number, number>> {
  if (hashes.length === 0) return new Map()
  const found = await countsOf(ctx.db, { hashes: numberList(ctx.db, hashes) })
  return new Map(found.map((row) => [row.hash, row.cards]))
}

const leastLikeness = 0.4
const mostLikeWords = 5
const examined = 200
const shortestPart = 4
const containedLikeness = 0.5

export type LikeWord = Word & { likeness: number }

/**
 * Words of the vocabulary that may be meant by one that no card has: near in trigrams (a slip of the finger), or
 * containing it (a part of an identifier).
 */
export async function likeWords(ctx: Ctx, word: string): Promise<LikeWord[]> {
  if (!hasTrigrams(word)) return []
  const words = wordStore(ctx)
  const near = await words.find(ctx, threeWays(trigramsOf(word)), examined)
  const containing =
    word.length < shortestPart
      ? []
      : await words.find(
          ctx,
          innerTrigramsOf(word).map((gram) => [gramHash(gram)]),
          mostLikeWords,
        )
  const found = new Map<number, LikeWord>()
  for (const other of containing)
    if (other.word.includes(word) && other.word !== word)
      found.set(other.hash, { ...other, likeness: containedLikeness })
  const likeness = likenessTo(word)
  for (const other of near) {
    const degree = likeness(other.word)
    if (degree >= leastLikeness && other.word !== word) found.set(other.hash, { ...other, likeness: degree })
  }
  return [...found.values()]
    .sort((a, b) => b.likeness - a.likeness || b.cards - a.cards || (a.word < b.word ? -1 : 1))
    .slice(0, mostLikeWords)
}

/**
 * One slip spoils three neighbouring trigrams. Dealt out in turn to three lists, each list keeps some that are right,
 * so a word that is meant matches every list, and hardly any other word does.
 */
function threeWays(grams: readonly string[]): number[][] {
  const lists = Math.min(3, Math.max(1, Math.floor(grams.length / 2)))
  const dealt: number[][] = Array.from({ length: lists }, () => [])
  grams.forEach((gram, i) => {
    dealt[i % lists]?.push(gramHash(gram))
  })
  return dealt
}
