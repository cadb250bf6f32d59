import { cutText } from './cut-text.ts'
import { foldCase } from './fold.ts'

// For a search by substring; snippet.ts says why there are two.

const SNIPPET_LENGTH = 240
const BEFORE_MATCH = 80

/** The text around the first occurrence of `foldedNeedle`, or the beginning of `text`. */
export function snippetAround(text: string, foldedNeedle: string): string {
  const at = Math.max(0, indexOfFolded(text, foldedNeedle))
  const from = at <= BEFORE_MATCH ? 0 : wordStart(text, at - BEFORE_MATCH)
  const { text: piece, truncated } = cutText(text.slice(from), SNIPPET_LENGTH)
  return `${from > 0 ? '… ' : ''}${piece.trim()}${truncated ? ' …' : ''}`
}

/** Where the needle stands in the text as it is written, although it was found in the folded text. */
function indexOfFolded(text: string, foldedNeedle: string): number {
  const folded = foldCase(text)
  const at = folded.indexOf(foldedNeedle)
  if (at <= 0 || folded.length === text.length) return at
  // Folding has changed lengths before the match (ß, ligatures, accents written apart): walk until as much is folded.
  const units = new FoldedUnits(text)
  let foldedSoFar = 0
  let index = 0
  while (index < text.length && foldedSoFar < at) {
    const end = units.endOf(index)
    foldedSoFar += units.foldedLength(index, end)
    index = end
  }
  return index
}

/** A mark on the letter before it, or a letter of Hangul that makes one syllable with it. */
const JOINS_BEFORE = /^[\p{M}\u1160-\u11ff]/u
const FIRST_MARK = 0x300
const FIRST_BEYOND_ASCII = 0x80

/** The parts of a text that fold by themselves: a character with the marks on it. Texts repeat a few hundred of them. */
class FoldedUnits {
  readonly #text: string
  readonly #joins = new Map<number, boolean>()
  readonly #lengths = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
  }

  endOf(start: number): number {
    let end = this.#after(start)
    while (this.#isJoined(end)) end = this.#after(end)
    return end
  }

  foldedLength(start: number, end: number): number {
    if (end === start + 1 && this.#text.charCodeAt(start) < FIRST_BEYOND_ASCII) return 1
    const unit = this.#text.slice(start, end)
    const known = this.#lengths.get(unit)
    if (known !== undefined) return known
    const { length } = foldCase(unit)
    this.#lengths.set(unit, length)
    return length
  }

  #after(at: number): number {
    return at + ((this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
  }

  #isJoined(at: number): boolean {
    const code = this.#text.codePointAt(at) ?? 0
    if (code < FIRST_MARK) return false
    const known = this.#joins.get(code)
    if (known !== undefined) return known
    const joins = JOINS_BEFORE.test(String.fromCodePoint(code))
    this.#joins.set(code, joins)
    return joins
  }
}

/** The next beginning of a word after `at`, so that a snippet does not begin inside one. */
function wordStart(text: string, at: number): number {
  const gap = text.slice(at, at + 30).search(/\s/)
  const start = gap === -1 ? at : at + gap + 1
  const first = text.charCodeAt(start)
  return first >= 0xdc00 && first <= 0xdfff ? start + 1 : start
}
