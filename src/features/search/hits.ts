import type { UserCtx } from '../../core/context.ts'
import { MOST_CHARACTERS, READ_AT_ONCE } from '../../core/search-reads.ts'
import type { HomeFacts } from '../cards/home.ts'
import { homesOf } from '../cards/homes.ts'
import { byTrust } from './by-trust.ts'
import {
  besideBest,
  type Cover,
  confidenceOf,
  FIRST_HITS,
  FLOOR,
  logitByCovers,
  weighQuery,
} from './confidence.ts'
import { type Demands, type Loaded, loadHits } from './results.ts'
import type { Hit, Retrieved } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

/** A hit with its confidence beside the others, and whether that is below the floor. */
type Judgement = Loaded & { score: number; isWeak: boolean }

/** A result: a hit, with where its card lives. */
export type Picked = Judgement & { homeFacts: HomeFacts }

export type Wish = { limit: number; minScore: number; demands: Demands }

export type Picks = {
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
export const isCarried = (covers: readonly Cover[]): boolean =>
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

type Judged = {
  /** Hits by the index, and all others, in the order of the ranking. */
  likely: Hit[]
  others: Hit[]
  /** How many of the others have no known covers. */
  listed: number
  /** The confidence that a hit needs. */
  bar: number
}

/** Judges each hit by the index alone. A card without known covers is not a hit. */
function judge({ hits, asked }: Retrieved, minScore: number, isInTitle: boolean): Judged {
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
export const mayHit = (found: Retrieved, { minScore, demands }: Wish): boolean =>
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
  { limit, minScore, demands }: Wish,
  { likely, others: unlikely, bar }: Judged,
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
  wish: Wish,
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
