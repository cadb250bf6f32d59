import { isFilter } from '../text/term-hash.ts'

/**
 * Which cards have a word, as the index keeps it. Cards are numbered as they come; a run is a range of numbers, and a
 * posting list says which cards of one run have one word, and how much it weighs in each. New cards go into short
 * runs, which are joined into longer ones later, so that a write costs little and a search reads few lists.
 */
const TIER_BITS = [9, 13, 16] as const

export type Tier = 0 | 1 | 2
export const LAST_TIER = 2

const TIER_SHIFT = 24

/** A block is as many cards as the longest run has: what a search adds up in one go. */
const BLOCK_BITS = TIER_BITS[LAST_TIER]
export const BLOCK_DOCUMENTS = 2 ** BLOCK_BITS

export const runOf = (docNo: number, tier: Tier): number =>
  tier * 2 ** TIER_SHIFT + (docNo >>> TIER_BITS[tier])
export const tierOf = (run: number): Tier => (run >>> TIER_SHIFT) as Tier
export const firstOf = (run: number): number => (run & (2 ** TIER_SHIFT - 1)) * 2 ** TIER_BITS[tierOf(run)]
export const endOf = (run: number): number => firstOf(run) + 2 ** TIER_BITS[tierOf(run)]
export const blockOf = (docNo: number): number => docNo >>> BLOCK_BITS

const BITMAP_BYTES = BLOCK_DOCUMENTS / 8

/** One bit for each card of a block. */
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

/** Pairs of bits are counted side by side, then fours, then bytes. */
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

/** Which cards of a run have a word: offsets from the first number of the run, and impacts from 1 to 255. */
export type Postings = { offsets: number[]; impacts: number[] }

export const noPostings = (): Postings => ({ offsets: [], impacts: [] })

/**
 * A row of the table. The list of a common word has a row of its own, under the word's number. Lists of rare words are
 * bundled, as a row for each would be mostly overhead; a bundle stands under a number below zero.
 */
export type PostingRow = { run: number; key: number; docs: Uint8Array }

const BUNDLE_SHIFT = 20
const LONGEST_BUNDLED = 64

export const bundleOf = (hash: number): number => -1 - (hash >>> BUNDLE_SHIFT)

/** A list within the bytes of a row. */
export type ListAt = { docs: Uint8Array; at: number }

const BUNDLED_HEADER = 5
const BUNDLED_POSTING = 3

/** In a bundle: number of the word, how many cards, offsets, impacts. */
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

/** On its own: the form, how many cards, the gaps from one to the next, impacts. A gap is a byte, or several. */
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

/**
 * A filter needs no impacts. In the longest runs, a list that would be longer than a bitmap is a bitmap.
 */
function encodeFilter(list: Postings): Buffer {
  const encoded = encodeLong(list)
  if (encoded.length <= BITMAP_BYTES) return encoded
  const bitmap = emptyBitmap()
  for (const offset of list.offsets) setBit(bitmap, offset)
  return Buffer.concat([Buffer.of(BITMAP_FORM, 0, 0, 0), encodeBitmap(bitmap)])
}

const bitmapIn = (docs: Uint8Array): Bitmap => decodeBitmap(docs.subarray(4))

/** The rows of whole bundles: every list that these lists share a bundle with must be among them. */
export function encodeRows(
  run: number,
  lists: Iterable<readonly [hash: number, list: Postings]>,
): PostingRow[] {
  const rows: PostingRow[] = []
  const bundles = new Map<number, [hash: number, list: Postings][]>()
  for (const [hash, list] of lists) {
    if (list.offsets.length > LONGEST_BUNDLED) {
      const isWhole = tierOf(run) === LAST_TIER && isFilter(hash)
      rows.push({ run, key: hash, docs: isWhole ? encodeFilter(list) : encodeLong(list) })
    } else if (list.offsets.length > 0) {
      const bundle = bundles.get(bundleOf(hash))
      if (bundle) bundle.push([hash, list])
      else bundles.set(bundleOf(hash), [[hash, list]])
    }
  }
  for (const [key, bundle] of bundles) rows.push({ run, key, docs: encodeBundle(bundle) })
  // In the order of the table, which is the order on the disk.
  return rows.sort((a, b) => a.key - b.key)
}

/** What `decode` has read, until it reads again. */
export const decoded = { offsets: new Uint16Array(BLOCK_DOCUMENTS), impacts: new Uint8Array(BLOCK_DOCUMENTS) }

/** Reads a list into `decoded`; returns how many cards it has. */
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

/** Every list of a row, each read into `decoded` for as long as `visit` runs. */
export function eachList({ key, docs }: PostingRow, visit: (hash: number, count: number) => void): void {
  if (key >= 0) visit(key, decode({ docs, at: 0 }, false))
  else
    for (let at = 0; at < docs.length; at += bundledSize(docs, at))
      visit(uint32(docs, at), decode({ docs, at }, true))
}

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

/** What the index does when. Every process has one of these; tests make folding and merging happen sooner. */
export type SearchTuning = {
  /** A search looks through fresh documents one by one; up to this many, that costs less than keeping lists. */
  foldFrom: number
  /** How many are folded at once: a whole longer run. This many wait only while an index is rebuilt. */
  foldAtOnce: number
  /** With at least this many documents of one longer run, the short runs are skipped. */
  foldStraightFrom: number
  /** A run is rewritten without its tombstones when this many have come since. */
  rewriteAfterTombstones: number
  /** Fresh documents that one search looks through; more of them only wait after a bulk load. */
  freshRead: number
  /** Up to this many documents, a scope is read whole: that is exact, and cheaper than asking the lists. */
  readWhole: number
  /** What a process keeps of lists and entries that it has read, in bytes. All lists of about 100,000 documents fit in. */
  keptBytes: number
  /** What a process keeps of the texts of hits, in bytes: those of some thousands of cards. */
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
