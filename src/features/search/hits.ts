import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import {
  besideBest,
  type Cover,
  confidenceOf,
  FIRST_HITS,
  FLOOR,
  logitByCovers,
  readQuery,
  weighQuery,
} from '../../text/query.ts'
import { MOST_CHARACTERS, READ_AT_ONCE } from '../../text/snippet.ts'
import { type HomeFacts, homesOf, isDistrusted, type StoredTrust } from '../cards/index.ts'
import { balanceOf, book, PUBLIC_SEARCH_COST } from '../credits/index.ts'
import { NO_CODES } from './query.ts'
import { type Demands, type HitDetails as Loaded, loadHits } from './results.ts'
import { type Hit, type Retrieved, retrieve, type SearchScope } from './retrieve.ts'

export type Ranked = { confidence: number; trust: StoredTrust | null }

/** The assumed trust of a card without verdicts. */
const UNJUDGED = 0.75
/** Hits this close in confidence count as equally good. */
const NEAR = 0.08
/** A distrusted card moves behind hits that are up to this much weaker. */
const NEAR_DISTRUSTED = 0.25
/** A smaller difference in trust does not count. */
const CLEARLY_MORE = 0.05

const worthOf = ({ trust }: Ranked): number => trust?.value ?? UNJUDGED

/** Whether the later of two hits should come before the earlier one. */
function overtakes(later: Ranked, earlier: Ranked): boolean {
  if (worthOf(later) - worthOf(earlier) < CLEARLY_MORE) return false
  const near = isDistrusted(earlier.trust) ? NEAR_DISTRUSTED : NEAR
  return earlier.confidence - later.confidence <= near
}

/**
 * The order of the ranking, but trust decides among hits of nearly the same confidence. No hit passes one that is
 * clearly better, and without any verdicts nothing moves.
 */
export function byTrust<T extends Ranked>(ranked: readonly T[]): T[] {
  const ordered: T[] = []
  for (const hit of ranked) {
    let at = ordered.length
    while (at > 0 && overtakes(hit, ordered[at - 1] as T)) at--
    ordered.splice(at, 0, hit)
  }
  return ordered
}

/** A hit with its confidence beside the others, and whether that is below the floor. */
type Judgement = Loaded & { score: number; isWeak: boolean }

/** A result: a hit, with where its card lives. */
type Picked = Judgement & { homeFacts: HomeFacts }

export type HitLimits = { limit: number; minScore: number; demands: Demands }

type Picks = {
  /** Hits in the order of the ranking. Outside the public library, weak results follow them. */
  picked: Picked[]
  /** How many hits there are, shown or not. */
  total: number
}

/** Read at least this many: a search for one hit can then prefer the more trusted of two, and scores do not depend on `limit`. */
const LEAST_READ = FIRST_HITS

/** After a winner of at least this confidence, hits beyond a large drop are cut. */
const CLEAR_WINNER = 0.8
const DROP = 0.35

/** From this likeness on a corrected word is surely the same word. */
const SURE_SLIP = 0.75

/** What rests on unsure corrections is no hit, however well it fits them. */
const UNSURE = FLOOR - 0.1

/** A hit may rest on corrected words alone only if all of them are surely meant. */
const isCarried = (covers: readonly Cover[]): boolean =>
  covers.some(({ credit, isCorrected }) => credit > 0 && !isCorrected) ||
  covers.every(({ credit }) => credit >= SURE_SLIP)

/** The confidence that a hit needs: the floor, or more if the tail after a clear winner is cut. */
function barFor(confidences: readonly number[], minScore: number): number {
  const least = Math.max(FLOOR, minScore)
  const falling = confidences.filter((confidence) => confidence >= least).sort((a, b) => b - a)
  const [first = 0] = falling
  if (first < CLEAR_WINNER) return least
  const drop = falling.findIndex((confidence, i) => i > 0 && (falling[i - 1] as number) - confidence >= DROP)
  return drop < 0 ? least : (falling[drop - 1] as number)
}

type Match = { logit: number; isCarried: boolean }

/** The confidence of each hit beside the others, in the order of the ranking. */
function confidencesOf(hits: readonly Match[]): number[] {
  const first = hits.filter(({ isCarried }) => isCarried).slice(0, FIRST_HITS)
  const best = Math.max(Number.NEGATIVE_INFINITY, ...first.map(({ logit }) => logit))
  return hits.map(({ logit }) => confidenceOf(besideBest(logit, best)))
}

type ScoredHit = {
  /** Hits by the index, and all others, in the order of the ranking. */
  likely: Hit[]
  others: Hit[]
  /** How many of the others have no known covers. */
  listed: number
  /** The confidence that a hit needs. */
  bar: number
}

/** Judges each hit by the index alone. A card without known covers is not a hit. */
function judge({ hits, asked }: Retrieved, minScore: number, isInTitle: boolean): ScoredHit {
  const query = weighQuery(asked)
  const known = hits.filter(({ covers }) => covers !== undefined)
  const matches = known.map((hit): Match => {
    const covers = (isInTitle ? hit.covers?.map(titleOnly) : hit.covers) ?? []
    return { logit: logitByCovers(query, covers, hit), isCarried: isCarried(covers) }
  })
  const confidences = confidencesOf(matches)
  const bar = barFor(
    confidences.filter((_, i) => matches[i]?.isCarried),
    minScore,
  )
  const strong = new Set(
    known.filter((_, i) => matches[i]?.isCarried === true && (confidences[i] as number) >= bar),
  )
  return {
    likely: [...strong],
    others: hits.filter((hit) => !strong.has(hit)),
    listed: hits.length - known.length,
    bar,
  }
}

const titleOnly = (cover: Cover): Cover => (cover.isProminent ? cover : { ...cover, credit: 0 })

/** Whether there may be a hit at all, before anything is read. */
export const mayHit = (found: Retrieved, { minScore, demands }: HitLimits): boolean =>
  judge(found, minScore, demands.isInTitle).likely.length > 0

/** Judges cards by their texts, in the order of the ranking. */
function judgeLoaded(loaded: readonly Loaded[], bar: number): Judgement[] {
  const matches = loaded.map(({ logit, covers }): Match => ({ logit, isCarried: isCarried(covers) }))
  const scores = confidencesOf(matches)
  return loaded.map((one, i) => {
    const confidence = scores[i] as number
    const score = matches[i]?.isCarried ? confidence : Math.min(confidence, UNSURE)
    return { ...one, score, isWeak: score < bar }
  })
}

/** How many hits are read to get that many: some fall below the floor when their texts are read. */
const spare = (wanted: number): number => wanted + Math.ceil(wanted / 5)

/** Reads hits in steps as long as there is room. The returned function says how many of its hits it has read. */
function reading(ctx: UserCtx, scope: SearchScope, { asked }: Retrieved, demands: Demands) {
  const loaded: Loaded[] = []
  let characters = 0
  const hasRoom = () => characters < MOST_CHARACTERS
  const read = async (hits: readonly Hit[]): Promise<number> => {
    let count = 0
    for (; count < hits.length && hasRoom(); count += READ_AT_ONCE) {
      const some = await loadHits(ctx, scope, asked, hits.slice(count, count + READ_AT_ONCE), demands)
      loaded.push(...some.loaded)
      characters += some.characters
    }
    return Math.min(count, hits.length)
  }
  return { loaded, hasRoom, read }
}

/** Reads hits in the order of the ranking until there are enough; outside the public library, weak results fill up. */
async function readHits(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  { limit, minScore, demands }: HitLimits,
  { likely, others: unlikely, bar }: ScoredHit,
) {
  const enough = Math.max(limit, LEAST_READ)
  const { loaded, hasRoom, read } = reading(ctx, scope, found, demands)
  const isShown = ({ isWeak, score }: Judgement) => isWeak && scope.scope !== 'public' && score >= minScore
  let strong: Judgement[] = []
  let weak: Judgement[] = []
  const load = async (hits: readonly Hit[]): Promise<number> => {
    const count = await read(hits)
    const all = judgeLoaded(loaded, bar)
    strong = all.filter(({ isWeak }) => !isWeak)
    weak = all.filter(isShown)
    return count
  }
  const others = scope.scope === 'public' ? [] : unlikely
  const missing = { strong: () => enough - strong.length, any: () => limit - strong.length - weak.length }
  // Few hits are read together with what follows them, in one statement.
  let looked = Math.min(spare(enough), likely.length)
  let further = Math.min(others.length, Math.max(0, limit - looked))
  looked = Math.min(looked, await load([...likely.slice(0, looked), ...others.slice(0, further)]))
  const mayRead = (count: number, hits: readonly Hit[]) => count < hits.length && hasRoom()
  for (let more = missing.strong(); more > 0 && mayRead(looked, likely); more = missing.strong())
    looked += await load(likely.slice(looked, looked + spare(more)))
  for (let more = missing.any(); more > 0 && mayRead(further, others); more = missing.any())
    further += await load(others.slice(further, further + spare(more)))
  return { strong, weak, unread: likely.length - looked }
}

export async function pickHits(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  wish: HitLimits,
): Promise<Picks> {
  const { limit, minScore, demands } = wish
  const judgement = judge(found, minScore, demands.isInTitle)
  const { strong, weak, unread } = await readHits(ctx, scope, found, wish, judgement)
  // Cards without known covers come after all others. If each of the others is a hit, these count as hits too.
  const { others, listed } = judgement
  const isEveryHit = others.length === listed
  const shown = [...byTrust(strong), ...byTrust(weak)].slice(0, limit)
  const homes = await homesOf(
    ctx.db,
    scope.viewerId,
    shown.map(({ row }) => row),
  )
  return {
    picked: shown.flatMap((hit) => {
      const homeFacts = homes.get(hit.row.card_id)
      return homeFacts ? [{ ...hit, homeFacts }] : []
    }),
    total: strong.length + unread + (isEveryHit ? listed : 0),
  }
}

export type Outcome = Picks & { charged: number; balance: number }

type Charge = {
  /** The cause in the ledger, booked once. */
  ref: { type: 'search' | 'recall'; id: string }
  /** Called in the transaction that charges. If it returns false, nothing is shown and nothing is charged. */
  isAllowed?: (ctx: UserCtx, picks: Picks) => Promise<boolean>
}

/**
 * Results and their price come together or not at all: the hits are read again in the transaction that charges for
 * them, so nobody pays for a card that has just vanished or sees one without paying.
 */
export function chargedSearch(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  wish: HitLimits,
  { ref, isAllowed }: Charge,
): Promise<Outcome> {
  const userId = ctx.viewer.userId
  return inTx(
    ctx,
    async (ctx) => {
      const picks = await pickHits(ctx, scope, found, wish)
      const isFree = picks.picked.every(({ row }) => row.owner_id === userId)
      if (isFree) return { ...picks, charged: 0, balance: await balanceOf(ctx, userId) }
      if (isAllowed && !(await isAllowed(ctx, picks)))
        return { picked: [], total: 0, charged: 0, balance: await balanceOf(ctx, userId) }
      const { balance } = await book(ctx, {
        userId,
        delta: -PUBLIC_SEARCH_COST,
        reason: 'public_search',
        cause: `${ref.type}:${ref.id}`,
        ref,
      })
      return { ...picks, charged: PUBLIC_SEARCH_COST, balance }
    },
    // The charge is one conditional update of one row: waiting for that row is cheaper than a retry. A limit reads
    // entries first, so it stays serialisable.
    isAllowed ? undefined : SELF_GUARDED,
  )
}

const scopeOf = (ctx: UserCtx, scope: 'known' | 'public'): SearchScope => ({
  viewerId: ctx.viewer.userId,
  scope,
  workspaceIds: [],
  tags: [],
  environment: {},
  track: undefined,
})

const NO_DEMANDS: Demands = { phrases: [], isInTitle: false, codes: NO_CODES }

/** The information of each word of the text, by its term. */
export type Information = ReadonlyMap<string, number>

const informationIn = ({ asked }: Retrieved): Information =>
  new Map(asked.map(({ term, information }) => [term, information]))

/** A card that search found, whatever its confidence; the caller judges it. */
export type FoundCard = Loaded
export type FoundCards = { cards: FoundCard[]; information: Information }

/**
 * The best cards of the viewer and their teams for a text, also those that a team has published since. Output of a program has no typing errors, and
 * correcting words takes longer than everything else, so no word is corrected.
 */
export async function findOwnAndTeam(ctx: UserCtx, text: string, most: number): Promise<FoundCards> {
  const scope = scopeOf(ctx, 'known')
  const found = await retrieve(ctx, readQuery(text), scope, 'words', most)
  const { loaded } = await loadHits(ctx, scope, found.asked, found.hits, NO_DEMANDS)
  return { cards: loaded.filter(({ covers }) => isCarried(covers)), information: informationIn(found) }
}

export type LibraryHits = { information: Information; show: (ctx: UserCtx, charge: Charge) => Promise<Shown> }
export type Shown = { picked: Picked[]; charged: number }

/**
 * What the public library has for a text. `show` returns the hits at the price of a public search, in the caller's
 * transaction if one is open. Undefined if there is no hit.
 */
export async function lookInLibrary(
  ctx: UserCtx,
  text: string,
  most: number,
): Promise<LibraryHits | undefined> {
  const scope = scopeOf(ctx, 'public')
  const found = await retrieve(ctx, readQuery(text), scope, 'words')
  const wish = { limit: most, minScore: 0, demands: NO_DEMANDS }
  if (!mayHit(found, wish)) return undefined
  return {
    information: informationIn(found),
    show: async (ctx, charge) =>
      ctx.config.credits
        ? chargedSearch(ctx, scope, found, wish, charge)
        : { ...(await pickHits(ctx, scope, found, wish)), charged: 0 },
  }
}
