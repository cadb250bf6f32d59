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
    if (this.#bit + width + 32 > this.#bytes.length * 8)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    let rest = (value & ((1 << width) - 1)) << (this.#bit & 7)
    for (let at = this.#bit >>> 3; rest !== 0; at++) {
      this.#bytes[at] = (this.#bytes[at] as number) | (rest & 255)
      rest >>>= 8
    }
    this.#bit += width
  }

  /**
   * Sorted numbers below `space` by the gaps between them, after Rice: the low bits of a gap as they are, the rest, which is
   * mostly nothing, by counting. Random numbers cannot be written in less.
   */
  writeSorted(numbers: readonly number[], space: number): void {
    const width = gapWidth(numbers.length, space)
    let last = 0
    for (const number of numbers) {
      const gap = number - last
      last = number
      for (let high = gap >>> width; high > 0; high--) this.#bit++
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

  /** The next bits, `SURE_BITS` of them at least. */
  #ahead(): number {
    const bytes = this.#bytes
    const at = this.#bit >>> 3
    const window =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)
    return window >>> (this.#bit & 7)
  }

  #get(width: number): number {
    const value = this.#ahead() & ((1 << width) - 1)
    this.#bit += width
    return value
  }

  /** How many zeros come before the next one, which is read too. */
  #countZeros(): number {
    for (let zeros = 0; ; zeros += SURE_BITS) {
      const ahead = this.#ahead() & ((1 << SURE_BITS) - 1)
      if (ahead !== 0) {
        const here = 31 - Math.clz32(ahead & -ahead)
        this.#bit += here + 1
        return zeros + here
      }
      this.#bit += SURE_BITS
      // Bytes that were damaged must not be read for ever.
      if (this.#bit >= this.#bytes.length * 8)
        throw new Error('An entry of the search index is damaged: kvault reindex')
    }
  }

  readSorted(count: number, space: number): number[] {
    const width = gapWidth(count, space)
    const numbers = new Array<number>(count)
    let last = 0
    for (let i = 0; i < count; i++) {
      last += this.#countZeros() * 2 ** width + this.read(width)
      numbers[i] = last
    }
    return numbers
  }
}
