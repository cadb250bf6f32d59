import { queryTerms, termsOf } from '../../text/analyse.ts'
import { itemsOf } from '../memory/documents.ts'

/** A line that has this share of a fix's words says the fix. */
const SAID = 0.7
/** A fix of fewer words would match some line by chance. */
const LEAST_WORDS = 3
const MOST_LINES = 500
const FIX_READ = 600

/** The lines of the project's documents as sets of terms, read once for a call. */
export const linesSaid = (documents: readonly string[]): ReadonlySet<string>[] =>
  documents
    .flatMap(itemsOf)
    .slice(0, MOST_LINES)
    .map((line) => new Set(termsOf(line)))

/** Whether one line of the facts already says a fix: the agent got the facts at its start. */
export function isSaid(fix: string, lines: readonly ReadonlySet<string>[]): boolean {
  const words = queryTerms(fix.slice(0, FIX_READ))
  if (words.length < LEAST_WORDS) return false
  return lines.some((line) => words.filter((word) => line.has(word)).length >= SAID * words.length)
}
