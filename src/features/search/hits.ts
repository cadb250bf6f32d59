import type { UserCtx } from '../../core/context.ts'
import type { HomeFacts } from '../cards/home.ts'
import { homesOf } from '../cards/homes.ts'
import { byTrust } from './by-trust.ts'
import { besideSurest, type Cover, confidenceOf, FIRST_HITS, FLOOR, featuresOf, sumOf } from './confidence.ts'
import { type Demands, type Loaded, loadHits } from './results.ts'
import type { Hit, Retrieved } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

/** A hit with its confidence beside the others, and whether that is below the floor. */
type Judgement = Loaded & { score: number; isWeak: boolean }

/** A result: a hit, with where its card lives. */
export type Picked = Judgement & { homeFacts: HomeFacts }

export type Wish = { limit: number; minScore: number; demands: Demands }

export type Picks = {
  /** Hits in the order of the ranking; after them, outside of the public library, what is too weak to be one. */
  picked: Picked[]
  /** How many hits there are, shown or not. */
  total: number
}

/** Whoever asks for one hit gets the more trusted of two that are alike; and the first tell how sure the others are. */
const LEAST_READ = FIRST_HITS

/** From a winner that is this sure on, what comes after a drop of so much is no longer meant. */
const CLEAR_WINNER = 0.8
const DROP = 0.35

/** Surely the same word: a slip in a long word, or a small one. */
const SURE_SLIP = 0.75

/** Words that were corrected carry a hit alone only if they surely stand for all that was asked. */
export const isCarried = (covers: readonly Cover[]): boolean =>
  covers.some(({ credit, isCorrected }) => credit > 0 && !isCorrected) ||
  covers.every(({ credit }) => credit >= SURE_SLIP)

/** The confidence that a hit needs: the floor, or more where the tail of a clear winner is cut. */
function barFor(confidences: readonly number[], minScore: number): number {
  const least = Math.max(FLOOR, minScore)
  const falling = confidences.filter((confidence) => confidence >= least).sort((a, b) => b - a)
  const [first = 0] = falling
  if (first < CLEAR_WINNER) return least
  const drop = falling.findIndex((confidence, i) => i > 0 && (falling[i - 1] as number) - confidence >= DROP)
  return drop < 0 ? least : (falling[drop - 1] as number)
}

/** How sure search is of each hit, in the order of the ranking, given what speaks for it and whether its words carry it. */
function confidencesOf(hits: readonly { sum: number; isCarried: boolean }[]): number[] {
  const first = hits.filter(({ isCarried }) => isCarried).slice(0, FIRST_HITS)
  const surest = Math.max(Number.NEGATIVE_INFINITY, ...first.map(({ sum }) => sum))
  return hits.map(({ sum }) => confidenceOf(besideSurest(sum, surest)))
}

type Judged = { hit: Hit; isStrong: boolean }

/** What the index alone says about each hit. A card that is known by its lists alone is no hit. */
function judge(
  { hits, asked }: Retrieved,
  minScore: number,
  isInTitle: boolean,
): { judged: Judged[]; bar: number } {
  const matches = hits.map((hit) => {
    const covers = isInTitle ? hit.covers?.map(titleOnly) : hit.covers
    if (!covers) return { sum: Number.NEGATIVE_INFINITY, isCarried: false }
    return { sum: sumOf(featuresOf(asked, covers, hit)), isCarried: isCarried(covers) }
  })
  const confidences = confidencesOf(matches)
  const bar = barFor(
    confidences.filter((_, i) => matches[i]?.isCarried),
    minScore,
  )
  const judged = hits.map((hit, i) => ({
    hit,
    isStrong: matches[i]?.isCarried === true && (confidences[i] as number) >= bar,
  }))
  return { judged, bar }
}

const titleOnly = (cover: Cover): Cover => (cover.isProminent ? cover : { ...cover, credit: 0 })

/** Whether there may be a hit at all, before anything is read. */
export const mayHit = (found: Retrieved, { minScore, demands }: Wish): boolean =>
  judge(found, minScore, demands.isInTitle).judged.some(({ isStrong }) => isStrong)

/** What the texts of some cards say about each, hits and others in the order of the ranking. */
function judgedByTexts(loaded: readonly Loaded[], bar: number): { strong: Judgement[]; others: Judgement[] } {
  const matches = loaded.map(({ sum, covers }) => ({ sum, isCarried: isCarried(covers) }))
  const scores = confidencesOf(matches)
  const judged = loaded.map((one, i): Judgement => {
    const score = scores[i] as number
    return { ...one, score, isWeak: !(score >= bar && matches[i]?.isCarried) }
  })
  return {
    strong: judged.filter(({ isWeak }) => !isWeak),
    others: judged.filter(({ isWeak }) => isWeak),
  }
}

export async function pickHits(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  wish: Wish,
): Promise<Picks> {
  const { limit, minScore, demands } = wish
  const { judged, bar } = judge(found, minScore, demands.isInTitle)
  const enough = Math.max(limit, LEAST_READ)
  const loaded: Loaded[] = []
  const read = async (hits: readonly Hit[], isEnough: () => boolean): Promise<number> => {
    let at = 0
    for (; at < hits.length && !isEnough(); at += enough)
      loaded.push(...(await loadHits(ctx, scope, found.asked, hits.slice(at, at + enough), demands)))
    return at
  }
  const likely = judged.filter(({ isStrong }) => isStrong).map(({ hit }) => hit)
  const looked = await read(likely, () => judgedByTexts(loaded, bar).strong.length >= enough)
  if (scope.scope !== 'public')
    await read(
      judged.filter(({ isStrong }) => !isStrong).map(({ hit }) => hit),
      () => loaded.length >= limit,
    )
  const { strong, others } = judgedByTexts(loaded, bar)
  const weak = scope.scope === 'public' ? [] : others.filter(({ score }) => score >= minScore)
  // Cards that only their lists speak of come after all others; where each of those is a hit, these are taken for hits too.
  const listed = judged.filter(({ hit }) => hit.covers === undefined).length
  const isEveryHit = likely.length === judged.length - listed
  const shown = [...byTrust(strong), ...byTrust(weak)].slice(0, limit)
  const homes = await homesOf(
    ctx.db,
    scope.viewerId,
    shown.map(({ row }) => row.card_id),
  )
  return {
    picked: shown.flatMap((hit) => {
      const homeFacts = homes.get(hit.row.card_id)
      return homeFacts ? [{ ...hit, homeFacts }] : []
    }),
    total: strong.length + Math.max(0, likely.length - looked) + (isEveryHit ? listed : 0),
  }
}
