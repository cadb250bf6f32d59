import type { Ctx } from '../core/context.ts'
import { meantSurely } from '../text/slips.ts'
import { gramHash, hasTrigrams, innerTrigramsOf, trigramsOf } from '../text/term-hash.ts'
import { interpret, STOP_STEMS } from '../text/terms.ts'
import { havingGrams, keptIndex, type ScopeWord } from './index-store.ts'
import type { VisibleCount, VisibleCounts } from './visible-counts.ts'
import { type Word, wordStore, wordsNumbered } from './vocabulary.ts'

const MAX_LIKE_WORDS = 5
/** A shorter part must be the beginning of the word that contains it. */
const MIN_PART_LENGTH = 6
const MIN_BEGINNING_LENGTH = 4
const CONTAINED_LIKENESS = 0.5
const MIN_SAID_LENGTH = 8
const MIN_SAID = 0.5
const SAID_LIKENESS = 0.8
const EXAMINED_IN_PUBLIC = 200
const EXAMINED = 20_000
const COUNTED_AT_ONCE = 64

/** Words that may be suggested: only those of the searched documents. */
export type Vocabulary = {
  counts: VisibleCounts
  isPublic: boolean
  words?: () => Promise<readonly ScopeWord[]>
  /** Rules out words that are in no document of the scope. */
  mayHave?: (hash: number) => boolean
}

export type LikeWord = Word &
  VisibleCount & {
    likeness: number
    /** The likeness if the card's texts show no name that begins with the asked part. */
    otherwise?: number
  }

export async function likeWords(
  ctx: Ctx,
  { typed, term: word }: { typed: string; term: string },
  vocabulary: Vocabulary,
): Promise<LikeWord[]> {
  if (isNumberOfCode(word)) return codesNumbered(ctx, word, vocabulary)
  if (!hasTrigrams(word)) return []
  const near = await nearWords(ctx, typed, word, vocabulary)
  const isNear = new Set(near.map(({ hash }) => hash))
  const containing = (await containingWords(ctx, typed, word, vocabulary)).filter(
    ({ hash }) => !isNear.has(hash),
  )
  return [...near, ...containing].sort(likeliestFirst).slice(0, MAX_LIKE_WORDS)
}

const likeliestFirst = (a: LikeWord, b: LikeWord) =>
  b.likeness - a.likeness || b.cards - a.cards || (a.word < b.word ? -1 : 1)

type Near = Word & Pick<LikeWord, 'likeness' | 'otherwise'>

async function nearWords(ctx: Ctx, typed: string, word: string, vocabulary: Vocabulary): Promise<LikeWord[]> {
  const alike = await wordsWith(ctx, gramsOfNear(word), EXAMINED_IN_PUBLIC, vocabulary)
  const each = new Map([...alike, ...unswapped(typed)].map((other) => [other.hash, other]))
  const near = [...each.values()]
    .filter((other) => other.word !== word && !STOP_STEMS.has(other.word))
    .map((other) => ({ ...other, likeness: meantSurely(typed, word, other.word) }))
    .filter((other) => other.likeness > 0)
    .sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1))
  return firstInScope(near, vocabulary)
}

const NUMBER_OF_CODE = /^\d{4,8}$/
const BEFORE_NUMBER = /^(?:[a-z]{1,6}|0x)$/
const CODE_LIKENESS = 0.8

export const isNumberOfCode = (word: string): boolean => NUMBER_OF_CODE.test(word)

async function codesNumbered(ctx: Ctx, number: string, vocabulary: Vocabulary): Promise<LikeWord[]> {
  const codes = (await wordsHaving(ctx, number, vocabulary))
    .filter(({ word }) => word.endsWith(number) && BEFORE_NUMBER.test(word.slice(0, -number.length)))
    .map((code) => ({ ...code, likeness: CODE_LIKENESS }))
  return firstInScope(codes, vocabulary)
}

const wordsHaving = (ctx: Ctx, part: string, vocabulary: Vocabulary): Promise<Word[]> =>
  wordsWith(
    ctx,
    innerTrigramsOf(part).map((gram) => [gramHash(gram)]),
    MAX_LIKE_WORDS,
    vocabulary,
  )

/** Two swapped letters spoil four trigrams; a word up to this length may have no correct trigram in a list. */
const MAX_SWAPPED_LENGTH = 8
const MIN_SWAPPED_LENGTH = 5

/** Returns the word with two letters swapped back: `dokcer` shares too few trigrams with docker. */
function unswapped(typed: string): Word[] {
  const letters = [...typed]
  if (letters.length < MIN_SWAPPED_LENGTH || letters.length > MAX_SWAPPED_LENGTH) return []
  return letters.slice(1).flatMap((letter, i) => {
    const { terms, hashes } = interpret(
      letters
        .with(i, letter)
        .with(i + 1, letters[i] as string)
        .join(''),
    )
    return terms.length === 1 ? [{ hash: hashes[0] as number, word: terms[0] as string }] : []
  })
}

async function containingWords(
  ctx: Ctx,
  typed: string,
  word: string,
  vocabulary: Vocabulary,
): Promise<LikeWord[]> {
  if (word.length < MIN_BEGINNING_LENGTH) return []
  const isPart = (other: string) =>
    word.length < MIN_PART_LENGTH ? other.startsWith(word) : other.includes(word)
  const isSaid = (other: string) =>
    typed.length >= MIN_SAID_LENGTH && other.startsWith(typed) && typed.length >= MIN_SAID * other.length
  const containing = (await wordsHaving(ctx, word, vocabulary))
    .filter((other) => isPart(other.word) && other.word !== word)
    .map((other) => ({
      ...other,
      ...(isSaid(other.word)
        ? { likeness: SAID_LIKENESS, otherwise: CONTAINED_LIKENESS }
        : { likeness: CONTAINED_LIKENESS }),
    }))
    .sort((a, b) => a.word.length - b.word.length || (a.word < b.word ? -1 : 1))
  return firstInScope(containing, vocabulary)
}

async function firstInScope(words: readonly Near[], { counts }: Vocabulary): Promise<LikeWord[]> {
  const found: LikeWord[] = []
  for (let from = 0; from < words.length && found.length < MAX_LIKE_WORDS; from += COUNTED_AT_ONCE) {
    const some = words.slice(from, from + COUNTED_AT_ONCE)
    const count = await counts.of(some.map(({ hash }) => hash))
    for (const other of some) {
      const counted = count(other.hash)
      if (counted.within > 0) found.push({ ...other, ...counted })
    }
  }
  return found.sort(likeliestFirst).slice(0, MAX_LIKE_WORDS)
}

async function wordsWith(
  ctx: Ctx,
  match: number[][],
  mostInPublic: number,
  { isPublic, words, mayHave, counts }: Vocabulary,
): Promise<Word[]> {
  if (words) return havingGrams(await words(), match)
  const store = wordStore(ctx)
  const find = () =>
    isPublic ? store.findPublic(ctx, match, mostInPublic) : store.findAny(ctx, match, EXAMINED)
  const question = `${isPublic ? mostInPublic : 'any'} ${match.join(' ')}`
  const hashes = await (ctx.transacting ? find() : keptIndex(ctx).words.found(counts.state, question, find))
  return spelled(ctx, mayHave ? hashes.filter(mayHave) : hashes)
}

async function spelled(ctx: Ctx, hashes: Iterable<number>): Promise<Word[]> {
  const { spellings } = keptIndex(ctx).words
  const words: Word[] = []
  const unread: number[] = []
  for (const hash of hashes) {
    const word = spellings.get(hash)
    if (word === undefined) unread.push(hash)
    else words.push({ hash, word })
  }
  if (unread.length === 0) return words
  const read = await wordsNumbered(ctx, unread)
  if (!ctx.transacting) for (const { hash, word } of read) spellings.set(hash, word)
  return [...words, ...read]
}

const NUMBER_GRAM = /^[\d^$]{3}$/

/** Returns the trigrams that a meant word must have: all of each number, and some of the rest. */
function gramsOfNear(word: string): number[][] {
  const { numbers = [], letters = [] } = Object.groupBy(trigramsOf(word), (gram) =>
    NUMBER_GRAM.test(gram) ? 'numbers' : 'letters',
  )
  return [...numbers.map((gram) => [gramHash(gram)]), ...threeWays(letters)]
}

/** One typing error changes three neighbouring trigrams, so each list keeps some correct ones. */
function threeWays(grams: readonly string[]): number[][] {
  const lists = Math.min(3, Math.max(1, Math.floor(grams.length / 2)))
  const dealt: number[][] = Array.from({ length: lists }, () => [])
  grams.forEach((gram, i) => {
    dealt[i % lists]?.push(gramHash(gram))
  })
  return dealt
}
