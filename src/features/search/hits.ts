import type { UserCtx } from '../../core/context.ts'
import type { HomeFacts } from '../cards/home.ts'
import { homesOf } from '../cards/homes.ts'
import { byTrust } from './by-trust.ts'
import { type Cover, confidenceOf, FLOOR, featuresOf } from './confidence.ts'
import { type Demands, type Loaded, loadHits } from './results.ts'
import type { Hit, Retrieved } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

/** A hit, and whether it is below the floor. */
type Judgement = Loaded & { isWeak: boolean }

/** A result: a hit, with where its card lives. */
export type Picked = Judgement & { homeFacts: HomeFacts }

export type Wish = { limit: number; minScore: number; demands: Demands }

export type Picks = {
  /** Hits in the order of the ranking. Outside the public library, weak results follow them. */
  picked: Picked[]
  /** How many hits there are, shown or not. */
  total: number
}

/** Read at least this many, so that even a search for one hit can prefer the more trusted of two equal ones. */
const LEAST_READ = 3

/** After a winner of at least this confidence, hits beyond a large drop are cut. */
const CLEAR_WINNER = 0.8
const DROP = 0.35

/** From this likeness on a corrected word is surely the same word. */
const SURE_SLIP = 0.75

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

type Judged = { hit: Hit; confidence: number; isStrong: boolean }

/** Judges each hit by the index alone. A card without known covers is not a hit. */
function judge(
  { hits, asked }: Retrieved,
  minScore: number,
  isInTitle: boolean,
): { judged: Judged[]; bar: number } {
  const information = asked.map((word) => word.information)
  const judged = hits.map((hit) => {
    const covers = isInTitle ? hit.covers?.map(titleOnly) : hit.covers
    const isMatch = covers !== undefined && isCarried(covers)
    const confidence = covers ? confidenceOf(featuresOf(information, covers, hit)) : 0
    return { hit, confidence, isStrong: isMatch }
  })
  const bar = barFor(
    judged.filter(({ isStrong }) => isStrong).map(({ confidence }) => confidence),
    minScore,
  )
  return { judged: judged.map((one) => ({ ...one, isStrong: one.isStrong && one.confidence >= bar })), bar }
}

const titleOnly = (cover: Cover): Cover => (cover.isProminent ? cover : { ...cover, credit: 0 })

/** Whether there may be a hit at all, before anything is read. */
export const mayHit = (found: Retrieved, { minScore, demands }: Wish): boolean =>
  judge(found, minScore, demands.isInTitle).judged.some(({ isStrong }) => isStrong)

export async function pickHits(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  wish: Wish,
): Promise<Picks> {
  const { limit, minScore, demands } = wish
  const { judged, bar } = judge(found, minScore, demands.isInTitle)
  const enough = Math.max(limit, LEAST_READ)
  const [strong, weak]: [Judgement[], Judgement[]] = [[], []]
  const isHit = ({ confidence, covers }: Loaded) => confidence >= bar && isCarried(covers)
  const read = async (hits: readonly Hit[], isEnough: () => boolean): Promise<number> => {
    let at = 0
    for (; at < hits.length && !isEnough(); at += enough)
      for (const loaded of await loadHits(ctx, scope, found.asked, hits.slice(at, at + enough), demands)) {
        if (isHit(loaded)) strong.push({ ...loaded, isWeak: false })
        else if (scope.scope !== 'public' && loaded.confidence >= minScore)
          weak.push({ ...loaded, isWeak: true })
      }
    return at
  }
  const likely = judged.filter(({ isStrong }) => isStrong).map(({ hit }) => hit)
  const looked = await read(likely, () => strong.length >= enough)
  if (scope.scope !== 'public')
    await read(
      judged.filter(({ isStrong }) => !isStrong).map(({ hit }) => hit),
      () => strong.length + weak.length >= limit,
    )
  // Cards without known covers come after all others. If each of the others is a hit, these count as hits too.
  const listed = judged.filter(({ hit }) => hit.covers === undefined).length
  const isEveryHit = likely.length === judged.length - listed
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
    total: strong.length + Math.max(0, likely.length - looked) + (isEveryHit ? listed : 0),
  }
}
