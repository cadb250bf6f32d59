import { fold } from './fold.ts'

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
