import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import {
  type Candidate,
  countsInDocuments,
  countsInLists,
  countsInPublic,
  documentsByNumber,
  findBest,
  fuse,
  isNumberOfCode,
  type LikeWord,
  likeWords,
  type Match,
  MINOR_LEVEL,
  matches,
  PROMINENT_LEVEL,
  PUBLIC_FILTER,
  passes,
  positionOf,
  type RankedMatches,
  ranked,
  type Scored,
  type VisibleCount,
  type VisibleCounts,
  type Vocabulary,
  viewIndex,
  type Wanted,
  type Without,
  wordsOfDocuments,
} from '../../search-index/index.ts'
import type { CardType, WordFilters } from '../../shared/card-fields.ts'
import {
  type AskedWord,
  askedInformation,
  type Cover,
  confidenceOf,
  FIRST_HITS,
  logitByCovers,
  MINOR_CREDIT,
  rarity,
  type Surroundings,
  type WeighedWord,
  weighQuery,
} from '../../text/query.ts'
import { hasTrigrams, wordHash } from '../../text/term-hash.ts'
import { STOP_WORDS } from '../../text/terms.ts'
import { meansAlso } from '../../text/thesaurus.ts'
import {
  askedEnvironmentFilter,
  isListed,
  normalName,
  ownerFilter,
  ownerInFilter,
  publishedFromFilter,
  type SearchedScope,
  tagFilter,
  typeFilter,
  type ViewerId,
  wordFilterHashes,
  workspaceFilter,
} from '../cards/index.ts'

/** How many words of a long query are counted; the most informative of those are searched. */
const MAX_COUNTED = 256
const MAX_KNOWN = 48
/** The limit for unknown words, so that typing errors and noise do not displace other words. */
const MAX_UNCOUNTED = 24

type Term = AskedWord &
  VisibleCount & {
    hash: number
    /** The weight: rarity, and more for a repeated word. */
    worth: number
    wanted: Wanted
    /** Words of the same meaning. They rank cards, and never count as covered. */
    related: readonly string[]
    relatedWanted: Wanted
  }

const worthOf = (times: number, { cards }: VisibleCount, all: number) =>
  (1 + Math.log(times)) * rarity(cards, all)

/** A word of the same meaning weighs this much of what it would weigh if it was typed. */
const RELATED_SHARE = 0.5
const MAX_RELATED = 40

async function planTerms(
  words: readonly AskedWord[],
  counts: VisibleCounts,
  hasRelated: boolean,
): Promise<Term[]> {
  const counted = words.slice(0, MAX_COUNTED)
  const typed = new Set(counted.map(({ term }) => term))
  const relatedOf = ({ term, isQuoted, isStopWord }: AskedWord): string[] =>
    hasRelated && !isQuoted && !isStopWord
      ? meansAlso(term)
          .filter((other) => !typed.has(other))
          .slice(0, MAX_RELATED)
      : []
  const hashes = counted
    .flatMap((word) => [word.term, ...word.parts, ...(word.otherTerms ?? []), ...relatedOf(word)])
    .map(wordHash)
  const count = await counts.of([...new Set(hashes)])
  const taken = new Set(counted.map(({ term }) => wordHash(term)))
  const terms = counted.map((word): Term => {
    const hash = wordHash(word.term)
    const others = (word.otherTerms ?? []).map((term) => ({ hash: wordHash(term), ...count(wordHash(term)) }))
    const own = count(hash)
    // A card may have several of the words, so the sum is an upper estimate.
    const cards = Math.min(counts.cards, sum([own, ...others].map((one) => one.cards)))
    const known = others.length > 0 ? { ...own, cards } : own
    const worth = worthOf(word.times, known, counts.cards)
    const parts = word.parts.map((part) => {
      const hash = wordHash(part)
      const { cards, postings } = count(hash)
      // A part that the query also has as a word, or in an earlier name, is counted there.
      const isCounted = taken.has(hash) || STOP_WORDS.has(part)
      taken.add(hash)
      return { hash, postings, worth: isCounted ? 0 : rarity(cards, counts.cards) }
    })
    const option = { hash, postings: known.postings, worth }
    const related = relatedOf(word).filter((other) => count(wordHash(other)).cards > 0)
    return {
      ...word,
      ...known,
      hash,
      worth,
      wanted: [
        parts.length > 0 ? { ...option, parts } : option,
        ...others.map(({ hash, postings }) => ({ hash, postings, worth })),
      ],
      related,
      relatedWanted: related.map((other) => {
        const hash = wordHash(other)
        const { cards, postings } = count(hash)
        return { hash, postings, worth: RELATED_SHARE * rarity(cards, counts.cards) }
      }),
    }
  })
  const byWorth = terms.filter(isCountedSomewhere).sort((a, b) => b.worth - a.worth)
  return [
    ...byWorth.slice(0, MAX_KNOWN),
    ...terms.filter((term) => !isCountedSomewhere(term)).slice(0, MAX_UNCOUNTED),
  ]
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

const isCountedSomewhere = ({ cards }: Term) => cards > 0

export type SearchScope = {
  viewerId: string
  scope: SearchedScope
  workspaceIds: readonly string[]
  tags: readonly string[]
  environment: Readonly<Record<string, string>>
  filters: WordFilters
  includeSuperseded?: boolean
  type?: CardType | undefined
  required?: readonly number[]
  without?: Without
}

/** A person in more workspaces searches the most recently joined ones. */
const MAX_WORKSPACES = 1000

/** Returns the workspaces whose cards the viewer finds there. Must stay in step with `isListed`. */
async function openWorkspaces(ctx: Ctx, { viewerId, scope, workspaceIds }: SearchScope): Promise<string[]> {
  const named = workspaceIds.length > 0
  let query = ctx.db.selectFrom('workspaces').select('workspaces.workspace_id')
  if (named) query = query.where('workspaces.workspace_id', 'in', workspaceIds)
  if (scope === 'public') query = query.where('workspaces.visibility', '=', 'public')
  if (scope !== 'public') {
    query = query
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.workspace_id', '=', 'workspaces.workspace_id')
          .on('memberships.user_id', '=', viewerId),
      )
      .orderBy('memberships.created_at', 'desc')
  }
  return (await query.limit(MAX_WORKSPACES).execute()).map((row) => row.workspace_id)
}

async function tenancy(ctx: Ctx, asked: SearchScope): Promise<Match> {
  const { viewerId, scope, workspaceIds } = asked
  const named = workspaceIds.length > 0
  if (scope === 'personal' && !named) return [[ownerFilter(viewerId)]]
  if (scope === 'public' && !named) return [[PUBLIC_FILTER]]
  const open = await openWorkspaces(ctx, asked)
  if (scope === 'public') return [[PUBLIC_FILTER], open.map(workspaceFilter)]
  const published = open.map(publishedFromFilter)
  const ownThere = workspaceIds.map((id) => ownerInFilter(viewerId, id))
  if (scope === 'personal') return [[ownerFilter(viewerId)], [...ownThere, ...published]]
  const ofTeam = [...open.map(workspaceFilter), ...published]
  if (scope === 'team') return [ofTeam]
  const ownIn = open.map((id) => ownerInFilter(viewerId, id))
  if (scope === 'workspace') return [[...ofTeam, ...ownIn]]
  const own = named ? ownThere : [ownerFilter(viewerId)]
  return [[...new Set([...own, ...ofTeam, ...ownIn])]]
}

export const filtersAsked = ({ tags, environment, filters, type, required }: SearchScope): Match => [
  ...tags.map((tag) => [tagFilter(tag)]),
  ...Object.entries(environment).map(([name, value]) => [askedEnvironmentFilter(name, value)]),
  ...wordFilterHashes(filters).map((hash) => [hash]),
  ...(type ? [[typeFilter(type)]] : []),
  ...(required ?? []).map((hash) => [hash]),
]

export async function tagsInScope(ctx: Ctx, scope: SearchScope, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of new Set(names)) {
    const card = await ctx.db
      .selectFrom('card_tags')
      .innerJoin('cards', 'cards.card_id', 'card_tags.card_id')
      .select('card_tags.card_id')
      .where('card_tags.tag_normal', '=', normalName(name))
      .where(listedIn(ctx.db, scope))
      .limit(1)
      .executeTakeFirst()
    if (card) found.push(name)
  }
  return found
}

export const listedIn = (db: Db, { viewerId, scope, workspaceIds }: SearchScope) =>
  isListed(db, viewerId, scope, workspaceIds)

const LARGE_KEPT_MS = 60_000
const MAX_KEPT = 10_000
type Large = { averageLength: number | undefined }
const LARGE = new LRUCache<string, Large>({ max: MAX_KEPT, ttl: LARGE_KEPT_MS })

const nameOf = ({ viewerId, scope, workspaceIds }: SearchScope, cards: number) =>
  `${cards} ${scope === 'public' ? '' : viewerId} ${scope} ${workspaceIds.join()}`

/** Small scopes are not cached, because they may grow at any moment. */
const knownLarger = (scope: SearchScope, cards: number): Large | undefined => LARGE.get(nameOf(scope, cards))

function rememberLarger(scope: SearchScope, cards: number, averageLength?: number): Large {
  const known = { averageLength }
  LARGE.set(nameOf(scope, cards), known)
  return known
}

type Shape = Pick<SearchScope, 'scope' | 'workspaceIds'>

const numbersQuery = (db: Db, { scope, workspaceIds }: Shape, viewerId: ViewerId) =>
  db
    .selectFrom('cards')
    .innerJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .select(['search_docs.doc_no', sql<number>`octet_length(search_docs.weights)`.as('bytes')])
    .where(isListed(db, viewerId, scope, workspaceIds))

type Values = { viewerId: string; limit: number }
type Numbered = { doc_no: number; bytes: number }
type Ready = (db: Db, values: Values) => Promise<Numbered[]>

const ready = new Map<string, Ready>()

function readyFor(shape: Shape): Ready {
  const known = ready.get(shape.scope)
  if (known) return known
  const made = prepared('documentsInScope', (db, parameter: Named<Values>) =>
    numbersQuery(db, shape, parameter('viewerId')).limit(parameter('limit')),
  )
  ready.set(shape.scope, made)
  return made
}

async function numbersIn(ctx: Ctx, scope: SearchScope, limit: number): Promise<Numbered[]> {
  const { viewerId } = scope
  return scope.workspaceIds.length === 0
    ? readyFor(scope)(ctx.db, { viewerId, limit })
    : numbersQuery(ctx.db, scope, viewerId).limit(limit).execute()
}

/** The limit in bytes, about 400,000 words: reading more is slower than reading the posting lists. */
const MAX_WHOLE_BYTES = 2 ** 20

/** A card may change between the two statements of a try and then gets another number. */
const TRIES = 3

/** Returns up to `limit` documents of a scope without its filters; undefined if they have too many words. */
async function documentsIn(ctx: Ctx, scope: SearchScope, limit: number): Promise<Candidate[] | undefined> {
  for (let attempt = 1; ; attempt++) {
    const numbered = await numbersIn(ctx, scope, limit)
    if (numbered.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_WHOLE_BYTES) return undefined
    const documents = await documentsByNumber(
      ctx,
      numbered.map((row) => row.doc_no),
    )
    if (documents.length === numbered.length || attempt === TRIES) return documents
  }
}

const MAX_CORRECTED = 6
/** In a longer query only plain words are corrected: names and codes take longest. */
const LONG_QUERY = 12
const PLAIN_WORD = /^\p{L}{4,}$/u

const PATH_WEIGHTS = { words: 1, trigrams: 20 }
/** The weight of meaning where words stay first. */
const BEHIND_WORDS = 1e-6

export type QueryTerm = Term & WeighedWord & { meant: readonly LikeWord[] }

export type SearchHit = Surroundings & {
  docNo: number
  /** Undefined if only the posting lists of the document were read. */
  documentId: string | undefined
  /** How much of each asked word the document has; undefined if only its posting lists were read. */
  covers: Cover[] | undefined
  /** Found by meaning alone. */
  isNear: boolean
}

export type Retrieved = {
  /** Best first, with spare hits in case some cards are gone. */
  hits: SearchHit[]
  asked: QueryTerm[]
  visible: { cards: number; words: ReadonlyMap<string, number> }
  /** Whether meaning was compared too. */
  isSemantic: boolean
}

/** `words` is for texts without typing errors and for benchmarks. */
type Paths = 'both' | 'words'

export type Meaning = {
  /** Cards near in meaning, best first; undefined if only words can be compared. */
  near: Promise<Candidate[] | undefined>
  /** A person's own words. What a program wrote is known by its words. */
  isSpoken: boolean
}

type ByMeaning = { near: readonly Candidate[]; isSpoken: boolean }

export async function retrieve(
  ctx: Ctx,
  words: readonly AskedWord[],
  scope: SearchScope,
  paths: Paths = 'both',
  most?: number,
  meaning?: Meaning,
): Promise<Retrieved> {
  const source = await sourceFor(ctx, scope)
  const hasRelated = paths === 'both' && words.length <= LONG_QUERY
  const terms = await planTerms(words, source.counts, hasRelated)
  const { cards: all, averageLength } = source.counts
  const visible = { cards: all, words: new Map(terms.map(({ term, cards }) => [term, cards])) }

  const found = await source.find(terms.map(({ wanted, relatedWanted }) => [...wanted, ...relatedWanted]))
  const missing = terms.filter((term) => isMissing(term, found))
  const unknown =
    paths === 'words'
      ? []
      : mayBeSlips(
          missing.filter(({ related }) => related.length === 0),
          terms.length - missing.length,
        )
  const likes = await meantBy(ctx, unknown, source)
  const asked = terms.map((term): QueryTerm => {
    const meant = likes.get(term) ?? []
    const information = askedInformation(term, term.cards, all)
    return { ...term, information, meant, isUnknown: term.cards === 0 && meant.length === 0 }
  })
  const exact = terms
    .map((term) => [...(missing.includes(term) ? [] : term.wanted), ...term.relatedWanted])
    .filter((wanted) => wanted.length > 0)
  const byWords = ranked(found.candidates, exact, averageLength)
  const meant = [...likes.values()].map((words) => wantedLikes(words, all))
  const near = await meaning?.near
  const isSemantic = near !== undefined
  const byMeaning = near && { near, isSpoken: meaning?.isSpoken === true }
  if (meant.length === 0)
    return {
      hits: hitsOf(asked, [{ scored: byWords, found }], all, most, byMeaning),
      asked,
      visible,
      isSemantic,
    }

  const widened = [...exact, ...meant]
  const more = await source.find(widened)
  const byTrigrams = ranked(more.candidates, widened, averageLength)
  const rankings = [
    { scored: byTrigrams, found: more },
    { scored: byWords, found },
  ]
  return { hits: hitsOf(asked, rankings, all, most, byMeaning), asked, visible, isSemantic }
}

/** How fast meaning loses weight as words tell the best card from the second. Fitted; see bench/README.md. */
const LEAD_EXPONENT = 4

/** The surer words are of a card, and the further it leads, the less meaning says. */
function meaningWeight(asked: readonly QueryTerm[], [first]: readonly Ranking[], cards: number): number {
  const query = weighQuery(asked)
  const scored = first?.scored ?? []
  const logits = scored.slice(0, FIRST_HITS).map(({ candidate }) => {
    const covers = asked.map((word) => coverOf(candidate, word))
    return logitByCovers(query, covers, { cards, length: candidate.length })
  })
  const doubt = 1 - confidenceOf(Math.max(Number.NEGATIVE_INFINITY, ...logits))
  const [best, second] = scored
  const closeness = best ? (second?.points ?? 0) / best.points : 1
  return doubt * closeness ** LEAD_EXPONENT
}

type Ranking = { scored: Scored[]; found: RankedMatches }

function hitsOf(
  asked: readonly QueryTerm[],
  rankings: readonly Ranking[],
  cards: number,
  most?: number,
  { near, isSpoken }: ByMeaning = { near: [], isSpoken: false },
): SearchHit[] {
  const known = new Map<number, Scored>()
  for (const candidate of near) known.set(candidate.docNo, { candidate, points: 0, bm25: 0 })
  for (const { scored } of rankings.toReversed())
    for (const one of scored) known.set(one.candidate.docNo, one)
  const weights = rankings.length > 1 ? [PATH_WEIGHTS.trigrams, PATH_WEIGHTS.words] : [1]
  const share = isSpoken ? Math.max(BEHIND_WORDS, meaningWeight(asked, rankings, cards)) : BEHIND_WORDS
  const lists = rankings.map(({ scored, found }, i) => ({
    ids: [...scored.map(({ candidate }) => candidate.docNo), ...found.others],
    weight: weights[i] ?? 1,
  }))
  const byWords = new Set(near.length > 0 ? lists.flatMap(({ ids }) => ids) : [])
  if (near.length > 0) lists.push({ ids: near.map(({ docNo }) => docNo), weight: (weights[0] ?? 1) * share })
  const numbers = fuse(lists)
  return numbers.slice(0, most).map((docNo) => {
    const scored = known.get(docNo)
    return {
      docNo,
      documentId: scored?.candidate.documentId,
      covers: scored && asked.map((word) => coverOf(scored.candidate, word)),
      cards,
      length: scored?.candidate.length ?? 0,
      isNear: near.length > 0 && !byWords.has(docNo),
    }
  })
}

const isPlain = ({ typed, parts }: Term) => parts.length === 0 && PLAIN_WORD.test(typed)

const hasLikes = ({ term }: Term) => hasTrigrams(term) || isNumberOfCode(term)

const mayBeSlips = (missing: readonly Term[], known: number): Term[] =>
  missing
    .filter((term) => !term.isQuoted && hasLikes(term) && (known <= LONG_QUERY || isPlain(term)))
    .slice(0, MAX_CORRECTED)

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
const BY_PARTS = new Map([MINOR, PLAIN, PROMINENT].map((cover) => [cover, { ...cover, isByParts: true }]))

function coverOf(candidate: Candidate, { wanted, meant }: QueryTerm): Cover {
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

/** A negative `at` means that only the parts of the word are there. */
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

/** A word in at least this many visible cards is spelled right, even if no card in scope has it. */
const SURELY_RIGHT = 3

/** Cards with a rare word are always candidates, so a rare word without a candidate is in no card in scope. */
const isMissing = (term: Term, { candidates }: RankedMatches): boolean =>
  term.cards < SURELY_RIGHT &&
  !candidates.some((candidate) => term.wanted.some((option) => matches(candidate, option)))

type Source = Vocabulary & { find: (wanted: readonly Wanted[]) => Promise<RankedMatches> }

const NOTHING: RankedMatches = { candidates: [], others: [] }

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

const FEW = 64
const FEW_WORDS = 8000

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

/** A longer document is asked for each word; words of shorter documents are joined once. */
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
