import type { Ctx } from '../../core/context.ts'
import { type Found, findBest } from '../../search-index/find-best.ts'
import { fuse } from '../../search-index/fusion.ts'
import { documentsWhere } from '../../search-index/index.store.ts'
import { passes } from '../../search-index/match.ts'
import type { Candidate } from '../../search-index/packing.ts'
import { cardCounts, type LikeWord, likeWords, type Totals, totals } from '../../search-index/vocabulary.ts'
import { placeOf, ranked, rarity, type Wanted } from '../../text/bm25.ts'
import { wordHash } from '../../text/term-hash.ts'
import {
  filtersAsked,
  isKnownLarger,
  listedIn,
  narrowing,
  rememberLarger,
  type SearchScope,
} from './scope.ts'

export const budget = {
  /** Up to here a scope is read whole: that is exact, and cheaper than asking the index. */
  readWhole: 400,
}
const mostTerms = 32
const mostUnknown = 6

/** What the words path and the trigram path weigh in the fusion: the latter sees all that the former sees, and more. */
const pathWeights = { words: 1, trigrams: 20 }

type Term = { word: string; hash: number; cards: number }

export type Hit = { docNo: number; score: number }

export type Retrieved = {
  /** Best first; those of the index that are not among the best are there in case that some of these are gone. */
  hits: Hit[]
  /** How many cards match. */
  matching: number
  /** The terms that a hit may have matched: those asked for, and those taken to be meant. */
  terms: ReadonlySet<string>
}

/**
 * Ranks what is in scope by words, and by the words that may be meant where no card has what was typed. The words path
 * alone is for measuring what the other adds.
 */
export async function retrieve(
  ctx: Ctx,
  words: readonly string[],
  scope: SearchScope,
  paths: 'both' | 'words' = 'both',
): Promise<Retrieved> {
  const all = await totals(ctx)
  const hashes = words.map(wordHash)
  const counts = await cardCounts(ctx, hashes)
  const terms = words
    .map((word, i) => ({ word, hash: hashes[i] as number, cards: counts.get(hashes[i] as number) ?? 0 }))
    .sort((a, b) => a.cards - b.cards)
    .slice(0, mostTerms)
  const source = await sourceFor(ctx, scope)

  const found = await source(terms.map((term) => wantedWord(term, all)))
  const unknown = terms.filter((term) => isMissing(term, found)).slice(0, mostUnknown)
  const known = terms.filter((term) => !unknown.includes(term))
  const exact = known.map((term) => wantedWord(term, all))
  const byWords = [...ranked(found.candidates, exact, all.averageLength), ...found.others]

  const meant = paths === 'words' ? [] : await meantBy(ctx, unknown)
  if (meant.length === 0)
    return {
      hits: fuse([{ ids: byWords, weight: 1 }]),
      matching: Math.max(found.matching, byWords.length),
      terms: new Set(terms.map((term) => term.word)),
    }

  const widened = [...exact, ...meant.map((likes) => wantedLikes(likes, all))]
  const more = await source(widened)
  const byTrigrams = [...ranked(more.candidates, widened, all.averageLength), ...more.others]
  const hits = fuse([
    { ids: byWords, weight: pathWeights.words },
    { ids: byTrigrams, weight: pathWeights.trigrams },
  ])
  return {
    hits,
    matching: Math.max(found.matching, more.matching, hits.length),
    terms: new Set([...terms, ...meant.flat()].map((term) => term.word)),
  }
}

async function meantBy(ctx: Ctx, unknown: readonly Term[]): Promise<LikeWord[][]> {
  const found = await Promise.all(unknown.map((term) => likeWords(ctx, term.word)))
  return found.filter((likes) => likes.length > 0)
}

const wantedWord = ({ hash, cards }: Term, all: Totals): Wanted => [
  { hash, cards, worth: rarity(cards, all.cards) },
]
const wantedLikes = (likes: readonly LikeWord[], all: Totals): Wanted =>
  likes.map(({ hash, cards, likeness }) => ({ hash, cards, worth: likeness * rarity(cards, all.cards) }))

/** A word that several cards of the vault have is spelled right, even where no card in scope has it. */
const surelyRight = 3

/** Cards with a rare word are among the candidates, so if none of them has it, nobody in scope has. */
const isMissing = (term: Term, { candidates }: Found): boolean =>
  term.cards < surelyRight && !candidates.some(({ hashes }) => placeOf(hashes, term.hash) >= 0)

/** How candidates are found for terms: the whole scope where it is small, the index where it is not. */
async function sourceFor(
  ctx: Ctx,
  scope: SearchScope,
): Promise<(wanted: readonly Wanted[]) => Promise<Found>> {
  const narrowed = await narrowing(ctx, scope)
  if (narrowed.some((anyOf) => anyOf.length === 0))
    return async () => ({ candidates: [], others: [], matching: 0 })
  const whole = isKnownLarger(scope, budget.readWhole) ? undefined : await readWhole(ctx, scope)
  return whole
    ? async () => ({ candidates: whole, others: [], matching: 0 })
    : (wanted) => findBest(ctx, wanted, narrowed)
}

/** All of a scope that pass the filters, or undefined where it is large. */
async function readWhole(ctx: Ctx, scope: SearchScope): Promise<Candidate[] | undefined> {
  const documents = await documentsWhere(ctx, listedIn(scope), budget.readWhole + 1)
  if (documents.length <= budget.readWhole)
    return documents.filter((candidate) => passes(candidate, filtersAsked(scope)))
  rememberLarger(scope, budget.readWhole)
  return undefined
}
