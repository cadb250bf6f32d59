/**
 * Which cards have a word, as the index keeps it. Cards are numbered as they come; a run is a range of numbers, and a
 * posting list says which cards of one run have one word, and how much it weighs in each. New cards go into short
 * runs, which are joined into longer ones later, so that a write costs little and a search reads few lists.
 */
const tierBits = [9, 13, 16] as const

export type Tier = 0 | 1 | 2
export const lastTier = 2

const tierShift = 24

/** A block is as many cards as the longest run has: what a search adds up in one go. */
export const blockBits = tierBits[lastTier]
export const blockCards = 2 ** blockBits

export const runOf = (docNo: number, tier: Tier): number => tier * 2 ** tierShift + (docNo >>> tierBits[tier])
export const tierOf = (run: number): Tier => (run >>> tierShift) as Tier
export const firstOf = (run: number): number => (run & (2 ** tierShift - 1)) * 2 ** tierBits[tierOf(run)]
export const endOf = (run: number): number => firstOf(run) + 2 ** tierBits[tierOf(run)]
export const blockOf = (docNo: number): number => docNo >>> blockBits

/** `offsets` count from the first number of the run; `impacts` are 1 to 255. In no order. */
export type Postings = { offsets: Uint16Array; impacts: Uint8Array }

const bytesPerPosting = 3
const bitmapBytes = blockCards / 8

/** Offsets, then impacts. */
export function encodePostings(offsets: ArrayLike<number>, impacts: ArrayLike<number>): Buffer {
  const count = offsets.length
  const bytes = Buffer.allocUnsafe(count * bytesPerPosting)
  for (let i = 0; i < count; i++) {
    const offset = offsets[i] as number
    bytes[2 * i] = offset & 255
    bytes[2 * i + 1] = offset >>> 8
    bytes[2 * count + i] = impacts[i] as number
  }
  return bytes
}

const aligned = (bytes: Uint8Array, to: number) =>
  bytes.byteOffset % to === 0 ? bytes : Uint8Array.from(bytes)

export function decodePostings(bytes: Uint8Array): Postings {
  const count = bytes.length / bytesPerPosting
  const even = aligned(bytes, 2)
  return {
    offsets: new Uint16Array(even.buffer, even.byteOffset, count),
    impacts: even.subarray(count * 2),
  }
}

/** One bit for each card of a block. */
export type Bitmap = Uint32Array

export const emptyBitmap = (): Bitmap => new Uint32Array(bitmapBytes / 4)

export const hasBit = (bitmap: Bitmap, at: number) => ((bitmap[at >>> 5] as number) & (1 << (at & 31))) !== 0

export const setBit = (bitmap: Bitmap, at: number): void => {
  bitmap[at >>> 5] = (bitmap[at >>> 5] as number) | (1 << (at & 31))
}

export const encodeBitmap = (bitmap: Bitmap): Buffer => Buffer.from(bitmap.slice().buffer)

export function decodeBitmap(bytes: Uint8Array): Bitmap {
  const even = aligned(bytes, 4)
  return new Uint32Array(even.buffer, even.byteOffset, bitmapBytes / 4)
}

export function bitsIn(bitmap: Bitmap): number {
  let count = 0
  for (let word of bitmap) for (; word !== 0; word &= word - 1) count++
  return count
}

/**
 * What narrows a search needs no impacts: where a list would be longer than a bitmap of the block, it is one. Lists
 * are told apart by their length, as that of a bitmap is no multiple of three.
 */
export const isBitmap = (bytes: Uint8Array) => bytes.length === bitmapBytes

export const isLongForBitmap = (bytes: Uint8Array) => bytes.length > bitmapBytes

/** Sets the bits of a list whose run begins at `base` of its block. */
export function addToBitmap(bitmap: Bitmap, bytes: Uint8Array, base: number): void {
  if (isBitmap(bytes)) {
    const other = decodeBitmap(bytes)
    for (let i = 0; i < bitmap.length; i++) bitmap[i] = (bitmap[i] as number) | (other[i] as number)
    return
  }
  const { offsets } = decodePostings(bytes)
  for (let i = 0; i < offsets.length; i++) setBit(bitmap, base + (offsets[i] as number))
}
