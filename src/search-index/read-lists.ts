import { isFilter } from '../text/term-hash.ts'
import {
  BITMAP_FORM,
  type Bitmap,
  BLOCK_DOCUMENTS,
  bitmapIn,
  decode,
  decoded,
  emptyBitmap,
  findInBundle,
  firstOf,
  type PostingRow,
  setBit,
} from './postings.ts'

/** A list as a search reads it: offsets from the first number of its run, in order, and impacts. */
export type ReadList = { offsets: Uint16Array; impacts: Uint8Array }

/** A row, decoded: a list of its own, a filter's bitmap of the whole block, or a bundle, which is small enough to be read each time. */
export type ReadRow = { run: number; key: number; bytes: number } & (
  | { list: ReadList }
  | { bits: Bitmap }
  | { bundle: Uint8Array }
)

/** A driver's bytes may be a part of a larger piece of memory, which would be kept with them; so all of them are copied. */
export function readRow({ run, key, docs }: PostingRow): ReadRow {
  if (key < 0) return { run, key, bytes: docs.length, bundle: docs.slice() }
  if (docs[0] === BITMAP_FORM) return { run, key, bytes: docs.length, bits: bitmapIn(docs.slice()) }
  const count = decode({ docs, at: 0 }, false)
  if (isFilter(key) && count > LONG_FILTER)
    return { run, key, bytes: BLOCK_DOCUMENTS / 8, bits: bitsOf(run, count) }
  const list = { offsets: decoded.offsets.slice(0, count), impacts: decoded.impacts.slice(0, count) }
  return { run, key, bytes: 3 * count, list }
}

/** A filter is wanted as a bitmap, which takes longer to make of a long list than to keep. */
const LONG_FILTER = 1024

function bitsOf(run: number, count: number): Bitmap {
  const bits = emptyBitmap()
  const base = firstOf(run) % BLOCK_DOCUMENTS
  for (let i = 0; i < count; i++) setBit(bits, base + (decoded.offsets[i] as number))
  return bits
}

/** A word's list in a bundle, if it is there. Documents that were folded later may stand first there; here they are in order. */
export function listInBundle(bundle: Uint8Array, hash: number): ReadList | undefined {
  const from = findInBundle(bundle, hash)
  if (from < 0) return undefined
  const count = decode({ docs: bundle, at: from }, true)
  const offsets = decoded.offsets.slice(0, count)
  const impacts = decoded.impacts.slice(0, count)
  for (let i = 1; i < count; i++)
    for (let at = i; at > 0 && (offsets[at - 1] as number) > (offsets[at] as number); at--) {
      swap(offsets, at)
      swap(impacts, at)
    }
  return { offsets, impacts }
}

function swap(numbers: Uint16Array | Uint8Array, at: number): void {
  const before = numbers[at - 1] as number
  numbers[at - 1] = numbers[at] as number
  numbers[at] = before
}
