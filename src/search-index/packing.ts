import { FILTERS_FROM, filterHash, isFilter } from '../text/term-hash.ts'

const MAX_AT_ONCE = 24
const SURE_BITS = 25

/** Writes numbers of any width, lowest bit first. `finish` empties the writer for reuse. */
export class BitWriter {
  #bytes = Buffer.alloc(4096)
  #bit = 0

  write(value: number, width: number): void {
    this.#put(value, Math.min(width, MAX_AT_ONCE))
    if (width > MAX_AT_ONCE) this.#put(value >>> MAX_AT_ONCE, width - MAX_AT_ONCE)
  }

  #put(value: number, width: number): void {
    this.#makeRoom((this.#bit + width + 32) / 8)
    let rest = (value & ((1 << width) - 1)) << (this.#bit & 7)
    for (let at = this.#bit >>> 3; rest !== 0; at++) {
      this.#bytes[at] = (this.#bytes[at] as number) | (rest & 255)
      rest >>>= 8
    }
    this.#bit += width
  }

  #makeRoom(bytes: number): void {
    const { length } = this.#bytes
    if (bytes > length) this.#bytes = Buffer.concat([this.#bytes], Math.max(2 * length, Math.ceil(bytes)))
  }

  /** Writes sorted numbers below `space` as gaps in Rice coding. */
  writeSorted(numbers: readonly number[], space: number): void {
    const width = gapWidth(numbers.length, space)
    let last = 0
    for (const number of numbers) {
      const gap = number - last
      last = number
      this.#bit += gap >>> width
      this.write(1, 1)
      this.write(gap, width)
    }
  }

  finish(): Buffer {
    const written = this.#bytes.subarray(0, (this.#bit + 7) >>> 3)
    const copy = Buffer.from(written)
    written.fill(0)
    this.#bit = 0
    return copy
  }
}

const gapWidth = (count: number, space: number) =>
  count === 0 ? 0 : Math.min(30, Math.floor(Math.log2(space / count)))

const SURE_MASK = (1 << SURE_BITS) - 1

function windowAt(bytes: Uint8Array, bit: number): number {
  const at = bit >>> 3
  const window =
    at + 3 < bytes.length
      ? (bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24)
      : (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
  return window >>> (bit & 7)
}

export class BitReader {
  readonly #bytes: Uint8Array
  #bit = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(width: number): number {
    if (width <= MAX_AT_ONCE) return this.#get(width)
    const low = this.#get(MAX_AT_ONCE)
    return low + this.#get(width - MAX_AT_ONCE) * 2 ** MAX_AT_ONCE
  }

  /** Returns the next bits, at least `SURE_BITS`. Zeros follow the end. */
  #ahead(): number {
    return windowAt(this.#bytes, this.#bit)
  }

  #get(width: number): number {
    const value = this.#ahead() & ((1 << width) - 1)
    this.#bit += width
    return value
  }

  readSorted(count: number, space: number, from = 0): number[] {
    const bytes = this.#bytes
    const end = bytes.length * 8
    const width = gapWidth(count, space)
    const lowWidth = Math.min(width, MAX_AT_ONCE)
    const lowMask = (1 << lowWidth) - 1
    const step = 2 ** width
    const numbers = new Array<number>(count)
    let bit = this.#bit
    let last = from
    for (let i = 0; i < count; i++) {
      let zeros = 0
      let ahead = windowAt(bytes, bit) & SURE_MASK
      while (ahead === 0) {
        zeros += SURE_BITS
        bit += SURE_BITS
        // Stops at damaged bytes instead of reading forever.
        if (bit >= end) throw new Error('An entry of the search index is damaged: kvault reindex')
        ahead = windowAt(bytes, bit) & SURE_MASK
      }
      const here = 31 - Math.clz32(ahead & -ahead)
      bit += here + 1
      let gap = windowAt(bytes, bit) & lowMask
      bit += lowWidth
      if (width > lowWidth) {
        gap += (windowAt(bytes, bit) & ((1 << (width - lowWidth)) - 1)) * 2 ** MAX_AT_ONCE
        bit += width - lowWidth
      }
      last += (zeros + here) * step + gap
      numbers[i] = last
    }
    this.#bit = bit
    return numbers
  }

  /** Reads numbers of `width` bits, where 0 takes one bit; `missing` stands for a 0 that is written out. */
  readMostlyZeros(count: number, width: number, missing: number): number[] {
    const bytes = this.#bytes
    const mask = (1 << width) - 1
    const numbers = new Array<number>(count)
    let bit = this.#bit
    for (let i = 0; i < count; i++) {
      const ahead = windowAt(bytes, bit++)
      if ((ahead & 1) === 1) numbers[i] = 0
      else {
        numbers[i] = (ahead >>> 1) & mask || missing
        bit += width
      }
    }
    this.#bit = bit
    return numbers
  }
}

const HIGHEST_LEVEL = 31
const LEVELS_PER_DOUBLING = 4

/** Level of a term that occurs in minor texts only. The other levels fill their five bits. */
export const MINOR_LEVEL = HIGHEST_LEVEL + 1
/** Level of a term that occurs twice, or once in a text of double weight. */
export const PROMINENT_LEVEL = LEVELS_PER_DOUBLING
export const MINOR_WEIGHT = 0.75

const levelFor = (frequency: number) =>
  frequency < 1
    ? MINOR_LEVEL
    : Math.min(HIGHEST_LEVEL, Math.max(0, Math.round(LEVELS_PER_DOUBLING * Math.log2(frequency))))

const COMMON_LEVELS = Uint8Array.from({ length: 64 }, (_, frequency) => levelFor(Math.max(1, frequency)))

/** Returns a frequency on a logarithmic scale of 32 steps (five bits). */
export const levelOf = (frequency: number): number => COMMON_LEVELS[frequency] ?? levelFor(frequency)

/** The frequency of each level. The last one is `MINOR_LEVEL`. */
export const FREQUENCIES: readonly number[] = [
  ...Array.from({ length: HIGHEST_LEVEL + 1 }, (_, level) => 2 ** (level / LEVELS_PER_DOUBLING)),
  MINOR_WEIGHT,
]

export type Candidate = {
  docNo: number
  documentId: string
  length: number
  hashes: readonly number[]
  levels: readonly number[]
  filters: readonly number[]
}

export type PackedDocument = { doc_no: number; card_id: string; weights: Uint8Array }

const LENGTH_BITS = 24
const COUNT_BITS = 20
const LEVEL_BITS = 5
const LONGEST = 2 ** LENGTH_BITS - 1

/** Words and filters use two number ranges of the same size. */
const space = FILTERS_FROM

const writer = new BitWriter()

/** Packs length, counts, words, filters and levels into one column, the same on both engines. */
export function pack({ length, hashes, levels, filters }: Omit<Candidate, 'docNo' | 'documentId'>): Buffer {
  writer.write(Math.min(length, LONGEST), LENGTH_BITS)
  writer.write(hashes.length, COUNT_BITS)
  writer.write(filters.length, COUNT_BITS)
  writer.writeSorted(hashes, space)
  writer.writeSorted(
    filters.map((filter) => filter - FILTERS_FROM),
    space,
  )
  // Most words occur once: level 0 takes one bit, and its unused long form stands for the minor level.
  for (const level of levels) {
    writer.write(level === 0 ? 1 : 0, 1)
    if (level !== 0) writer.write(level === MINOR_LEVEL ? 0 : level, LEVEL_BITS)
  }
  return writer.finish()
}

export function unpack({ doc_no, card_id, weights }: PackedDocument): Candidate {
  const bits = new BitReader(weights)
  const length = bits.read(LENGTH_BITS)
  const words = bits.read(COUNT_BITS)
  const filterCount = bits.read(COUNT_BITS)
  const hashes = bits.readSorted(words, space)
  const filters = bits.readSorted(filterCount, space, FILTERS_FROM)
  const levels = bits.readMostlyZeros(words, LEVEL_BITS, MINOR_LEVEL)
  return { docNo: doc_no, documentId: card_id, length, hashes, levels, filters }
}

export function positionOf(numbers: ArrayLike<number>, number: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = numbers[middle] as number
    if (found === number) return middle
    if (found < number) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** An AND of ORs over the numbers of filters and required words. */
export type Match = readonly (readonly number[])[]

/** Each list is one word: a word of a script without spaces is several pairs of characters. */
export type Without = readonly (readonly number[])[]

export const passes = ({ filters, hashes }: Candidate, narrowed: Match, without: Without = []): boolean => {
  const has = (number: number) => positionOf(isFilter(number) ? filters : hashes, number) >= 0
  return narrowed.every((anyOf) => anyOf.some(has)) && !without.some((together) => together.every(has))
}

/** The filter of public documents. The caller that adds a document decides whether it is public. */
export const PUBLIC_FILTER = filterHash('public and reviewed')

export const isPublic = ({ filters }: { filters: readonly number[] }): boolean =>
  filters.includes(PUBLIC_FILTER)
