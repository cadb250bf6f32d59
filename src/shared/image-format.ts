/** What the readers of all formats share. No number in a file is trusted before it is checked against the file. */

export const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

/** A picture that is safe to keep: its pixels, and nothing that tells where, when and by whom it was made. */
export type Picture = { bytes: Buffer; mediaType: MediaType; width: number; height: number }

export type ImageFault = 'unknown' | 'broken' | 'trailing' | 'too_large' | 'too_many_parts'

/** The file is not a picture that we accept. */
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

/** Small files can hold pictures that fill the memory of whoever opens them. */
const MAX_SIDE = 20_000
const MAX_PIXELS = 50_000_000

export function requireModestSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw broken()
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) throw new BadImage('too_large')
}

/**
 * At most this many pieces are read of one file. Cameras and editors write a few thousand; millions of empty ones
 * would fill the memory.
 */
const MOST_PIECES = 200_000

/** How many pieces may still be read. The readers of the parts of one file share it. */
export type PieceBudget = { pieces: number }

export const patience = (): PieceBudget => ({ pieces: MOST_PIECES })

/** Reads forward; going past the end means that the file is cut short. */
export class Reader {
  readonly bytes: Buffer
  at: number
  readonly #patience: PieceBudget

  constructor(bytes: Buffer, at = 0, shared = patience()) {
    this.bytes = bytes
    this.at = at
    this.#patience = shared
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  take(length: number): Buffer {
    if (length > this.left) throw broken()
    if (this.#patience.pieces-- <= 0) throw new BadImage('too_many_parts')
    const part = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return part
  }

  byte(): number {
    return this.take(1)[0] as number
  }
}
