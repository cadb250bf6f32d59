import type { Reading } from './token-terms.ts'

/**
 * Readings of tokens that were met before. Texts repeat their words, and working out a stem costs as much as passing over
 * a hundred known words. A token of up to 24 ASCII letters is packed, four to a number, while its end is being
 * found, and looked for by these numbers: it is neither cut out of the text nor compared letter by letter. The memory is
 * bounded: a token has eight places of a row to be at; those met more often come forward, and a new one takes the last.
 */
const places = 2 ** 17
const rowPlaces = 8
const rowShift = 18
const lettersToNumber = 4
export const longestPacked = 24
const numbers = longestPacked / lettersToNumber
const cell = 8
const lengthAt = numbers

const cells = new Int32Array(places * cell)
const readings = new Array<Reading | undefined>(places).fill(undefined)

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
  for (let i = 0; i * lettersToNumber < length; i++) {
    mark = Math.imul(mark ^ (packed[i] as number), 0x9e3779b1)
    mark ^= mark >>> 15
  }
  return (Math.imul(mark, 0x85ebca6b) >>> rowShift) * rowPlaces
}

function isAt(place: number, length: number): boolean {
  const at = place * cell
  if (cells[at + lengthAt] !== length) return false
  for (let i = 0; i * lettersToNumber < length; i++) if (cells[at + i] !== packed[i]) return false
  return true
}

function exchange(a: number, b: number): void {
  for (let i = 0; i < cell; i++) {
    const number = cells[a * cell + i] as number
    cells[a * cell + i] = cells[b * cell + i] as number
    cells[b * cell + i] = number
  }
  const reading = readings[a]
  readings[a] = readings[b]
  readings[b] = reading
}

/** The reading of the token that was packed last; one that is not known is worked out and remembered. */
export function packedReading(length: number, workOut: () => Reading): Reading {
  const row = rowFor(length)
  const last = row + rowPlaces - 1
  let place = row
  for (; !isAt(place, length); place++)
    if (place === last || readings[place] === undefined) return remember(place, length, workOut())
  const reading = readings[place] as Reading
  if (place > row) exchange(place, place - 1)
  return reading
}

function remember(place: number, length: number, reading: Reading): Reading {
  readings[place] = reading
  cells.set(packed, place * cell)
  cells[place * cell + lengthAt] = length
  return reading
}
