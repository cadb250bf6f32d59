import type { Name } from './distant-values.ts'
import { FOREIGN_NAMES } from './rules/names.ts'

/** Letters, not the dashes, quotes and arrows that many texts have. */
const FOREIGN_LETTER = /[\u00c0-\u1fff\u3040-\ud7af]/
export const hasForeignLetters = (text: string): boolean => FOREIGN_LETTER.test(text)
const isForeign = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x1fff) || (code >= 0x3040 && code <= 0xd7af)
/** Endings of the word, but no Latin letters: without a blank between them they begin the value. */
const ENDING = '(?:(?![A-Za-z])[\\p{L}\\p{M}]){0,12}'
/** `пароль от базы: …` */
const MORE_WORDS = '(?:[ \\t](?![A-Za-z]{8})\\p{L}{1,20}(?=[ \\t:=])){0,3}'
const NAMES = new RegExp(
  `(?:${FOREIGN_NAMES.map(({ names }) => `(${names.join('|')})`).join('|')})${ENDING}${MORE_WORDS}`,
  'giu',
)

/** No name is longer before its first such letter, and none reads further behind its last one. */
const LONGEST_BEFORE = 40
const LONGEST_BEHIND = 120
const NEXT_FOREIGN_LETTER = new RegExp(FOREIGN_LETTER, 'g')

/** The parts of a text in which names may be: those around letters beyond ASCII. */
function* foreignParts(text: string): Generator<{ from: number; to: number }> {
  for (let from = 0; ; ) {
    NEXT_FOREIGN_LETTER.lastIndex = from
    const first = NEXT_FOREIGN_LETTER.exec(text)?.index
    if (first === undefined) return
    let to = first + LONGEST_BEHIND
    for (let at = first + 1; at < Math.min(to, text.length); at += 1)
      if (isForeign(text.charCodeAt(at))) to = at + LONGEST_BEHIND
    yield { from: Math.max(from, first - LONGEST_BEFORE), to }
    from = to
  }
}

/** The names of secrets in letters beyond ASCII, and what kind each of them says. */
export function* foreignNames(text: string): Generator<{ name: Name; kind: string }> {
  for (const { from, to } of foreignParts(text)) {
    for (const found of text.slice(from, to).matchAll(NAMES)) {
      const group = found.slice(1).findIndex((name) => name !== undefined)
      const kind = FOREIGN_NAMES[group]?.kind
      const start = from + found.index
      if (kind) yield { name: { start, end: start + found[0].length }, kind }
    }
  }
}
