import type { Ctx } from '../../core/context.ts'
import { type Candidate, indexOf, type Match } from './engine.ts'
import { fuse } from './fusion.ts'
import { isBounded, listedIn, narrowing, type SearchScope, scopeSize } from './scope.ts'
import { placeOf, ranked, rarity, type Wanted } from './score.ts'
import { wordHash } from './term-hash.ts'
import { cardCounts, type LikeWord, likeWords, type Totals, totals } from './vocabulary.ts'

/** What a query may bring together, whatever the size of the vault. */
export const budget = {
  /** Up to here a scope is read whole: that is exact, and cheaper than asking the index. */
  readWhole: 1500,
  /** Candidates that the rarest words choose. */
  drivers: 1000,
  /** Candidates that have two of the next ones. */
  pairs: 1000,
}
const mostTerms = 32
const mostUnknown = 6

/** What the words path and the trigram path weigh in the fusion: the latter sees all that the former sees, and more. */
const pathWeights = { words: 1, trigrams: 20 }

type Term = { word: string; hash: number; cards: number }

export type Hit = { cardId: string; score: number }

export type Retrieved = {
  hits: Hit[]
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
  const counts = await cardCounts(ctx, words.map(wordHash))
  const terms = words
    .map((word) => ({ word, hash: wordHash(word), cards: counts.get(wordHash(word)) ?? 0 }))
    .sort((a, b) => a.cards - b.cards)
    .slice(0, mostTerms)
  const source = await sourceFor(ctx, scope, all)

  const candidates = await source(terms)
  const unknown = terms.filter((term) => isMissing(term, candidates)).slice(0, mostUnknown)
  const known = terms.filter((term) => !unknown.includes(term))
  const exact = known.map((term) => wantedWord(term, all))
  const byWords = ranked(candidates.values(), exact, all.averageLength)

  const meant = paths === 'words' ? [] : await meantBy(ctx, unknown)
  if (meant.length === 0)
    return present(
      byWords.map(({ candidate }) => candidate),
      terms,
    )

  for (const [docNo, candidate] of await source([...known, ...meant.flat()])) candidates.set(docNo, candidate)
  const widened = [...exact, ...meant.map((likes) => wantedLikes(likes, all))]
  const byTrigrams = ranked(candidates.values(), widened, all.averageLength)
  const fused = fuse([
    { ids: byWords.map(({ candidate }) => candidate.docNo), weight: pathWeights.words },
    { ids: byTrigrams.map(({ candidate }) => candidate.docNo), weight: pathWeights.trigrams },
  ])
  return {
    hits: fused.map(({ id, score }) => ({ cardId: candidates.get(id)?.cardId ?? '', score })),
    terms: new Set([...terms, ...meant.flat()].map((term) => term.word)),
  }
}

async function meantBy(ctx: Ctx, unknown: readonly Term[]): Promise<LikeWord[][]> {
  const found = await Promise.all(unknown.map((term) => likeWords(ctx, term.word)))
  return found.filter((likes) => likes.length > 0)
}

function present(inOrder: readonly Candidate[], terms: readonly Term[]): Retrieved {
  const fused = fuse([{ ids: inOrder.map((candidate) => candidate.docNo), weight: 1 }])
  return {
    hits: fused.map(({ score }, i) => ({ cardId: inOrder[i]?.cardId ?? '', score })),
    terms: new Set(terms.map((term) => term.word)),
  }
}

const wantedWord = (term: Term, all: Totals): Wanted => [
  { hash: term.hash, worth: rarity(term.cards, all.cards) },
]
const wantedLikes = (likes: readonly LikeWord[], all: Totals): Wanted =>
  likes.map(({ hash, cards, likeness }) => ({ hash, worth: likeness * rarity(cards, all.cards) }))

type Found = Map<number, Candidate>

/** A word that several cards of the vault have is spelled right, even where no card in scope has it. */
const surelyRight = 3

/** A rare word brings all its cards in as candidates, so if none of them has it, nobody in scope has. */
function isMissing(term: Term, candidates: Found): boolean {
  if (term.cards >= surelyRight) return false
  for (const { hashes } of candidates.values()) if (placeOf(hashes, term.hash) >= 0) return false
  return true
}

/** How candidates are found for terms: the whole scope where it is small, the index where it is not. */
async function sourceFor(
  ctx: Ctx,
  scope: SearchScope,
  all: Totals,
): Promise<(terms: readonly Term[]) => Promise<Found>> {
  const narrowed = await narrowing(ctx, scope)
  if (narrowed.some((anyOf) => anyOf.length === 0)) return async () => new Map()
  const cards = await scopeSize(ctx, scope)
  if (cards <= budget.readWhole) {
    const index = indexOf(ctx)
    return async (terms) => {
      const words = terms.map((term) => term.hash)
      return keyed(
        hasFilters(scope)
          ? await index.find(ctx, narrowed, budget.readWhole, words)
          : await index.read(ctx, listedIn(scope), budget.readWhole, words),
      )
    }
  }
  const share = isBounded(cards) ? Math.min(1, cards / Math.max(1, all.cards)) : 1
  return (terms) => findByPlan(ctx, narrowed, terms, share)
}

const hasFilters = ({ tags, environment, track }: SearchScope) =>
  tags.length > 0 || Object.keys(environment).length > 0 || track !== undefined

const keyed = (candidates: readonly Candidate[]): Found =>
  new Map(candidates.map((candidate) => [candidate.docNo, candidate]))

/**
 * The rarest terms choose the candidates, as many as fit the budget; of the commoner ones, only cards that have two of
 * them. Every term then scores them.
 */
async function findByPlan(ctx: Ctx, narrowed: Match, terms: readonly Term[], share: number): Promise<Found> {
  const index = indexOf(ctx)
  const sorted = [...terms].sort((a, b) => a.cards - b.cards)
  const drivers: Term[] = []
  let expected = 0
  for (const term of sorted) {
    expected += Math.max(1, term.cards * share)
    if (expected > budget.drivers) break
    drivers.push(term)
  }
  const rest = sorted.slice(drivers.length)
  const words = terms.map((term) => term.hash)
  const found: Found = new Map()
  if (drivers.length > 0) {
    const match = [...narrowed, drivers.map((term) => term.hash)]
    for (const candidate of await index.find(ctx, match, budget.drivers * 2, words))
      found.set(candidate.docNo, candidate)
  }
  if (rest.length > 0)
    for (const candidate of await index.find(ctx, [...narrowed, ...twoOf(rest)], budget.pairs, words))
      found.set(candidate.docNo, candidate)
  return found
}

/** At least two of the three rarest: any pair of them must have one. */
function twoOf(terms: readonly Term[]): number[][] {
  const [a, b, c] = terms.map((term) => term.hash)
  if (a === undefined) return []
  if (b === undefined) return [[a]]
  if (c === undefined) return [[a], [b]]
  return [
    [a, b],
    [a, c],
    [b, c],
  ]
}
