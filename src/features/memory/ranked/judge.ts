import { type Cover, type Coverage, coverageOf, FLOOR } from '../../search/confidence.ts'
import type { Plan } from './plan-question.ts'
import type { RankedEvent } from './rank-events.ts'
import { hasParts, type Wanted } from './score-events.ts'
import type { Occurrences } from './word-index.search.ts'

export type Features = Coverage & {
  /** How far it stands out from the ten best others: 1 if they have nothing of the question, 0 if as much. */
  standing: number
}

/**
 * The confidence of card search, applied to events. The features are the same; the coefficients were fitted on
 * events by `bench/memory/fit-confidence.ts`, as turns are shorter than cards and have no fields.
 */
const CONSTANT = -2.12
const COEFFICIENTS: Readonly<Record<keyof Features, number>> = {
  coverage: 6.7,
  covered: 7.53,
  asked: -3.39,
  prominence: 1.21,
  standing: -5.18,
}

/** The index does not say whether an event has the word itself or another form of it. */
const WORD_CREDIT = 0.95
const PARTS_CREDIT = 0.8
/** The best event is compared with this many events after it. */
const OTHERS = 10

/** Whether an event shares words with a question but hardly answers it. */
export const isWeak = (confidence: number): boolean => confidence < FLOOR

export type JudgedEvent = RankedEvent & { features: Features; confidence: number }

const WEIGHED = Object.entries(COEFFICIENTS) as [keyof Features, number][]

/** A question of stop words alone asks for nothing, so no event answers it. */
function confidenceOf(features: Features): number {
  if (features.asked === 0) return 0
  const sum = WEIGHED.reduce((sum, [name, coefficient]) => sum + coefficient * features[name], CONSTANT)
  return 1 / (1 + Math.exp(-sum))
}

export function judge(
  events: readonly RankedEvent[],
  { wanted, information, unmatched }: Plan,
): JudgedEvent[] {
  const rest = events.slice(1, 1 + OTHERS).reduce((sum, { score }) => sum + score, 0) / OTHERS
  const says = [...information, ...unmatched]
  const missing = unmatched.map((): Cover => NOT_THERE)
  return events.map((event) => {
    const standing = Math.max(-1, 1 - rest / event.score)
    const covers = [...wanted.map((options) => coverOf(event.words, options)), ...missing]
    const features = { ...coverageOf(says, covers), standing }
    return { ...event, features, confidence: confidenceOf(features) }
  })
}

const NOT_THERE: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }

function coverOf(words: Occurrences, options: Wanted): Cover {
  let best = NOT_THERE
  for (const option of options) {
    const count = words.counts[option.position] as number
    const isByParts = count === 0 && hasParts(words, option)
    if (count === 0 && !isByParts) continue
    const credit = option.likeness * (isByParts ? PARTS_CREDIT : WORD_CREDIT)
    if (credit > best.credit)
      best = { credit, isProminent: count > 1, isCorrected: option.likeness < 1, isByParts }
  }
  return best
}
