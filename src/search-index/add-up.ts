import { type Bitmap, BLOCK_DOCUMENTS, hasBit } from './postings.ts'
import type { ReadList } from './read-lists.ts'
import type { Best, Summed } from './top-k.ts'

/** A posting list of a block: its offsets count from `base`, and its impacts are multiplied by `worth`. */
export type WeighedList = ReadList & { base: number; worth: number }

/** The sums of the documents of a block, all zero between calls. */
const points = new Float32Array(BLOCK_DOCUMENTS)
/** Which documents have a sum; only where few of the block have one. */
const touched = new Uint16Array(BLOCK_DOCUMENTS)

/** From this many postings on it is cheaper to look through a whole block than to note which documents have a sum. */
const MANY_POSTINGS = BLOCK_DOCUMENTS / 2

/** Adds up the lists of a block whose first document number is `first`, and offers the allowed documents to `best`. */
export function addUp(lists: readonly WeighedList[], allowed: Bitmap, first: number, best: Best): void {
  const postings = lists.reduce((sum, { offsets }) => sum + offsets.length, 0)
  if (postings >= MANY_POSTINGS) addUpMany(lists, allowed, first, best)
  else addUpFew(lists, allowed, first, best)
}

/** Bar and sums are locals, because this loop looks at every document of the block. */
function addUpMany(lists: readonly WeighedList[], allowed: Bitmap, first: number, best: Best): void {
  for (const list of lists) add(list)
  const sums = points
  let bar = Math.max(best.bar, Number.MIN_VALUE)
  for (let at = 0; at < sums.length; at++) {
    const score = sums[at] as number
    if (score < bar || !hasBit(allowed, at)) continue
    best.offer(first + at, score)
    if (best.bar > bar) bar = best.bar
  }
  sums.fill(0)
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
