import {
  besideBest,
  COEFFICIENTS,
  confidenceOf,
  type Features,
  FIRST_HITS,
  logitOfChance,
} from '../../src/features/search/confidence.ts'
import { fitLogistic, type Sample } from './logistic.ts'
import { type Asked, NOBODY } from './samples.ts'

export const NAMES = Object.keys(COEFFICIENTS) as (keyof Features)[]

/** A constant and a coefficient for each feature. */
export type Model = readonly number[]

const xOf = (hit: Features) => [1, ...NAMES.map((name) => hit[name])]
const logitBy = (model: Model, hit: Features) =>
  xOf(hit).reduce((sum, x, i) => sum + x * (model[i] as number), 0)

/** Each collection, size and kind has the same weight, so that the largest does not dominate. */
const GROUP_WEIGHT = 30
const groupOf = ({ from, size, of, kind, isForeign }: Asked) =>
  [from, size, isForeign ? (of === NOBODY ? of : 'foreign') : 'own', kind].join()

/** An unanswered question close to the cards is harder than the questions that people usually ask. */
const NEAR_WEIGHT = 0.7
/** A right hit that is lost costs more than a wrong one that is shown. */
const PRESENT_WEIGHT = 1.2
/** The model decides which hit is the surest, so fitting is repeated. */
const ROUNDS = 5

/** The surest hit of a query, for queries that have their card among the hits and for those that do not. */
export function fitModel(asked: readonly Asked[]): Model {
  const judged = asked.filter(({ hits, isForeign, judged }) => hits.length > 0 && (isForeign || judged >= 0))
  const groups = Map.groupBy(judged, groupOf)
  let model: Model = [0, ...NAMES.map((name) => (name === 'coverage' ? 1 : 0))]
  for (let round = 0; round < ROUNDS; round++) {
    const samples = judged.map((one): Sample => {
      const surest = one.hits.reduce((best, hit) => (logitBy(model, hit) > logitBy(model, best) ? hit : best))
      const share = GROUP_WEIGHT / (groups.get(groupOf(one))?.length ?? 1)
      const weight = one.of === NOBODY ? NEAR_WEIGHT : one.isForeign ? 1 : PRESENT_WEIGHT
      return { x: xOf(surest), label: one.isForeign ? 0 : 1, weight: share * weight }
    })
    model = fitLogistic(samples)
  }
  return model
}

/** The confidence of every hit of a query by a model, in the order of the ranking. */
export function scoresBy(model: Model, { hits }: Asked): number[] {
  const logits = hits.map((hit) => {
    const logit = logitBy(model, hit)
    return hit.isByChance ? logitOfChance(logit) : logit
  })
  const best = Math.max(Number.NEGATIVE_INFINITY, ...logits.slice(0, FIRST_HITS))
  return logits.map((logit) => confidenceOf(besideBest(logit, best)))
}

/** Judges every collection by a model that was fitted without its cards and questions. */
export function scoresHeldOut(asked: readonly Asked[]): Map<Asked, number[]> {
  const scores = new Map<Asked, number[]>()
  for (const name of new Set(asked.map(({ from }) => from))) {
    const model = fitModel(asked.filter(({ from, of }) => from !== name && of !== name))
    for (const one of asked) if (one.from === name) scores.set(one, scoresBy(model, one))
  }
  return scores
}
