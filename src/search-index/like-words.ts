import type { Ctx } from '../core/context.ts'
import { meantSurely } from '../text/slips.ts'
import { gramHash, hasTrigrams, innerTrigramsOf, trigramsOf } from '../text/term-hash.ts'
import { interpret, STOP_STEMS } from '../text/terms.ts'
import { havingGrams, keptIndex, type ScopeWord } from './index-store.ts'
import type { VisibleCount, VisibleCounts } from './visible-counts.ts'
import { type Word, wordStore, wordsNumbered } from './vocabulary.ts'

const MOST_LIKE_WORDS = 5
/** A shorter part must be the beginning of the word that contains it. */
const SHORTEST_PART = 6
const SHORTEST_BEGINNING = 4
const CONTAINED_LIKENESS = 0.5
/** A long beginning of a name, and at least this share of it, is said for the name: `crashloop` for CrashLoopBackOff. */
const SHORTEST_SAID = 8
const LEAST_SAID = 0.5
const SAID_LIKENESS = 0.8
/** The commonest public words are examined, and all words of a scope, up to a limit for vaults of millions. */
const EXAMINED_IN_PUBLIC = 200
const EXAMINED = 20_000
/** Words are looked up in the scope some at a time, the likeliest first. */
const COUNTED_AT_ONCE = 64

/** The words that an asker may be led to: those of the documents that are searched, and no others. */
export type Vocabulary = {
  counts: VisibleCounts
  isPublic: boolean
  /** All words of the documents, where these are few. */
  words?: () => Promise<readonly ScopeWord[]>
  /** Sorts words out that are surely in no document of the scope, where that is known. */
  mayHave?: (hash: number) => boolean
}

export type LikeWord = Word &
  VisibleCount & {
    likeness: number
    /** The likeness if the word is no name that was begun at one of its parts. Only the texts of a card tell that. */
    otherwise?: number
  }

/**
 * Words of the vocabulary that may be meant by one that no card has: near in trigrams (a typing error), or
 * containing it (a part of an identifier).
 */
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
  return [...near, ...containing].sort(likeliestFirst).slice(0, MOST_LIKE_WORDS)
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

/** Numbers are exact, but the letters of a code are often left out: `error 2345` is said for TS2345, and 80070005 for 0x80070005. */
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
    MOST_LIKE_WORDS,
    vocabulary,
  )

/** Two swapped letters spoil four trigrams: in a word of up to this many letters a list may have none that is right. */
const LONGEST_SWAPPED = 8
/** Shorter ones are often abbreviations, and each is another one with its letters swapped. */
const SHORTEST_SWAPPED = 5

/** The words that a short one is with two letters swapped back: `dokcer` shares too little with docker to be found by it. */
function unswapped(typed: string): Word[] {
  const letters = [...typed]
  if (letters.length < SHORTEST_SWAPPED || letters.length > LONGEST_SWAPPED) return []
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
  if (word.length < SHORTEST_BEGINNING) return []
  const isPart = (other: string) =>
    word.length < SHORTEST_PART ? other.startsWith(word) : other.includes(word)
  const isSaid = (other: string) =>
    typed.length >= SHORTEST_SAID && other.startsWith(typed) && typed.length >= LEAST_SAID * other.length
  const containing = (await wordsHaving(ctx, word, vocabulary))
    .filter((other) => isPart(other.word) && other.word !== word)
    .map((other) => ({
      ...other,
      ...(isSaid(other.word)
        ? { likeness: SAID_LIKENESS, otherwise: CONTAINED_LIKENESS }
        : { likeness: CONTAINED_LIKENESS }),
    }))
    // The shorter it is, the larger the part of it that was asked for.
    .sort((a, b) => a.word.length - b.word.length || (a.word < b.word ? -1 : 1))
  return firstInScope(containing, vocabulary)
}

/** The first that stand in a document of the scope. */
async function firstInScope(words: readonly Near[], { counts }: Vocabulary): Promise<LikeWord[]> {
  const found: LikeWord[] = []
  for (let from = 0; from < words.length && found.length < MOST_LIKE_WORDS; from += COUNTED_AT_ONCE) {
    const some = words.slice(from, from + COUNTED_AT_ONCE)
    const count = await counts.of(some.map(({ hash }) => hash))
    for (const other of some) {
      const counted = count(other.hash)
      if (counted.within > 0) found.push({ ...other, ...counted })
    }
  }
  return found.sort(likeliestFirst).slice(0, MOST_LIKE_WORDS)
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
  // A transaction may see words that are never committed.
  const hashes = await (ctx.transacting ? find() : keptIndex(ctx).words.found(counts.state, question, find))
  return spelled(ctx, mayHave ? hashes.filter(mayHave) : hashes)
}

/** The words with these numbers, in any order. */
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
  if (!ctx.transacting) for (const { hash, word } of read) spellings.keep(hash, word)
  return [...words, ...read]
}

/** Of a number alone, at the beginning or the end of the word too. */
const NUMBER_GRAM = /^[\d^$]{3}$/

/** What a word that is meant has: the whole of each number, since no slip changes that, and some of the rest. */
function gramsOfNear(word: string): number[][] {
  const { numbers = [], letters = [] } = Object.groupBy(trigramsOf(word), (gram) =>
    NUMBER_GRAM.test(gram) ? 'numbers' : 'letters',
  )
  return [...numbers.map((gram) => [gramHash(gram)]), ...threeWays(letters)]
}

/**
 * One typing error changes three neighbouring trigrams. Dealt out one by one to three lists, each list keeps some
 * that are right, so a word that is meant matches every list, and hardly any other word does.
 */
function threeWays(grams: readonly string[]): number[][] {
  const lists = Math.min(3, Math.max(1, Math.floor(grams.length / 2)))
  const dealt: number[][] = Array.from({ length: lists }, () => [])
  grams.forEach((gram, i) => {
    dealt[i % lists]?.push(gramHash(gram))
  })
  return dealt
}
