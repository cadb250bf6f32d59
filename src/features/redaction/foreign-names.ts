import type { Name } from './distant-values.ts'
import { FOREIGN_NAMES } from './rules/names.ts'

/** Letters, not the dashes, quotes and arrows that many texts have. */
const FOREIGN_LETTER = /[\u00c0-\u1fff\u3040-\ud7af]/
export const hasForeignLetters = (text: string): boolean => FOREIGN_LETTER.test(text)
/** Endings of the word, but no Latin letters: without a blank between them they begin the value. */
const ENDING = '(?:(?![A-Za-z])[\\p{L}\\p{M}]){0,12}'
/** `пароль от базы: …` */
const MORE_WORDS = '(?:[ \\t](?![A-Za-z]{8})\\p{L}{1,20}(?=[ \\t:=])){0,3}'
const NAMES = new RegExp(
  `(?:${FOREIGN_NAMES.map(({ names }) => `(${names.join('|')})`).join('|')})${ENDING}${MORE_WORDS}`,
  'giu',
)

/** The names of secrets in letters beyond ASCII, and what kind each of them says. */
export function* foreignNames(text: string): Generator<{ name: Name; kind: string }> {
  for (const found of text.matchAll(NAMES)) {
    const group = found.slice(1).findIndex((name) => name !== undefined)
    const kind = FOREIGN_NAMES[group]?.kind
    if (kind) yield { name: { start: found.index, end: found.index + found[0].length }, kind }
  }
}
