import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import {
  besideBest,
  type Cover,
  confidenceOf,
  FIRST_HITS,
  FLOOR,
  logitByCovers,
  neighbourLogit,
  readQuery,
  weighQuery,
} from '../../text/query.ts'
import { MAX_CHARACTERS, READ_AT_ONCE } from '../../text/snippet.ts'
import { type HomeFacts, homesOf, isDistrusted, type StoredTrust } from '../cards/index.ts'
import { balanceOf, book, PUBLIC_SEARCH_COST } from '../credits/index.ts'
import { NO_CODES } from './query.ts'
import { type Demands, type FoundCard, loadHits } from './results.ts'
import { type Retrieved, retrieve, type SearchHit, type SearchScope } from './retrieve.ts'

export type Ranked = { confidence: number; trust: StoredTrust | null }

const UNJUDGED = 0.75
/** Hits this close in confidence count as equally good. */
const NEAR = 0.08
/** A distrusted card moves behind hits that are up to this much weaker. */
const NEAR_DISTRUSTED = 0.25
const CLEARLY_MORE = 0.05

const worthOf = ({ trust }: Ranked): number => trust?.value ?? UNJUDGED

function overtakes(later: Ranked, earlier: Ranked): boolean {
  if (worthOf(later) - worthOf(earlier) < CLEARLY_MORE) return false
  const near = isDistrusted(earlier.trust) ? NEAR_DISTRUSTED : NEAR
  return earlier.confidence - later.confidence <= near
}

export function byTrust<T extends Ranked>(ranked: readonly T[]): T[] {
  const ordered: T[] = []
  for (const hit of ranked) {
    let at = ordered.length
    while (at > 0 && overtakes(hit, ordered[at - 1] as T)) at--
    ordered.splice(at, 0, hit)
  }
  return ordered
}

/** Moves cards with more of the preferred phrases before cards that are at most this much surer. */
const NEAR_PREFERRED = 0.25

type Preferred = Pick<FoundCard, 'preferred' | 'confidence'>

export function byPreference<T extends Preferred>(ranked: readonly T[]): T[] {
  const ordered: T[] = []
  for (const hit of ranked) {
    let at = ordered.length
    const overtakes = (earlier: T) =>
      hit.preferred > earlier.preferred && earlier.confidence - hit.confidence <= NEAR_PREFERRED
    while (at > 0 && overtakes(ordered[at - 1] as T)) at--
    ordered.splice(at, 0, hit)
  }
  return ordered
}

type Judgement = FoundCard & { score: number; isWeak: boolean }

type Picked = Judgement & { homeFacts: HomeFacts }

export type HitLimits = { limit: number; minScore: number; demands: Demands }

export type Picks = {
  picked: Picked[]
  total: number
}

/** The minimum number of hits to read, so that trust can reorder them and scores do not depend on `limit`. */
const MIN_READ = FIRST_HITS
/** A card with a preferred phrase may be further down. */
const MIN_READ_PREFERRED = 20

/** After a winner of at least this confidence, hits beyond a large drop are cut. */
const CLEAR_WINNER = 0.8
const DROP = 0.35

const SURE_SLIP = 0.75

/** The maximum confidence of a match by unsure corrections: below the floor. */
const UNSURE = FLOOR - 0.1

/** Returns false if a hit rests on corrected words alone and one of them is unsure. */
const isCarried = (covers: readonly Cover[]): boolean =>
  covers.some(({ credit, isCorrected }) => credit > 0 && !isCorrected) ||
  covers.every(({ credit }) => credit >= SURE_SLIP)

function barFor(confidences: readonly number[], minScore: number): number {
  const least = Math.max(FLOOR, minScore)
  const falling = confidences.filter((confidence) => confidence >= least).sort((a, b) => b - a)
  const [first = 0] = falling
  if (first < CLEAR_WINNER) return least
  const drop = falling.findIndex((confidence, i) => i > 0 && (falling[i - 1] as number) - confidence >= DROP)
  return drop < 0 ? least : (falling[drop - 1] as number)
}

type Match = Pick<FoundCard, 'logit' | 'ownCard'> & { isCarried: boolean }

function confidencesOf(hits: readonly Match[]): number[] {
  const first = hits.filter(({ isCarried }) => isCarried).slice(0, FIRST_HITS)
  const surest = (logits: readonly number[]) => Math.max(Number.NEGATIVE_INFINITY, ...logits)
  // Where the first hits are neighbours of what was asked, no other is sure.
  const ownCard = first.length > 0 ? surest(first.map((hit) => hit.ownCard)) : Number.POSITIVE_INFINITY
  const best = Math.min(ownCard, surest(first.map(({ logit }) => logit)))
  return hits.map(({ logit }) => confidenceOf(besideBest(Math.min(logit, ownCard), best)))
}

type ScoredHit = {
  likely: SearchHit[]
  others: SearchHit[]
  listed: number
  bar: number
}

/** Judges each hit by the index alone. A card without known covers is not a hit. */
function judge(
  { hits, asked }: Retrieved,
  { minScore, demands: { isInTitle, hasTelling } }: Pick<HitLimits, 'minScore' | 'demands'>,
): ScoredHit {
  const query = weighQuery(asked)
  const known = hits.filter(({ covers }) => covers !== undefined)
  const matches = known.map((hit): Match => {
    const covers = (isInTitle ? hit.covers?.map(titleOnly) : hit.covers) ?? []
    return {
      logit: logitByCovers(query, covers, hit),
      ownCard: hasTelling ? neighbourLogit(query, covers, hit) : Number.POSITIVE_INFINITY,
      isCarried: isCarried(covers),
    }
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

export const mayHit = (found: Retrieved, wish: HitLimits): boolean => judge(found, wish).likely.length > 0

function judgeLoaded(loaded: readonly FoundCard[], bar: number): Judgement[] {
  const matches = loaded.map(
    ({ logit, ownCard, covers }): Match => ({
      logit,
      ownCard,
      isCarried: isCarried(covers),
    }),
  )
  const scores = confidencesOf(matches)
  return loaded.map((one, i) => {
    const confidence = scores[i] as number
    const score = matches[i]?.isCarried ? confidence : Math.min(confidence, UNSURE)
    return { ...one, score, isWeak: score < bar }
  })
}

/** Over-fetches by 20 %: some hits drop below the threshold once scored. */
const spare = (wanted: number): number => wanted + Math.ceil(wanted / 5)

/** Reads hits in steps while there is room. The returned function says how many hits it has read. */
function reading(ctx: UserCtx, scope: SearchScope, { asked }: Retrieved, demands: Demands) {
  const loaded: FoundCard[] = []
  let characters = 0
  const hasRoom = () => characters < MAX_CHARACTERS
  const read = async (hits: readonly SearchHit[]): Promise<number> => {
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

async function readHits(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  { limit, minScore, demands }: HitLimits,
  { likely, others: unlikely, bar }: ScoredHit,
) {
  const enough = Math.max(limit, demands.preferred.length > 0 ? MIN_READ_PREFERRED : MIN_READ)
  const { loaded, hasRoom, read } = reading(ctx, scope, found, demands)
  const isShown = ({ isWeak, score }: Judgement) => isWeak && scope.scope !== 'public' && score >= minScore
  let strong: Judgement[] = []
  let weak: Judgement[] = []
  const load = async (hits: readonly SearchHit[]): Promise<number> => {
    const count = await read(hits)
    const all = judgeLoaded(loaded, bar)
    strong = all.filter(({ isWeak }) => !isWeak)
    weak = all.filter(isShown)
    return count
  }
  const others = scope.scope === 'public' ? [] : unlikely
  const missing = { strong: () => enough - strong.length, any: () => limit - strong.length - weak.length }
  let looked = Math.min(spare(enough), likely.length)
  let further = Math.min(others.length, Math.max(0, limit - looked))
  looked = Math.min(looked, await load([...likely.slice(0, looked), ...others.slice(0, further)]))
  const mayRead = (count: number, hits: readonly SearchHit[]) => count < hits.length && hasRoom()
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
  const { limit } = wish
  const judgement = judge(found, wish)
  const { strong, weak, unread } = await readHits(ctx, scope, found, wish, judgement)
  // Cards without known covers come last. They count as hits if each of the others is a hit.
  const { others, listed } = judgement
  const isEveryHit = others.filter(({ isNear }) => !isNear).length === listed
  const ordered = (hits: readonly Judgement[]) => byPreference(byTrust(hits))
  const shown = [...ordered(strong), ...ordered(weak)].slice(0, limit)
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

/** Marks all results as weak, of a reading that is less strict than the query. */
export const weakened = ({ picked }: Picks, { minScore }: HitLimits): Picks => ({
  picked: picked
    .map((hit) => ({ ...hit, isWeak: true, score: Math.min(hit.score, UNSURE) }))
    .filter(({ score }) => score >= minScore),
  total: 0,
})

export type Outcome = Picks & { charged: number; balance: number }

type Charge = {
  /** The cause in the ledger; each cause is booked once. */
  ref: { type: 'search' | 'recall'; id: string }
  /** Runs in the charging transaction. False shows nothing and charges nothing. */
  isAllowed?: (ctx: UserCtx, picks: Picks) => Promise<boolean>
}

/** Reads the hits again while charging, so that nobody pays for a vanished card or sees one unpaid. */
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
      const isFree = picks.picked.every(({ row }) => row.is_in_team === 1)
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
    // The charge locks one row; a limit reads entries first, so that case stays serialisable.
    isAllowed ? undefined : SELF_GUARDED,
  )
}

const scopeOf = (ctx: UserCtx, scope: 'own_and_team' | 'public'): SearchScope => ({
  viewerId: ctx.viewer.userId,
  scope,
  workspaceIds: [],
  tags: [],
  environment: {},
  filters: {},
})

export const NO_DEMANDS: Demands = {
  phrases: [],
  preferred: [],
  isInTitle: false,
  codes: NO_CODES,
  hasTelling: false,
}

export type Information = ReadonlyMap<string, number>

const informationIn = ({ asked }: Retrieved): Information =>
  new Map(asked.map(({ term, information }) => [term, information]))

export type FoundCards = { cards: FoundCard[]; information: Information }

/** Without spelling correction: program output has no typing errors, and correction is slow. */
export async function findOwnAndTeam(ctx: UserCtx, text: string, most: number): Promise<FoundCards> {
  const scope = scopeOf(ctx, 'own_and_team')
  const found = await retrieve(ctx, readQuery(text), scope, 'words', most)
  const { loaded } = await loadHits(ctx, scope, found.asked, found.hits, NO_DEMANDS)
  return { cards: loaded.filter(({ covers }) => isCarried(covers)), information: informationIn(found) }
}

type LibraryHits = { information: Information; show: (ctx: UserCtx, charge: Charge) => Promise<Shown> }
type Shown = { picked: Picked[]; charged: number }

/** `show` returns the hits at the price of a public search, in the caller's open transaction. */
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
      ctx.serverSettings.credits
        ? chargedSearch(ctx, scope, found, wish, charge)
        : { ...(await pickHits(ctx, scope, found, wish)), charged: 0 },
  }
}
