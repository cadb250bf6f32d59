import { type Bitmap, BLOCK_DOCUMENTS, hasBit } from './postings.ts'
import type { ReadList } from './read-lists.ts'
import type { Best, Summed } from './top-k.ts'

/** A posting list of a block: its offsets count from `base`, and its impacts are multiplied by `worth`. */
export type WeighedList = ReadList & { base: number; worth: number }

/** The sums of the documents of a block, all zero between calls. */
const points = new Float32Array(BLOCK_DOCUMENTS)
/** The same sums by their bits. Sums are not negative, so these are in the same order, and whole numbers compare faster. */
const bitsOfPoints = new Int32Array(points.buffer)
/** Which documents have a sum; only where few of the block have one. */
const touched = new Uint16Array(BLOCK_DOCUMENTS)

/** With this many postings for a document it is cheaper to look through all of them than to note which have a sum. */
const MANY_POSTINGS = 0.5

/** Adds up the lists of a block whose first document number is `first`, and offers the allowed documents to `best`. */
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

/** How many documents are looked at together. A block has a multiple of this. */
const GROUP = 4

/** For the documents before `end`. Most are below the bar, so four are compared at once: all of them are if the signs of
 * all differences are set. */
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

/** The bits of the bar, which is a sum itself. A document without a sum is below every bar. */
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

/** Returns how many documents have a sum so far. */
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

/** Adds further lists to documents of a block that already have a sum, and offers these documents. */
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

/** For a few documents in ascending order: finds each in the list and skips what lies between them. */
function addToSome(some: Uint16Array, { offsets, impacts, base, worth }: WeighedList): void {
  let from = 0
  for (let i = 0; i < some.length && from < offsets.length; i++) {
    const at = some[i] as number
    from = firstNotBelow(offsets, at - base, from)
    if (offsets[from] === at - base) points[at] = (points[at] as number) + worth * (impacts[from] as number)
  }
}

/** The position of the first number from `from` on that is not below `wanted`. Doubles its steps, then halves them. */
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
