import type { Plan } from './plan-question.ts'
import type { Option, Wanted } from './score-events.ts'
import { isWhole, type TermList } from './term-lists.ts'

export type Likely = { eventNo: number; score: number }

/** Higher score first; of equal ones the newer first. */
export const bestFirst = (a: Likely, b: Likely) => b.score - a.score || b.eventNo - a.eventNo

/**
 * The score of every event by the posting lists alone. Lists that were cut add no candidates, because their newest events
 * would be favoured; if there is no other list, the shortest of them does.
 */
export function gather({ lists, wanted }: Plan): Map<number, number> {
  const used = wanted.flatMap((options) => options.map(({ position }) => lists[position] as TermList))
  const shortest = Math.min(
    ...used.map(({ frequency }) => (frequency > 0 ? frequency : Number.POSITIVE_INFINITY)),
  )
  const eventsAt = (position: number): readonly number[] => {
    const list = lists[position] as TermList
    return isWhole(list) || list.frequency === shortest ? list.eventNos : []
  }
  const sums = new Map<number, number>()
  const add = (eventNo: number, worth: number) => sums.set(eventNo, (sums.get(eventNo) ?? 0) + worth)
  for (const options of wanted) {
    const [only] = options
    if (options.length === 1 && only?.parts.length === 0)
      for (const eventNo of eventsAt(only.position)) add(eventNo, only.worth)
    else for (const [eventNo, worth] of bestWorths(options, eventsAt)) add(eventNo, worth)
  }
  return sums
}

/** The weight of a word in each event: that of its best option there. */
function bestWorths(options: Wanted, eventsAt: (position: number) => readonly number[]): Map<number, number> {
  const best = new Map<number, number>()
  for (const option of options)
    for (const [eventNo, worth] of worths(option, eventsAt))
      best.set(eventNo, Math.max(best.get(eventNo) ?? 0, worth))
  return best
}

/** The weight of an option in each event: the whole term with its parts, or all parts together. */
function worths(
  { position, worth, parts }: Option,
  eventsAt: (position: number) => readonly number[],
): Map<number, number> {
  const found = new Map<number, number>()
  const inParts = parts.reduce((sum, part) => sum + part.worth, 0)
  const positions = [...new Set(parts.map((part) => part.position))]
  if (positions.length > 0) {
    const times = new Map<number, number>()
    for (const at of positions)
      for (const eventNo of eventsAt(at)) times.set(eventNo, (times.get(eventNo) ?? 0) + 1)
    for (const [eventNo, n] of times) if (n === positions.length) found.set(eventNo, inParts)
  }
  for (const eventNo of eventsAt(position)) found.set(eventNo, worth + inParts)
  return found
}

/** The `most` best. Sorting the scores alone first takes a fifth of the time of sorting all events. */
export function bestOf(scores: ReadonlyMap<number, number>, most: number): Likely[] {
  let least = 0
  if (scores.size > most) {
    const sorted = Float64Array.from(scores.values()).sort()
    least = sorted[sorted.length - most] as number
  }
  const best: Likely[] = []
  for (const [eventNo, score] of scores) if (score >= least) best.push({ eventNo, score })
  return best.sort(bestFirst).slice(0, most)
}
