import { isFilter } from '../text/term-hash.ts'

/** New cards go into short runs (ranges of card numbers), which are later merged into longer ones. */
const TIER_BITS = [9, 13, 16] as const

export type Tier = 0 | 1 | 2
export const LAST_TIER = 2

const TIER_SHIFT = 24

/** A block has as many cards as the longest run; a search sums one block at a time. */
const BLOCK_BITS = TIER_BITS[LAST_TIER]
export const BLOCK_DOCUMENTS = 2 ** BLOCK_BITS

export const runOf = (docNo: number, tier: Tier): number =>
  tier * 2 ** TIER_SHIFT + (docNo >>> TIER_BITS[tier])
export const tierOf = (run: number): Tier => (run >>> TIER_SHIFT) as Tier
export const firstOf = (run: number): number => (run & (2 ** TIER_SHIFT - 1)) * 2 ** TIER_BITS[tierOf(run)]
export const endOf = (run: number): number => firstOf(run) + 2 ** TIER_BITS[tierOf(run)]
export const blockOf = (docNo: number): number => docNo >>> BLOCK_BITS

const BITMAP_BYTES = BLOCK_DOCUMENTS / 8

export type Bitmap = Uint32Array

export const emptyBitmap = (): Bitmap => new Uint32Array(BITMAP_BYTES / 4)

export const hasBit = (bitmap: Bitmap, at: number) => ((bitmap[at >>> 5] as number) & (1 << (at & 31))) !== 0

export const setBit = (bitmap: Bitmap, at: number): void => {
  bitmap[at >>> 5] = (bitmap[at >>> 5] as number) | (1 << (at & 31))
}

export const encodeBitmap = (bitmap: Bitmap): Buffer => Buffer.from(bitmap.slice().buffer)

export function decodeBitmap(bytes: Uint8Array): Bitmap {
  const even = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
  return new Uint32Array(even.buffer, even.byteOffset, BITMAP_BYTES / 4)
}

function bitsInWord(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export function bitsIn(bitmap: Bitmap): number {
  let count = 0
  for (let i = 0; i < bitmap.length; i++) count += bitsInWord(bitmap[i] as number)
  return count
}

/** The cards of a run with a word: offsets from the run's first number, and impacts from 1 to 255. */
export type Postings = { offsets: number[]; impacts: number[] }

export const noPostings = (): Postings => ({ offsets: [], impacts: [] })

/** A common word's list has its own row; rare words share a bundle under a negative key. */
export type PostingRow = { run: number; key: number; docs: Uint8Array }

const BUNDLE_SHIFT = 20
const MAX_BUNDLED_LENGTH = 64

export const bundleOf = (hash: number): number => -1 - (hash >>> BUNDLE_SHIFT)

type ListAt = { docs: Uint8Array; at: number }

const BUNDLED_HEADER = 5
const BUNDLED_POSTING = 3

function encodeBundle(lists: readonly (readonly [hash: number, list: Postings])[]): Buffer {
  const size = lists.reduce(
    (sum, [, list]) => sum + BUNDLED_HEADER + list.offsets.length * BUNDLED_POSTING,
    0,
  )
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const [hash, { offsets, impacts }] of lists) {
    at = bytes.writeUInt32LE(hash, at)
    at = bytes.writeUInt8(offsets.length, at)
    for (const offset of offsets) at = bytes.writeUInt16LE(offset, at)
    for (const impact of impacts) at = bytes.writeUInt8(impact, at)
  }
  return bytes
}

const uint32 = (bytes: Uint8Array, at: number) =>
  ((bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)) >>>
  0

const bundledSize = (bundle: Uint8Array, at: number) =>
  BUNDLED_HEADER + (bundle[at + 4] as number) * BUNDLED_POSTING

function findInBundle(bundle: Uint8Array, hash: number): number {
  for (let at = 0; at < bundle.length; at += bundledSize(bundle, at))
    if (uint32(bundle, at) === hash) return at
  return -1
}

const GAPS_FORM = 0
const BITMAP_FORM = 1
const LONG_HEADER = 5
const FAR_GAP = 255

/** Encodes a single list: form, count, gaps, impacts. A gap takes one or more bytes. */
function encodeLong({ offsets, impacts }: Postings): Buffer {
  const order = offsets.map((_, i) => i)
  if (offsets.some((offset, i) => i > 0 && offset < (offsets[i - 1] as number)))
    order.sort((a, b) => (offsets[a] as number) - (offsets[b] as number))
  const bytes = Buffer.allocUnsafe(LONG_HEADER + offsets.length * 2 + Math.ceil(BLOCK_DOCUMENTS / FAR_GAP))
  bytes[0] = GAPS_FORM
  let at = bytes.writeUInt32LE(offsets.length, 1)
  let last = 0
  for (const i of order) {
    let gap = (offsets[i] as number) - last
    last += gap
    for (; gap >= FAR_GAP; gap -= FAR_GAP) bytes[at++] = FAR_GAP
    bytes[at++] = gap
  }
  for (const i of order) bytes[at++] = impacts[i] as number
  return bytes.subarray(0, at)
}

/** Encodes a filter without impacts. In the longest runs a long list becomes a bitmap if that is shorter. */
function encodeFilter(list: Postings): Buffer {
  const encoded = encodeLong(list)
  if (encoded.length <= BITMAP_BYTES) return encoded
  const bitmap = emptyBitmap()
  for (const offset of list.offsets) setBit(bitmap, offset)
  return Buffer.concat([Buffer.of(BITMAP_FORM, 0, 0, 0), encodeBitmap(bitmap)])
}

const bitmapIn = (docs: Uint8Array): Bitmap => decodeBitmap(docs.subarray(4))

/** Encodes whole bundles: the input must have every list of each bundle. */
export function encodeRows(
  run: number,
  lists: Iterable<readonly [hash: number, list: Postings]>,
): PostingRow[] {
  const rows: PostingRow[] = []
  const bundles = new Map<number, [hash: number, list: Postings][]>()
  for (const [hash, list] of lists) {
    if (list.offsets.length > MAX_BUNDLED_LENGTH) {
      const isWhole = tierOf(run) === LAST_TIER && isFilter(hash)
      rows.push({ run, key: hash, docs: isWhole ? encodeFilter(list) : encodeLong(list) })
    } else if (list.offsets.length > 0) {
      const bundle = bundles.get(bundleOf(hash))
      if (bundle) bundle.push([hash, list])
      else bundles.set(bundleOf(hash), [[hash, list]])
    }
  }
  for (const [key, bundle] of bundles) rows.push({ run, key, docs: encodeBundle(bundle) })
  // Order of the table, which is the order on disk.
  return rows.sort((a, b) => a.key - b.key)
}

/** The result of `decode`, valid until its next call. */
export const decoded = { offsets: new Uint16Array(BLOCK_DOCUMENTS), impacts: new Uint8Array(BLOCK_DOCUMENTS) }

function decode({ docs, at }: ListAt, isBundled: boolean): number {
  return isBundled ? decodeBundled(docs, at) : docs[0] === BITMAP_FORM ? decodeBits(docs) : decodeLong(docs)
}

function decodeBundled(docs: Uint8Array, from: number): number {
  const { offsets, impacts } = decoded
  const count = docs[from + 4] as number
  let at = from + BUNDLED_HEADER
  for (let i = 0; i < count; i++, at += 2) offsets[i] = (docs[at] as number) | ((docs[at + 1] as number) << 8)
  for (let i = 0; i < count; i++) impacts[i] = docs[at + i] as number
  return count
}

function decodeLong(docs: Uint8Array): number {
  const { offsets, impacts } = decoded
  const count = uint32(docs, 1)
  let at = LONG_HEADER
  let offset = 0
  for (let i = 0; i < count; i++) {
    let gap = docs[at++] as number
    while (gap === FAR_GAP) {
      offset += FAR_GAP
      gap = docs[at++] as number
    }
    offset += gap
    offsets[i] = offset
  }
  impacts.set(docs.subarray(at, at + count))
  return count
}

function decodeBits(docs: Uint8Array): number {
  const bits = bitmapIn(docs)
  let count = 0
  for (let at = 0; at < BLOCK_DOCUMENTS; at++)
    if (hasBit(bits, at)) {
      decoded.offsets[count] = at
      decoded.impacts[count++] = 1
    }
  return count
}

/** Calls `visit` for each list of a row. `decoded` is valid only during the call. */
export function eachList({ key, docs }: PostingRow, visit: (hash: number, count: number) => void): void {
  if (key >= 0) visit(key, decode({ docs, at: 0 }, false))
  else
    for (let at = 0; at < docs.length; at += bundledSize(docs, at))
      visit(uint32(docs, at), decode({ docs, at }, true))
}

export type ReadList = { offsets: Uint16Array; impacts: Uint8Array }

/** A decoded row: a list of its own, a filter's bitmap, or a bundle, which is decoded at each read. */
export type ReadRow = { run: number; key: number; bytes: number } & (
  | { list: ReadList }
  | { bits: Bitmap }
  | { bundle: Uint8Array }
)

/** Copies the bytes: a driver's buffer may be part of a larger one that would stay in memory. */
export function readRow({ run, key, docs }: PostingRow): ReadRow {
  if (key < 0) return { run, key, bytes: docs.length, bundle: docs.slice() }
  if (docs[0] === BITMAP_FORM) return { run, key, bytes: docs.length, bits: bitmapIn(docs.slice()) }
  const count = decode({ docs, at: 0 }, false)
  if (isFilter(key) && count > LONG_FILTER)
    return { run, key, bytes: BLOCK_DOCUMENTS / 8, bits: bitsOf(run, count) }
  const list = { offsets: decoded.offsets.slice(0, count), impacts: decoded.impacts.slice(0, count) }
  return { run, key, bytes: 3 * count, list }
}

const LONG_FILTER = 1024

function bitsOf(run: number, count: number): Bitmap {
  const bits = emptyBitmap()
  const base = firstOf(run) % BLOCK_DOCUMENTS
  for (let i = 0; i < count; i++) setBit(bits, base + (decoded.offsets[i] as number))
  return bits
}

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

/** Thresholds of the index. Tests lower them to make folding and merging happen sooner. */
export type SearchTuning = {
  foldFrom: number
  foldAtOnce: number
  /** With at least this many documents of one longer run, the short runs are skipped. */
  foldStraightFrom: number
  rewriteAfterTombstones: number
  /** Limit of fresh documents that one search reads; only a bulk load leaves more. */
  freshRead: number
  readWhole: number
  /** Cache size for lists and entries, in bytes: enough for the lists of about 100,000 documents. */
  keptBytes: number
  /** Cache size for texts of hits, in bytes: some thousands of cards. */
  keptTextBytes: number
}

export const usualTuning = (): SearchTuning => ({
  foldFrom: 128,
  foldAtOnce: 8192,
  foldStraightFrom: 1024,
  rewriteAfterTombstones: BLOCK_DOCUMENTS / 8,
  freshRead: 4096,
  readWhole: 400,
  keptBytes: 48 * 2 ** 20,
  keptTextBytes: 16 * 2 ** 20,
})
