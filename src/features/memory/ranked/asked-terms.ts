import { tokens } from '../../../text/analyse.ts'
import { fold } from '../../../text/fold.ts'
import { withoutNoise } from '../../../text/noise.ts'
import { STOP_WORDS } from '../../../text/stopwords.ts'

/** A term of a question. */
export type AskedTerm = {
  term: string
  /** The word as it was typed, folded; empty for the parts of an identifier, which have no spelling of their own. */
  typed: string
  /** A term that stands n times in the question counts 1 + ln n times. */
  weight: number
}

type Counted = { typed: string; times: number; isStopWord: boolean }

/** The distinct terms of a question in order, without noise, and without stop words unless there is nothing else. */
export function askedTerms(query: string): AskedTerm[] {
  const asked = withoutNoise(query) || query
  const counted = new Map<string, Counted>()
  for (const { start, end, terms } of tokens(asked)) {
    const typed = fold(asked.slice(start, end))
    for (const term of terms) {
      const before = counted.get(term)
      const isStopWord = STOP_WORDS.has(terms.length === 1 ? typed : term)
      counted.set(term, {
        typed: before?.typed || (terms.length === 1 ? typed : ''),
        times: (before?.times ?? 0) + 1,
        isStopWord: isStopWord && (before?.isStopWord ?? true),
      })
    }
  }
  const all = [...counted]
  const meaningful = all.filter(([, { isStopWord }]) => !isStopWord)
  return (meaningful.length > 0 ? meaningful : all).map(([term, { typed, times }]) => ({
    term,
    typed,
    weight: 1 + Math.log(times),
  }))
}

/** Whether there is a term that is no stop word. */
export const hasMeaning = (asked: readonly AskedTerm[]): boolean =>
  asked.some(({ term, typed }) => !STOP_WORDS.has(typed || term))
