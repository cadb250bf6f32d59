import { tokens } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import { STOP_WORDS } from '../../text/stopwords.ts'

/** A word as the index knows it, and as it was typed. */
export type Word = { term: string; typed: string }

/** Of a longer text the beginning is read. */
export const READ_CHARACTERS = 3000
const ONLY_NUMBERS = /^[\d.]+$/

/** The words of a text in order, without stop words and numbers. */
export function wordsOf(text: string): Word[] {
  const read = text.slice(0, READ_CHARACTERS)
  return tokens(read).flatMap(({ start, end, terms }) => {
    const typed = read.slice(start, end)
    if (STOP_WORDS.has(fold(typed)) || ONLY_NUMBERS.test(typed)) return []
    return [{ term: terms.at(-1) ?? '', typed }]
  })
}
