import { queryTerms, termsOf } from '../../text/analyse.ts'
import { itemsOf } from '../memory/documents.ts'

/** A line that has so much of a fix says it, in whatever words around. */
const SAID = 0.7
/** A fix of fewer words is in some line by chance. */
const LEAST_WORDS = 3
const MOST_LINES = 500
const FIX_READ = 600

/** The lines of the project's documents as sets of terms, read once for a call. */
export const linesSaid = (documents: readonly string[]): ReadonlySet<string>[] =>
  documents
    .flatMap(itemsOf)
    .slice(0, MOST_LINES)
    .map((line) => new Set(termsOf(line)))

/** Whether one line of the facts says a fix already: the agent has the facts since its start. */
export function isSaid(fix: string, lines: readonly ReadonlySet<string>[]): boolean {
  const words = queryTerms(fix.slice(0, FIX_READ))
  if (words.length < LEAST_WORDS) return false
  return lines.some((line) => words.filter((word) => line.has(word)).length >= SAID * words.length)
}
