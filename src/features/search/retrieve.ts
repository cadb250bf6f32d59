import type { Ctx } from '../../core/context.ts'
import {
  type Candidate,
  countsInDocuments,
  countsInLists,
  countsInPublic,
  type Found,
  findBest,
  fuse,
  isNumberOfCode,
  type LikeWord,
  likeWords,
  MINOR_LEVEL,
  matches,
  PROMINENT_LEVEL,
  passes,
  positionOf,
  ranked,
  type Scored,
  type Vocabulary,
  viewIndex,
  type Wanted,
  wordsOfDocuments,
} from '../../search-index/index.ts'
import { rarity } from '../../text/bm25.ts'
import type { AskedWord } from '../../text/query-words.ts'
import { hasTrigrams } from '../../text/trigrams.ts'
import {
  askedInformation,
  type Cover,
  MINOR_CREDIT,
  type Surroundings,
  type WeighedWord,
} from './confidence.ts'
import { planTerms, type Term } from './plan.ts'
import { filtersAsked, knownLarger, rememberLarger, type SearchScope, tenancy } from './scope.ts'
import { documentsIn } from './whole-scope.store.ts'

/** How many unknown words are corrected: it takes time. */
const MOST_CORRECTED = 6
/** In a query with more known words than this, only plain words are corrected: names and codes take longest. */
const LONG_QUERY = 12
const PLAIN_WORD = /^\p{L}{4,}$/u

/**
 * The weights of the two rankings in the fusion. The trigram ranking sees everything that the word ranking sees, and
 * more.
 */
const PATH_WEIGHTS = { words: 1, trigrams: 20 }

/** A word of the query, its information, and the corrections if no card has it. */
export type Asked = Term & WeighedWord & { meant: readonly LikeWord[] }

export type Hit = Surroundings & {
  docNo: number
  /** Undefined if only its posting lists were read. */
  documentId: string | undefined
  /** How much of each asked word it has; undefined if only its posting lists were read. */
  covers: Cover[] | undefined
}

export type Retrieved = {
  /** Best first. There are more than needed, in case some of them are gone. */
  hits: Hit[]
  asked: Asked[]
  /** How many cards the asker may see, and how many of them have each asked word. */
  visible: { cards: number; words: ReadonlyMap<string, number> }
}

/** The word ranking alone is for texts without typing errors, and for measuring what the other adds. */
type Paths = 'both' | 'words'

/** Ranks what is in scope by words, and by corrections for words that no card has. `most` are wanted at most. */
export async function retrieve(
  ctx: Ctx,
  words: readonly AskedWord[],
  scope: SearchScope,
  paths: Paths = 'both',
  most?: number,
): Promise<Retrieved> {
  const source = await sourceFor(ctx, scope)
  const terms = await planTerms(words, source.counts)
  const { cards: all, averageLength } = source.counts
  const visible = { cards: all, words: new Map(terms.map(({ term, cards }) => [term, cards])) }

  const found = await source.find(terms.map((term) => term.wanted))
  const missing = terms.filter((term) => isMissing(term, found))
  const unknown = paths === 'words' ? [] : mayBeSlips(missing, terms.length - missing.length)
  const likes = await meantBy(ctx, unknown, source)
  const asked = terms.map((term): Asked => {
    const meant = likes.get(term) ?? []
    const information = askedInformation(term, term.cards, all)
    return { ...term, information, meant, isUnknown: term.cards === 0 && meant.length === 0 }
  })
  const exact = terms.filter((term) => !missing.includes(term)).map((term) => term.wanted)
  const byWords = ranked(found.candidates, exact, averageLength)
  const meant = [...likes.values()].map((words) => wantedLikes(words, all))
  if (meant.length === 0)
    return { hits: hitsOf(asked, [{ scored: byWords, found }], all, most), asked, visible }

  const widened = [...exact, ...meant]
  const more = await source.find(widened)
  const byTrigrams = ranked(more.candidates, widened, averageLength)
  const rankings = [
    { scored: byTrigrams, found: more },
    { scored: byWords, found },
  ]
  return { hits: hitsOf(asked, rankings, all, most), asked, visible }
}

type Ranking = { scored: Scored[]; found: Found }

/** Merges the rankings; the one that sees more comes first. */
function hitsOf(asked: readonly Asked[], rankings: readonly Ranking[], cards: number, most?: number): Hit[] {
  const known = new Map<number, Scored>()
  for (const { scored } of rankings.toReversed())
    for (const one of scored) known.set(one.candidate.docNo, one)
  const weights = rankings.length > 1 ? [PATH_WEIGHTS.trigrams, PATH_WEIGHTS.words] : [1]
  const numbers = fuse(
    rankings.map(({ scored, found }, i) => ({
      ids: [...scored.map(({ candidate }) => candidate.docNo), ...found.others],
      weight: weights[i] ?? 1,
    })),
  )
  return numbers.slice(0, most).map((docNo) => {
    const scored = known.get(docNo)
    return {
      docNo,
      documentId: scored?.candidate.documentId,
      covers: scored && asked.map((word) => coverOf(scored.candidate, word)),
      cards,
      length: scored?.candidate.length ?? 0,
    }
  })
}

const isPlain = ({ typed, parts }: Term) => parts.length === 0 && PLAIN_WORD.test(typed)

const hasLikes = ({ term }: Term) => hasTrigrams(term) || isNumberOfCode(term)

const mayBeSlips = (missing: readonly Term[], known: number): Term[] =>
  missing
    .filter((term) => !term.isQuoted && hasLikes(term) && (known <= LONG_QUERY || isPlain(term)))
    .slice(0, MOST_CORRECTED)

async function meantBy(
  ctx: Ctx,
  unknown: readonly Term[],
  vocabulary: Vocabulary,
): Promise<Map<Term, LikeWord[]>> {
  const found = new Map<Term, LikeWord[]>()
  for (const term of unknown) {
    const likes = await likeWords(ctx, term, vocabulary)
    if (likes.length > 0) found.set(term, likes)
  }
  return found
}

const NOT_COVERED: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }
const MINOR: Cover = { ...NOT_COVERED, credit: MINOR_CREDIT }
const PLAIN: Cover = { ...NOT_COVERED, credit: 1 }
const PROMINENT: Cover = { ...PLAIN, isProminent: true }
/** The same where the parts of a name stand for it. */
const BY_PARTS = new Map([MINOR, PLAIN, PROMINENT].map((cover) => [cover, { ...cover, isByParts: true }]))

/** How much of an asked word a card has, according to the index. Every candidate has one for each word, so most are shared. */
function coverOf(candidate: Candidate, { wanted, meant }: Asked): Cover {
  for (const option of wanted) {
    const at = positionOf(candidate.hashes, option.hash)
    if (at < 0 && !(option.parts && matches(candidate, option))) continue
    const cover = coverAt(candidate, at, option.parts)
    return at < 0 ? (BY_PARTS.get(cover) ?? cover) : cover
  }
  let best = NOT_COVERED
  for (const like of meant) {
    if (like.likeness <= best.credit) continue
    const at = positionOf(candidate.hashes, like.hash)
    if (at < 0) continue
    const { credit, isProminent } = coverAt(candidate, at)
    best = { credit: credit * like.likeness, isProminent, isCorrected: true, isByParts: false }
  }
  return best
}

const ABSENT = -1
const NO_PARTS: Wanted = []

/**
 * A word in the title or a tag counts at least twice, like a repeated one; the minor level is for logs and notes. `at`
 * is the position of the word, negative where only its parts are there.
 */
function coverAt({ hashes, levels }: Candidate, at: number, parts: Wanted = NO_PARTS): Cover {
  let isMinor = true
  let isRaised = false
  const look = (level: number) => {
    if (level !== ABSENT && level !== MINOR_LEVEL) isMinor = false
    if (level >= PROMINENT_LEVEL) isRaised = true
  }
  look(at < 0 ? ABSENT : (levels[at] as number))
  for (const { hash } of parts) {
    const atPart = positionOf(hashes, hash)
    look(atPart < 0 ? ABSENT : (levels[atPart] as number))
  }
  if (isMinor) return MINOR
  return isRaised ? PROMINENT : PLAIN
}

const wantedLikes = (likes: readonly LikeWord[], all: number): Wanted =>
  likes.map(({ hash, cards, postings, likeness }) => ({
    hash,
    postings,
    worth: likeness * rarity(cards, all),
  }))

/** A word that at least this many visible cards have is spelled right, even if no card in scope has it. */
const SURELY_RIGHT = 3

/** Cards with a rare word are always candidates, so if none of them has it, no card in scope does. */
const isMissing = (term: Term, { candidates }: Found): boolean =>
  term.cards < SURELY_RIGHT &&
  !candidates.some((candidate) => term.wanted.some((option) => matches(candidate, option)))

/** Where candidates come from, and the counts that weigh them. */
type Source = Vocabulary & { find: (wanted: readonly Wanted[]) => Promise<Found> }

const NOTHING: Found = { candidates: [], others: [] }

/** The whole scope if it is small, otherwise the index. */
async function sourceFor(ctx: Ctx, scope: SearchScope): Promise<Source> {
  const isPublic = scope.scope === 'public'
  const whose = await tenancy(ctx, scope)
  if (whose.some((anyOf) => anyOf.length === 0))
    return { counts: await countsInPublic(ctx), isPublic: true, find: async () => NOTHING }
  const filters = filtersAsked(scope)
  const whole = knownLarger(scope, ctx.searchTuning.readWhole) ?? (await readWhole(ctx, scope))
  if (Array.isArray(whole)) {
    const candidates = whole.filter((candidate) => passes(candidate, filters, scope.without))
    return {
      counts: isPublic ? await countsInPublic(ctx) : await countsInDocuments(ctx, whole),
      isPublic,
      ...(isPublic ? {} : wordsIn(ctx, whole)),
      find: async () => ({ ...NOTHING, candidates }),
    }
  }
  const view = await viewIndex(ctx)
  return {
    counts: isPublic ? await countsInPublic(ctx) : await countsInLists(ctx, view, whose, whole.averageLength),
    isPublic,
    find: (wanted) => findBest(ctx, view, wanted, [...whose, ...filters], scope.without),
  }
}

/**
 * So few cards with so few words have their own words looked through for those that may be meant. With more the vocabulary
 * of the whole vault finds them sooner.
 */
const FEW = 64
const FEW_WORDS = 20_000

/** Made on first use: most queries have no unknown word. */
function wordsIn(ctx: Ctx, documents: readonly Candidate[]): Pick<Vocabulary, 'words' | 'mayHave'> {
  const words = documents.reduce((sum, { hashes }) => sum + hashes.length, 0)
  if (documents.length <= FEW && words <= FEW_WORDS)
    return { words: once(() => wordsOfDocuments(ctx, documents)) }
  const long = documents.filter(({ hashes }) => hashes.length > LONG)
  const others = once(() => hashesOf(documents.filter(({ hashes }) => hashes.length <= LONG)))
  return {
    mayHave: (hash) => others().has(hash) || long.some(({ hashes }) => positionOf(hashes, hash) >= 0),
  }
}

/** A document with more words is asked for each word; those of the others are put together once. */
const LONG = 2000

function hashesOf(documents: readonly Candidate[]): Set<number> {
  const all = new Set<number>()
  for (const { hashes } of documents) for (const hash of hashes) all.add(hash)
  return all
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** All cards of a small scope, or the size of a large one. */
async function readWhole(
  ctx: Ctx,
  scope: SearchScope,
): Promise<Candidate[] | { averageLength: number | undefined }> {
  const documents = await documentsIn(ctx, scope, ctx.searchTuning.readWhole + 1)
  if (!documents) return rememberLarger(scope, ctx.searchTuning.readWhole)
  if (documents.length <= ctx.searchTuning.readWhole) return documents
  const length = documents.reduce((sum, document) => sum + document.length, 0)
  return rememberLarger(scope, ctx.searchTuning.readWhole, length / documents.length)
}
