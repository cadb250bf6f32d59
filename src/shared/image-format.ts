/** Shared by the readers of all formats. Every number in a file must be checked against the file before use. */

export const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
type MediaType = (typeof MEDIA_TYPES)[number]

export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

/** A picture that is safe to keep: its pixels, without metadata about place, time and author. */
export type Picture = { bytes: Buffer; mediaType: MediaType; width: number; height: number }

export type ImageFault = 'unknown' | 'broken' | 'trailing' | 'too_large' | 'too_many_parts'

export class BadImage extends Error {
  readonly fault: ImageFault

  constructor(fault: ImageFault) {
    super(fault)
    this.name = 'BadImage'
    this.fault = fault
  }
}

export const broken = () => new BadImage('broken')
export const trailing = () => new BadImage('trailing')

/** In pixels; a small file can hold a picture that fills memory (decompression bomb). */
const MAX_SIDE = 20_000
const MAX_PIXELS = 50_000_000

export function requireModestSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw broken()
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) throw new BadImage('too_large')
}

/** Millions of empty pieces would fill the memory; real files have a few thousand. */
const MAX_PIECES = 200_000

/** How many pieces may still be read. The readers of the parts of one file share the counter. */
export type PieceBudget = { pieces: number }

export const newPieceBudget = (): PieceBudget => ({ pieces: MAX_PIECES })

/** Reads forward; throws at the end of the file, which is then cut short. */
export class Reader {
  readonly bytes: Buffer
  at: number
  readonly #budget: PieceBudget

  constructor(bytes: Buffer, at = 0, shared = newPieceBudget()) {
    this.bytes = bytes
    this.at = at
    this.#budget = shared
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  take(length: number): Buffer {
    if (length > this.left) throw broken()
    if (this.#budget.pieces-- <= 0) throw new BadImage('too_many_parts')
    const part = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return part
  }

  byte(): number {
    return this.take(1)[0] as number
  }
}
