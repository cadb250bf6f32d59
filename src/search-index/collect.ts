import { type Match, PUBLIC_FILTER, type Without } from './packing.ts'
import {
  type Bitmap,
  BLOCK_DOCUMENTS,
  bitsIn,
  blockOf,
  bundleOf,
  decodeBitmap,
  emptyBitmap,
  firstOf,
  hasBit,
  listInBundle,
  type ReadList,
  type ReadRow,
  setBit,
} from './postings.ts'

export type WeighedList = ReadList & { base: number; worth: number }

const points = new Float32Array(BLOCK_DOCUMENTS)
/** The sums as bits. Sums are not negative, so the bits sort in the same order, and integers compare faster. */
const bitsOfPoints = new Int32Array(points.buffer)
const touched = new Uint16Array(BLOCK_DOCUMENTS)

/** Postings per document from which a full scan is cheaper than noting which documents have a sum. */
const MANY_POSTINGS = 0.5

export function addUp(lists: readonly WeighedList[], allowed: Bitmap, first: number, best: Best): void {
  let postings = 0
  let end = 0
  for (const { offsets, base } of lists) {
    postings += offsets.length
    end = Math.max(end, base + (offsets.at(-1) ?? -1) + 1)
  }
  if (postings >= MANY_POSTINGS * end) addUpMany(lists, end, allowed, first, best)
  else addUpFew(lists, allowed, first, best)
}

/** How many documents are compared together. A block's size is a multiple of this. */
const GROUP = 4

function addUpMany(
  lists: readonly WeighedList[],
  end: number,
  allowed: Bitmap,
  first: number,
  best: Best,
): void {
  for (const list of lists) add(list)
  const bits = bitsOfPoints
  let bar = barOf(best)
  for (let at = 0; at < end; at += GROUP) {
    const isFirstHalfBelow = ((bits[at] as number) - bar) & ((bits[at + 1] as number) - bar)
    const isSecondHalfBelow = ((bits[at + 2] as number) - bar) & ((bits[at + 3] as number) - bar)
    if ((isFirstHalfBelow & isSecondHalfBelow) < 0) continue
    for (let one = at; one < at + GROUP; one++) {
      if ((bits[one] as number) < bar || !hasBit(allowed, one)) continue
      best.offer(first + one, points[one] as number)
      bar = barOf(best)
    }
  }
  points.fill(0, 0, end)
}

const float = new Float32Array(1)
const bitsOfFloat = new Int32Array(float.buffer)

/** Returns the bits of the bar. A document without a sum is below every bar. */
function barOf({ bar }: Best): number {
  float[0] = bar
  return Math.max(1, bitsOfFloat[0] as number)
}

function add({ offsets, impacts, base, worth }: WeighedList): void {
  const sums = points
  for (let i = 0; i < offsets.length; i++) {
    const at = base + (offsets[i] as number)
    sums[at] = (sums[at] as number) + worth * (impacts[i] as number)
  }
}

function addUpFew(lists: readonly WeighedList[], allowed: Bitmap, first: number, best: Best): void {
  let count = 0
  for (const list of lists) count = addAndNote(list, count)
  for (let i = 0; i < count; i++) {
    const at = touched[i] as number
    const score = points[at] as number
    points[at] = 0
    if (score >= best.bar && hasBit(allowed, at)) best.offer(first + at, score)
  }
}

function addAndNote({ offsets, impacts, base, worth }: WeighedList, before: number): number {
  let count = before
  for (let i = 0; i < offsets.length; i++) {
    const at = base + (offsets[i] as number)
    const gathered = points[at] as number
    if (gathered === 0) touched[count++] = at
    points[at] = gathered + worth * (impacts[i] as number)
  }
  return count
}

export function addToThese(
  found: readonly Summed[],
  lists: readonly WeighedList[],
  first: number,
  best: Best,
): void {
  for (const { docNo, score } of found) points[docNo - first] = score
  const some = Uint16Array.from(found, ({ docNo }) => docNo - first).sort()
  for (const list of lists) addToSome(some, list)
  for (const at of some) {
    best.offer(first + at, points[at] as number)
    points[at] = 0
  }
}

/** Adds a list to a few documents in ascending order, skipping what lies between. */
function addToSome(some: Uint16Array, { offsets, impacts, base, worth }: WeighedList): void {
  let from = 0
  for (let i = 0; i < some.length && from < offsets.length; i++) {
    const at = some[i] as number
    from = firstNotBelow(offsets, at - base, from)
    if (offsets[from] === at - base) points[at] = (points[at] as number) + worth * (impacts[from] as number)
  }
}

/** Returns the first position from `from` with a number not below `wanted`, by galloping search. */
function firstNotBelow(sorted: Uint16Array, wanted: number, from: number): number {
  let low = from
  let step = 1
  while (low + step < sorted.length && (sorted[low + step] as number) < wanted) {
    low += step
    step *= 2
  }
  let high = Math.min(sorted.length, low + step)
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

export type Summed = { docNo: number; score: number }

/** Keeps the best results; ties go to the newer. A heap with the worst result as root. */
export class Best {
  readonly #numbers: Int32Array
  readonly #scores: Float64Array
  #size = 0
  bar = 0

  constructor(wanted: number) {
    this.#numbers = new Int32Array(wanted)
    this.#scores = new Float64Array(wanted)
  }

  offer(docNo: number, score: number): void {
    if (this.#size < this.#scores.length) this.#rise(this.#size++, docNo, score)
    else if (this.#isWorse(0, docNo, score)) this.#sink(docNo, score)
    if (this.#size === this.#scores.length) this.bar = this.#scores[0] as number
  }

  #isWorse(at: number, docNo: number, score: number): boolean {
    const other = this.#scores[at] as number
    return other < score || (other === score && (this.#numbers[at] as number) < docNo)
  }

  #put(at: number, docNo: number, score: number): void {
    this.#numbers[at] = docNo
    this.#scores[at] = score
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#numbers[from] as number, this.#scores[from] as number)
  }

  #rise(from: number, docNo: number, score: number): void {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#isWorse(above, docNo, score)) break
      this.#move(above, at)
      at = above
    }
    this.#put(at, docNo, score)
  }

  #sink(docNo: number, score: number): void {
    let at = 0
    for (let below = 1; below < this.#size; below = 2 * at + 1) {
      const next = below + 1
      const worse =
        next < this.#size &&
        this.#isWorse(next, this.#numbers[below] as number, this.#scores[below] as number)
          ? next
          : below
      if (!this.#isWorse(worse, docNo, score)) break
      this.#move(worse, at)
      at = worse
    }
    this.#put(at, docNo, score)
  }

  takeInOrder(): Summed[] {
    const taken = new Array<Summed>(this.#size)
    while (this.#size > 0) {
      const last = --this.#size
      taken[last] = { docNo: this.#numbers[0] as number, score: this.#scores[0] as number }
      if (last > 0) this.#sink(this.#numbers[last] as number, this.#scores[last] as number)
    }
    return taken
  }
}

type BlockList = { hash: number; base: number; list?: ReadList; bits?: Bitmap }

function byBlock(
  rows: readonly ReadRow[],
  asked: ReadonlySet<number>,
): [block: number, lists: BlockList[]][] {
  const bundled = Map.groupBy(asked, bundleOf)
  const blocks = new Map<number, BlockList[]>()
  for (const row of rows) {
    const first = firstOf(row.run)
    const block = blockOf(first)
    const lists = blocks.get(block) ?? []
    blocks.set(block, lists)
    const base = first - block * BLOCK_DOCUMENTS
    if ('list' in row) lists.push({ hash: row.key, base, list: row.list })
    else if ('bits' in row) lists.push({ hash: row.key, base, bits: row.bits })
    else
      for (const hash of bundled.get(row.key) ?? []) {
        const list = listInBundle(row.bundle, hash)
        if (list) lists.push({ hash, base, list })
      }
  }
  return [...blocks].sort((a, b) => b[0] - a[0])
}

function addToBitmap(bitmap: Bitmap, { base, list, bits }: BlockList): void {
  if (bits) for (let i = 0; i < bitmap.length; i++) bitmap[i] = (bitmap[i] as number) | (bits[i] as number)
  if (list) for (let i = 0; i < list.offsets.length; i++) setBit(bitmap, base + (list.offsets[i] as number))
}

/** A single bitmap is shared with the cache and must not be changed. */
function havingAny(lists: readonly BlockList[], anyOf: readonly number[]): Bitmap | undefined {
  const wanted = new Set(anyOf)
  const some = lists.filter((list) => wanted.has(list.hash))
  const [first] = some
  if (!first) return undefined
  if (some.length === 1 && first.bits) return first.bits
  const bitmap = emptyBitmap()
  for (const list of some) addToBitmap(bitmap, list)
  return bitmap
}

const EVERY_CARD = emptyBitmap().fill(0xffffffff)

/** The bitmap must not be changed. */
function passing(lists: readonly BlockList[], narrowed: Match): Bitmap | undefined {
  let all = EVERY_CARD
  for (const anyOf of narrowed) {
    const some = havingAny(lists, anyOf)
    if (!some) return undefined
    all = all === EVERY_CARD ? some : and(all, some)
  }
  return all
}

const havingAll = (lists: readonly BlockList[], numbers: readonly number[]): Bitmap | undefined =>
  passing(
    lists,
    numbers.map((number) => [number]),
  )

function weighed(lists: readonly BlockList[], worths: ReadonlyMap<number, number>): WeighedList[] {
  const found: WeighedList[] = []
  for (const { hash, base, list } of lists) {
    const worth = worths.get(hash)
    if (list && worth !== undefined) found.push({ offsets: list.offsets, impacts: list.impacts, base, worth })
  }
  return found
}

/** Ties go to the newer card. */
export function collect(
  rows: readonly ReadRow[],
  worths: ReadonlyMap<number, number>,
  { narrowed, without }: { narrowed: Match; without: Without },
  dead: ReadonlyMap<number, Uint8Array>,
  wanted: number,
): Summed[] {
  const best = new Best(wanted)
  const numbers = new Set([...worths.keys(), ...narrowed.flat(), ...without.flat()])
  for (const [block, lists] of byBlock(rows, numbers)) {
    const passed = passing(lists, narrowed)
    if (!passed) continue
    const allowed = without.reduce((left, together) => minus(left, havingAll(lists, together)), passed)
    addUp(weighed(lists, worths), minus(allowed, deadIn(block, dead)), block * BLOCK_DOCUMENTS, best)
  }
  return best.takeInOrder()
}

export function addFurther(
  found: readonly Summed[],
  rows: readonly ReadRow[],
  worths: ReadonlyMap<number, number>,
): Summed[] {
  const best = new Best(found.length)
  const inBlock = Map.groupBy(found, ({ docNo }) => blockOf(docNo))
  const lists = new Map(byBlock(rows, new Set(worths.keys())))
  for (const [block, some] of inBlock) {
    const first = block * BLOCK_DOCUMENTS
    addToThese(some, weighed(lists.get(block) ?? [], worths), first, best)
  }
  return best.takeInOrder()
}

export type ListCount = {
  within: number
  alone: number
}

export type ScopeBits = {
  blocks: ReadonlyMap<number, { within: Bitmap; alone: Bitmap }>
  alone: number
}

export function bitsOfScope(
  rows: readonly ReadRow[],
  scope: Match,
  dead: ReadonlyMap<number, Uint8Array>,
): ScopeBits {
  const blocks = new Map<number, { within: Bitmap; alone: Bitmap }>()
  let documents = 0
  for (const [block, lists] of byBlock(rows, new Set([...scope.flat(), PUBLIC_FILTER]))) {
    const passed = passing(lists, scope)
    if (!passed) continue
    const within = minus(passed, deadIn(block, dead))
    const alone = minus(within, havingAny(lists, [PUBLIC_FILTER]))
    documents += bitsIn(alone)
    blocks.set(block, { within, alone })
  }
  return { blocks, alone: documents }
}

export function countIn(
  rows: readonly ReadRow[],
  words: readonly number[],
  { blocks }: ScopeBits,
): Map<number, ListCount> {
  const counts = new Map<number, ListCount>(words.map((hash) => [hash, { within: 0, alone: 0 }]))
  for (const [block, lists] of byBlock(rows, new Set(words))) {
    const bits = blocks.get(block)
    if (!bits) continue
    for (const { hash, base, list } of lists) {
      const count = counts.get(hash)
      if (count && list) addToCount(count, list, base, bits.within, bits.alone)
    }
  }
  return counts
}

function and(bitmap: Bitmap, others: Bitmap): Bitmap {
  const both = emptyBitmap()
  for (let i = 0; i < both.length; i++) both[i] = (bitmap[i] as number) & (others[i] as number)
  return both
}

function minus(bitmap: Bitmap, others: Bitmap | undefined): Bitmap {
  if (!others) return bitmap
  const rest = emptyBitmap()
  for (let i = 0; i < rest.length; i++) rest[i] = (bitmap[i] as number) & ~(others[i] as number)
  return rest
}

/** Bits are added instead of tested: branches would be mispredicted. */
function addToCount(count: ListCount, { offsets }: ReadList, base: number, within: Bitmap, alone: Bitmap) {
  let [inside, own] = [0, 0]
  for (let i = 0; i < offsets.length; i++) {
    const at = base + (offsets[i] as number)
    inside += ((within[at >>> 5] as number) >>> (at & 31)) & 1
    own += ((alone[at >>> 5] as number) >>> (at & 31)) & 1
  }
  count.within += inside
  count.alone += own
}

function deadIn(block: number, dead: ReadonlyMap<number, Uint8Array>): Bitmap | undefined {
  const gone = dead.get(block)
  return gone && decodeBitmap(gone)
}
