import type { Plan } from './plan-question.ts'
import type { Option } from './score-events.ts'
import type { TermList } from './term-lists.ts'

export type Likely = { eventNo: number; score: number }

/** The better answer first; the newer of two equals first. */
export const bestFirst = (a: Likely, b: Likely) => b.score - a.score || b.eventNo - a.eventNo

/**
 * What every event has of what is wanted, by the lists alone. Lists that were cut choose no candidates, as their newest events
 * would be favoured; only where nothing else does, the shortest of them.
 */
export function gather({ lists, wanted }: Plan): Map<number, number> {
  const used = wanted.flatMap((options) => options.map(({ position }) => lists[position] as TermList))
  const shortest = Math.min(
    ...used.map(({ frequency }) => (frequency > 0 ? frequency : Number.POSITIVE_INFINITY)),
  )
  const eventsAt = (position: number): readonly number[] => {
    const list = lists[position] as TermList
    return list.isWhole || list.frequency === shortest ? list.eventNos : []
  }
  const sums = new Map<number, number>()
  for (const options of wanted) {
    const best = new Map<number, number>()
    for (const option of options)
      for (const [eventNo, worth] of worths(option, eventsAt))
        best.set(eventNo, Math.max(best.get(eventNo) ?? 0, worth))
    for (const [eventNo, worth] of best) sums.set(eventNo, (sums.get(eventNo) ?? 0) + worth)
  }
  return sums
}

/** What an option is worth in each event: the whole with its parts, or all parts together. */
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

/** The `most` best; sorting numbers alone first takes a fifth of sorting all events. */
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
