const LETTERS = 26
const LOWER_A = 97
const LOWER_I = 8
const LOWER_Y = 24

/**
 * The possible first two letters of words that have one of some terms. Most words of a text are ruled out by these two
 * letters, without being read.
 */
export type Beginnings = Uint8Array

const letterAt = (term: string, at: number): number => term.charCodeAt(at) - LOWER_A
const isLetter = (letter: number): boolean => letter >= 0 && letter < LETTERS

/** Stemming keeps the beginning of an English word, but for a `y` that becomes an `i`: `dying` is `die`. */
export function beginningsOf(terms: Iterable<string>): Beginnings {
  const beginnings = new Uint8Array(LETTERS * LETTERS)
  for (const term of terms) {
    const first = letterAt(term, 0)
    const second = letterAt(term, 1)
    if (!isLetter(first)) continue
    const row = first * LETTERS
    if (term.length === 1) beginnings.fill(1, row, row + LETTERS)
    else if (isLetter(second)) {
      beginnings[row + second] = 1
      if (second === LOWER_I) beginnings[row + LOWER_Y] = 1
    }
  }
  return beginnings
}

/** The 32 that tells a small letter from a capital one. */
const CASE_BIT = 32

/** Whether a word of the letters A to Z in one case, given by its first two, may have one of the terms. */
export const mayBegin = (beginnings: Beginnings, first: number, second: number): boolean =>
  beginnings[((first | CASE_BIT) - LOWER_A) * LETTERS + (second | CASE_BIT) - LOWER_A] === 1
