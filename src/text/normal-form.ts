/** As many as Unicode's stream-safe text has in a row (UAX 15). No language needs more than a few. */
const MOST_MARKS = 30

/** Marks that stand on the letter before them. The marks of voice of half-width kana become such ones. */
const MARK = '[\\p{M}\\uff9e\\uff9f]'
const TOO_MANY_MARKS = new RegExp(`(${MARK}{${MOST_MARKS}})${MARK}+`, 'gu')

/**
 * A normal form of Unicode. Normalising sorts the marks of a letter, which takes the square of their number: 200,000 of them
 * would take 20 seconds. So only the first ones of a letter count.
 */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  const bounded = text.length > MOST_MARKS ? text.replace(TOO_MANY_MARKS, '$1') : text
  return bounded.normalize(form)
}
