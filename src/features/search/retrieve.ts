import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import {
  type Candidate,
  countsInDocuments,
  countsInLists,
  countsInPublic,
  documentsNamedBy,
  type Found,
  findBest,
  fuse,
  type LikeWord,
  likeWords,
  passes,
  positionOf,
  ranked,
  type VisibleCount,
  type VisibleCounts,
  type Vocabulary,
  viewIndex,
  type Wanted,
} from '../../search-index/index.ts'
import { rarity } from '../../text/bm25.ts'
import { wordHash } from '../../text/term-hash.ts'
import { filtersAsked, knownLarger, listedIn, rememberLarger, type SearchScope, tenancy } from './scope.ts'

/** The first words of a longer query are counted, and the rarest of these are looked up. */
const MOST_COUNTED = 128
const MOST_TERMS = 32
const MOST_UNKNOWN = 6

/** What the words path and the trigram path weigh in the fusion: the latter sees all that the former sees, and more. */
const PATH_WEIGHTS = { words: 1, trigrams: 20 }

type Term = { word: string; hash: number } & VisibleCount

export type Hit = { docNo: number; score: number }

export type Retrieved = {
  /** Best first; those of the index that are not among the best are there in case that some of these are gone. */
  hits: Hit[]
  /** How many cards match. */
  matching: number
  /** The terms that a hit may have matched: those asked for, and those taken to be meant. */
  terms: ReadonlySet<string>
  /** In how many of the cards that the asker may see each asked word stands, and how many cards these are. */
  visible: { cards: number; words: ReadonlyMap<string, number> }
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
  const source = await sourceFor(ctx, scope)
  const terms = await rarestTerms(words, source.counts)
  const { cards: all, averageLength } = source.counts
  const visible = { cards: all, words: new Map(terms.map(({ word, cards }) => [word, cards])) }

  const found = await source.find(terms.map((term) => wantedWord(term, all)))
  const unknown = terms.filter((term) => isMissing(term, found)).slice(0, MOST_UNKNOWN)
  const known = terms.filter((term) => !unknown.includes(term))
  const exact = known.map((term) => wantedWord(term, all))
  const byWords = [...ranked(found.candidates, exact, averageLength), ...found.others]

  const meant = paths === 'words' ? [] : await meantBy(ctx, unknown, source)
  if (meant.length === 0)
    return {
      hits: fuse([{ ids: byWords, weight: 1 }]),
      matching: Math.max(found.matching, byWords.length),
      terms: new Set(terms.map((term) => term.word)),
      visible,
    }

  const widened = [...exact, ...meant.map((likes) => wantedLikes(likes, all))]
  const more = await source.find(widened)
  const byTrigrams = [...ranked(more.candidates, widened, averageLength), ...more.others]
  const hits = fuse([
    { ids: byWords, weight: PATH_WEIGHTS.words },
    { ids: byTrigrams, weight: PATH_WEIGHTS.trigrams },
  ])
  return {
    hits,
    matching: Math.max(found.matching, more.matching, hits.length),
    terms: new Set([...terms, ...meant.flat()].map((term) => term.word)),
    visible,
  }
}

async function rarestTerms(words: readonly string[], counts: VisibleCounts): Promise<Term[]> {
  const terms = words.slice(0, MOST_COUNTED).map((word) => ({ word, hash: wordHash(word) }))
  const count = await counts.of(terms.map(({ hash }) => hash))
  return terms
    .map((term) => ({ ...term, ...count(term.hash) }))
    .sort((a, b) => a.cards - b.cards)
    .slice(0, MOST_TERMS)
}

async function meantBy(ctx: Ctx, unknown: readonly Term[], vocabulary: Vocabulary): Promise<LikeWord[][]> {
  const found: LikeWord[][] = []
  for (const { word } of unknown) found.push(await likeWords(ctx, word, vocabulary))
  return found.filter((likes) => likes.length > 0)
}

const wantedWord = ({ hash, cards, postings }: Term, all: number): Wanted => [
  { hash, postings, worth: rarity(cards, all) },
]
const wantedLikes = (likes: readonly LikeWord[], all: number): Wanted =>
  likes.map(({ hash, cards, postings, likeness }) => ({
    hash,
    postings,
    worth: likeness * rarity(cards, all),
  }))

/** A word that several cards have which the asker may see is spelled right, even where no card in scope has it. */
const SURELY_RIGHT = 3

/** Cards with a rare word are among the candidates, so if none of them has it, nobody in scope has. */
const isMissing = (term: Term, { candidates }: Found): boolean =>
  term.cards < SURELY_RIGHT && !candidates.some(({ hashes }) => positionOf(hashes, term.hash) >= 0)

/** Where candidates come from, and by which counts they are weighed. */
type Source = Vocabulary & { find: (wanted: readonly Wanted[]) => Promise<Found> }

const everyWord = () => true
const NOTHING: Found = { candidates: [], others: [], matching: 0 }

/** The whole scope where it is small, the index where it is not. */
async function sourceFor(ctx: Ctx, scope: SearchScope): Promise<Source> {
  const isPublic = scope.scope === 'public'
  const whose = await tenancy(ctx, scope)
  if (whose.some((anyOf) => anyOf.length === 0))
    return {
      counts: await countsInPublic(ctx),
      isPublic: true,
      mayHave: everyWord,
      find: async () => NOTHING,
    }
  const filters = filtersAsked(scope)
  const whole = knownLarger(scope, ctx.searchTuning.readWhole) ?? (await readWhole(ctx, scope))
  if (Array.isArray(whole)) {
    const candidates = whole.filter((candidate) => passes(candidate, filters))
    return {
      counts: isPublic ? await countsInPublic(ctx) : await countsInDocuments(ctx, whole),
      isPublic,
      mayHave: wordsIn(whole),
      find: async () => ({ ...NOTHING, candidates }),
    }
  }
  const view = await viewIndex(ctx)
  return {
    counts: isPublic ? await countsInPublic(ctx) : await countsInLists(ctx, view, whose, whole.averageLength),
    isPublic,
    mayHave: everyWord,
    find: (wanted) => findBest(ctx, view, wanted, [...whose, ...filters]),
  }
}

/** Made when it is first asked: most queries have no unknown word. */
function wordsIn(documents: readonly Candidate[]): (hash: number) => boolean {
  let words: Set<number> | undefined
  return (hash) => {
    if (!words) {
      words = new Set()
      for (const { hashes } of documents) for (const word of hashes) words.add(word)
    }
    return words.has(hash)
  }
}

/** All of a scope, or what is known of one that is large. */
async function readWhole(ctx: Ctx, scope: SearchScope): Promise<Candidate[] | { averageLength: number }> {
  const documents = await documentsNamedBy(
    ctx,
    sql<{ card_id: string }>`select cards.card_id from cards where ${listedIn(scope)}`,
    ctx.searchTuning.readWhole + 1,
  )
  if (documents.length <= ctx.searchTuning.readWhole) return documents
  const length = documents.reduce((sum, document) => sum + document.length, 0)
  return rememberLarger(scope, ctx.searchTuning.readWhole, length / documents.length)
}
