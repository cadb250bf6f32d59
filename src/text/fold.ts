/** Limit of Unicode's stream-safe text format (UAX 15). */
const MAX_MARKS = 30

/** Combining marks, including the voice marks of half-width kana. */
const MARK = '[\\p{M}\\uff9e\\uff9f]'
const TOO_MANY_MARKS = new RegExp(`(${MARK}{${MAX_MARKS}})${MARK}+`, 'gu')

/** Only a letter's first marks count: normalising takes quadratic time in their number. */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  const bounded = text.length > MAX_MARKS ? text.replace(TOO_MANY_MARKS, '$1') : text
  return bounded.normalize(form)
}

const ONLY_ASCII = /^[\0-\x7f]*$/
const FOLDED_ALREADY = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/

/** Letters that Unicode does not decompose, with common spellings: `Strasse`, `aendring`, `Lodz`. */
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

/** Invisible dividers inside a word: soft hyphen, zero-width space, word joiner. */
export const DIVIDER = '[\\u00ad\\u200b\\u2060\\ufeff]'
const EVERY_DIVIDER = new RegExp(DIVIDER, 'g')

/** Joins words such as `data\u00adbase`. */
export const withoutDividers = (text: string): string => text.replace(EVERY_DIVIDER, '')

/** Upper limit of a folded text: a character becomes at most 6, or up to 18 in Arabic. */
const longestWrittenOut = (text: string): number => 6 * text.length + 1000

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

/** Returns lower case in compatibility form, without accents in alphabetic scripts. */
export function fold(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase()
  if (FOLDED_ALREADY.test(text)) return text
  return ALPHABETIC.test(text) ? foldLetters(text) : foldAny(text)
}

export function foldAny(text: string): string {
  const lower = normalForm(withoutDividers(text), 'NFKC').slice(0, longestWrittenOut(text)).toLowerCase()
  const plain = normalForm(lower, 'NFD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .replace(NOT_PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter)
    // Some compatibility forms become signs and blanks, such as a bracketed number.
    .replace(/["'*():%\s\p{Cc}]/gu, '')
  return normalForm(plain, 'NFC')
}

/** Removes case in every script: `STRASSE` equals `straße`, `ΟΔΟΣ` equals `οδος`, `İ` equals `i`. */
export function foldCase(text: string): string {
  const lower = normalForm(text, 'NFC').toUpperCase().toLowerCase()
  return lower.replaceAll('ς', 'σ').replaceAll('i̇', 'i')
}

/** The origin of each folded character, as offsets into the original text. */
type Positions = { starts: number[]; ends: number[] }

const UNIT = /.[\p{M}\uff9e\uff9f]*/gsu

const foldedUnits = new Map<string, string>()
const MAX_UNITS = 2 ** 12
const MAX_UNIT_LENGTH = 4

function foldUnit(unit: string): string {
  const known = foldedUnits.get(unit)
  if (known !== undefined) return known
  const folded = fold(unit)
  if (unit.length > MAX_UNIT_LENGTH) return folded
  if (foldedUnits.size >= MAX_UNITS) foldedUnits.clear()
  foldedUnits.set(unit, folded)
  return folded
}

/** Only Hangul combines with a following letter that is no mark. */
const ENDS_IN_HANGUL = /[\u1100-\u11ff\uac00-\ud7a3]$/
const BEGINS_WITH_JAMO = /^[\u1160-\u11ff]/

const joins = (before: string, after: string): boolean =>
  BEGINS_WITH_JAMO.test(after) &&
  ENDS_IN_HANGUL.test(before) &&
  `${before}${after}`.normalize('NFC').length < before.length + after.length

type Piece = { folded: string; from: number; to: number; isAsWritten: boolean }

/** Splits a text into the smallest parts that fold independently. */
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

/** Returns the positions of `folded` in `text`. For dozens of marks in a row the positions are approximate. */
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
