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

const ONLY_ASCII = /^[\0-\x7f]*$/
/** Chinese characters, Hangul in syllables and kana. Two normal forms would take them apart and put them together again. */
const FOLDED_ALREADY = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/

/** Letters that Unicode does not take apart, as people write them who lack them: `Strasse`, `aendring`, `Lodz`. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
}
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** Where a word may be divided, or must not be: a soft hyphen, a space of no width, a joiner of words. Not part of the word. */
export const DIVIDER = '[\\u00ad\\u200b\\u2060\\ufeff]'
const EVERY_DIVIDER = new RegExp(DIVIDER, 'g')

/** A text that may hold words such as `data\u00adbase`, with each of them in one piece. */
export const withoutDividers = (text: string): string => text.replace(EVERY_DIVIDER, '')

/**
 * What a sign becomes that Unicode writes out: in scripts without spaces at most 6 characters, in Arabic up to 18, which are
 * one word. Of a long word the index keeps the beginning, so a text of thousands of such signs need not be folded whole.
 */
const longestWrittenOut = (text: string): number => 6 * text.length + 1000

/** Latin and Cyrillic letters, each of which is folded alone, whatever stands beside it. */
const ALPHABETIC = /^[\0-\x7f\u00c0-\u024f\u0400-\u0482\u048a-\u04ff]*$/
const foldedLetters: string[] = []

function foldLetters(text: string): string {
  let folded = ''
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    let letter = foldedLetters[code]
    if (letter === undefined) {
      letter = foldAny(text[i] as string)
      foldedLetters[code] = letter
    }
    folded += letter
  }
  return folded
}

/** Lower-case, compatibility forms made one, accents of alphabetic scripts dropped. */
export function fold(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase()
  if (FOLDED_ALREADY.test(text)) return text
  return ALPHABETIC.test(text) ? foldLetters(text) : foldAny(text)
}

/** The slow way, for every script: normal forms take longer than all else that is done with a word. */
export function foldAny(text: string): string {
  const lower = normalForm(withoutDividers(text), 'NFKC').slice(0, longestWrittenOut(text)).toLowerCase()
  const plain = normalForm(lower, 'NFD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .replace(NOT_PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter)
    // Some compatibility forms fall apart into signs and blanks, such as a bracketed number or a lone vowel mark.
    .replace(/["'*():%\s\p{Cc}]/gu, '')
  return normalForm(plain, 'NFC')
}

/** Text without its case, in every script: `STRASSE` is `straße`, `ΟΔΟΣ` is `οδος`, `İ` is `i`. */
export function foldCase(text: string): string {
  const lower = normalForm(text, 'NFC').toUpperCase().toLowerCase()
  return lower.replaceAll('ς', 'σ').replaceAll('i̇', 'i')
}

/** Where each character of a folded text comes from: offsets into the text as it was written. */
export type Positions = { starts: number[]; ends: number[] }

/** A character with the marks that stand on it. */
const UNIT = /.[\p{M}\uff9e\uff9f]*/gsu

/** Folded units. Texts of one script repeat a few hundred of them. */
const foldedUnits = new Map<string, string>()
const MOST_UNITS = 2 ** 12
const LONGEST_UNIT = 4

function foldUnit(unit: string): string {
  const known = foldedUnits.get(unit)
  if (known !== undefined) return known
  const folded = fold(unit)
  if (unit.length > LONGEST_UNIT) return folded
  if (foldedUnits.size >= MOST_UNITS) foldedUnits.clear()
  foldedUnits.set(unit, folded)
  return folded
}

/** Letters of Hangul, and syllables: only these become one character with a letter after them that is no mark. */
const ENDS_IN_HANGUL = /[\u1100-\u11ff\uac00-\ud7a3]$/
const BEGINS_WITH_JAMO = /^[\u1160-\u11ff]/

const joins = (before: string, after: string): boolean =>
  BEGINS_WITH_JAMO.test(after) &&
  ENDS_IN_HANGUL.test(before) &&
  `${before}${after}`.normalize('NFC').length < before.length + after.length

type Piece = { folded: string; from: number; to: number; isAsWritten: boolean }

/** The smallest pieces of a text that fold by themselves. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  for (const { 0: unit, index: from } of text.matchAll(UNIT)) {
    const to = from + unit.length
    const folded = foldUnit(unit)
    const last = pieces.at(-1)
    if (last && joins(last.folded, folded)) {
      last.folded = (last.folded + folded).normalize('NFC')
      last.to = to
      last.isAsWritten = false
    } else if (folded !== '') pieces.push({ folded, from, to, isAsWritten: folded === unit })
  }
  return pieces
}

/**
 * The positions of the characters of `folded`, which is `text` folded. Where pieces of the text do not fold as the whole
 * does (dozens of marks in a row), the positions are near ones: never the whole text for each of its characters.
 */
export function foldedPositions(text: string, folded: string): Positions {
  const pieces = piecesOf(text)
  if (pieces.map((piece) => piece.folded).join('') !== folded) return nearPositions(text, folded)
  const positions: Positions = { starts: [], ends: [] }
  for (const piece of pieces) {
    let at = piece.from
    for (const { length } of piece.folded) {
      positions.starts.push(at)
      positions.ends.push(piece.isAsWritten ? at + length : piece.to)
      if (piece.isAsWritten) at += length
    }
  }
  return positions
}

function nearPositions(text: string, folded: string): Positions {
  const count = [...folded].length
  const near = (i: number) => Math.floor((i * text.length) / count)
  const starts = Array.from({ length: count }, (_, i) => near(i))
  return { starts, ends: starts.map((start, i) => Math.max(start + 1, near(i + 1))) }
}
