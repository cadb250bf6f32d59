import type { Reading } from './token-terms.ts'

/**
 * Readings of tokens that were met before. Texts repeat their words, and working out a stem costs as much as passing over
 * a hundred known words. A token of up to 24 ASCII letters is packed, four to a number, while its end is being
 * found, and looked for by these numbers: it is neither cut out of the text nor compared letter by letter. The memory is
 * bounded: a token has eight places of a row to be at; those met more often come forward, and a new one takes the last.
 */
const PLACES = 2 ** 17
const ROW_PLACES = 8
const ROW_SHIFT = 18
const LETTERS_TO_NUMBER = 4
export const LONGEST_PACKED = 24
const numbers = LONGEST_PACKED / LETTERS_TO_NUMBER
const CELL = 8
const lengthAt = numbers

const cells = new Int32Array(PLACES * CELL)
const readings = new Array<Reading | undefined>(PLACES).fill(undefined)

/** The token that is being read. */
const packed = new Int32Array(numbers)

/** Packs a token's letter; call it for each of the first 24 in order. */
export const packNext = (number: number, length: number, code: number): number => {
  const next = (number << 8) | code
  packed[length >>> 2] = next
  return (length & 3) === 3 ? 0 : next
}

/** The first place of the row in which the packed token is, if it is known. */
function rowFor(length: number): number {
  let mark = length
  for (let i = 0; i * LETTERS_TO_NUMBER < length; i++) {
    mark = Math.imul(mark ^ (packed[i] as number), 0x9e3779b1)
    mark ^= mark >>> 15
  }
  return (Math.imul(mark, 0x85ebca6b) >>> ROW_SHIFT) * ROW_PLACES
}

function isAt(place: number, length: number): boolean {
  const at = place * CELL
  if (cells[at + lengthAt] !== length) return false
  for (let i = 0; i * LETTERS_TO_NUMBER < length; i++) if (cells[at + i] !== packed[i]) return false
  return true
}

function exchange(a: number, b: number): void {
  for (let i = 0; i < CELL; i++) {
    const number = cells[a * CELL + i] as number
    cells[a * CELL + i] = cells[b * CELL + i] as number
    cells[b * CELL + i] = number
  }
  const reading = readings[a]
  readings[a] = readings[b]
  readings[b] = reading
}

/** The reading of the token that was packed last; one that is not known is worked out and remembered. */
export function packedReading(length: number, workOut: () => Reading): Reading {
  const row = rowFor(length)
  const last = row + ROW_PLACES - 1
  let place = row
  for (; !isAt(place, length); place++)
    if (place === last || readings[place] === undefined) return remember(place, length, workOut())
  const reading = readings[place] as Reading
  if (place > row) exchange(place, place - 1)
  return reading
}

function remember(place: number, length: number, reading: Reading): Reading {
  readings[place] = reading
  cells.set(packed, place * CELL)
  cells[place * CELL + lengthAt] = length
  return reading
}
