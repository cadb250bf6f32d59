const MOST_AT_ONCE = 24
const SURE_BITS = 25

/** Writes numbers of any width, the lowest bit first. Made to be used again: `finish` leaves it empty. */
export class BitWriter {
  #bytes = Buffer.alloc(4096)
  #bit = 0

  write(value: number, width: number): void {
    this.#put(value, Math.min(width, MOST_AT_ONCE))
    if (width > MOST_AT_ONCE) this.#put(value >>> MOST_AT_ONCE, width - MOST_AT_ONCE)
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

  /** At least twice the size, so that writing on stays linear. */
  #makeRoom(bytes: number): void {
    const { length } = this.#bytes
    if (bytes > length) this.#bytes = Buffer.concat([this.#bytes], Math.max(2 * length, Math.ceil(bytes)))
  }

  /**
   * Sorted numbers below `space` by the gaps between them, in Rice coding: the low bits of a gap as they are, the
   * rest, which is mostly nothing, by counting. Random numbers cannot be written in less.
   */
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

/** Reads them back. */
export class BitReader {
  readonly #bytes: Uint8Array
  #bit = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(width: number): number {
    if (width <= MOST_AT_ONCE) return this.#get(width)
    const low = this.#get(MOST_AT_ONCE)
    return low + this.#get(width - MOST_AT_ONCE) * 2 ** MOST_AT_ONCE
  }

  /** The next bits, `SURE_BITS` of them at least. Beyond the end stand zeros. */
  #ahead(): number {
    return windowAt(this.#bytes, this.#bit)
  }

  #get(width: number): number {
    const value = this.#ahead() & ((1 << width) - 1)
    this.#bit += width
    return value
  }

  /** Sorted numbers from `from` on. The position is a local here: this loop is most of unpacking. */
  readSorted(count: number, space: number, from = 0): number[] {
    const bytes = this.#bytes
    const end = bytes.length * 8
    const width = gapWidth(count, space)
    const lowWidth = Math.min(width, MOST_AT_ONCE)
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
        // Damaged bytes must not be read forever.
        if (bit >= end) throw new Error('An entry of the search index is damaged: kvault reindex')
        ahead = windowAt(bytes, bit) & SURE_MASK
      }
      const here = 31 - Math.clz32(ahead & -ahead)
      bit += here + 1
      let gap = windowAt(bytes, bit) & lowMask
      bit += lowWidth
      if (width > lowWidth) {
        gap += (windowAt(bytes, bit) & ((1 << (width - lowWidth)) - 1)) * 2 ** MOST_AT_ONCE
        bit += width - lowWidth
      }
      last += (zeros + here) * step + gap
      numbers[i] = last
    }
    this.#bit = bit
    return numbers
  }

  /** Numbers of `width` bits, of which the usual one, 0, takes one bit; `missing` stands for a 0 that is written out. */
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
