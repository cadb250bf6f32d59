import { type Bitmap, BLOCK_DOCUMENTS, hasBit } from './postings.ts'
import type { ReadList } from './read-lists.ts'
import { Best, type Summed } from './top-k.ts'

/** A list of a block: its offsets count from `base` on, its impacts weigh `worth`. */
export type WeighedList = ReadList & { hash: number; base: number; worth: number }

/** What documents of a block have gathered, and which of them have gathered anything. Empty between uses. */
const points = new Float32Array(BLOCK_DOCUMENTS)
const touched = new Uint16Array(BLOCK_DOCUMENTS)
let count = 0

/**
 * Adds up the lists of a block and offers the documents that pass. Once all lists that are left cannot bring a new document among
 * the best, they are asked for those alone that may still be among them; sums and their order stay the same to the last bit.
 */
export function addUp(lists: readonly WeighedList[], allowed: Bitmap, first: number, best: Best): void {
  const left = mostLeft(lists)
  let lookAgainBelow = (left[0] ?? 0) / 2
  for (let i = 0; i < lists.length; i++) {
    const most = left[i] as number
    if (most < best.bar || (most < lookAgainBelow && isLong(lists, i))) {
      const bar = Math.max(best.bar, barAmong(allowed, best.wanted))
      if (most < bar) {
        offer(
          addRest(stillInTheRace(allowed, bar - most), { lists, left, from: i }, bar, best.wanted),
          first,
          best,
        )
        return
      }
      // The bar rises by no more than what is added, so it is no use to look before.
      lookAgainBelow = (bar + most) / 2
    }
    add(lists[i] as WeighedList)
  }
  const some = stillInTheRace(allowed, 0)
  offer(some, first, best)
}

/** Sums are rounded as they grow, which must not make a difference here. */
const ROUNDING = 1 + 1e-5

/** What each list and those after it can add to one document at most. A document has a word in one list of a block alone. */
function mostLeft(lists: readonly WeighedList[]): number[] {
  const ofWord = new Map<number, number>()
  const left = new Array<number>(lists.length)
  let sum = 0
  for (let i = lists.length - 1; i >= 0; i--) {
    const { hash, worth, most } = lists[i] as WeighedList
    const before = ofWord.get(hash) ?? 0
    const here = Math.max(before, worth * most * ROUNDING)
    ofWord.set(hash, here)
    sum += here - before
    left[i] = sum
  }
  return left
}

/** Whether going on is more work than looking at every document that was met. */
function isLong(lists: readonly WeighedList[], from: number): boolean {
  let postings = 0
  for (let i = from; i < lists.length; i++) postings += (lists[i] as WeighedList).offsets.length
  return postings > count
}

function add({ offsets, impacts, base, worth }: WeighedList): void {
  let met = count
  for (let i = 0; i < offsets.length; i++) {
    const at = base + (offsets[i] as number)
    const before = points[at] as number
    if (before === 0) touched[met++] = at
    points[at] = before + worth * (impacts[i] as number)
  }
  count = met
}

/** What a document has at least that is among the best of this block; 0 where there are too few. */
function barAmong(allowed: Bitmap, wanted: number): number {
  const best = new Best(wanted)
  for (let i = 0; i < count; i++) {
    const at = touched[i] as number
    const score = points[at] as number
    if (score >= best.bar && hasBit(allowed, at)) best.offer(at, score)
  }
  return best.bar
}

/** The documents that pass and have at least so much, in order. The sums of the others are emptied. */
function stillInTheRace(allowed: Bitmap, least: number): Uint16Array {
  const some = new Uint16Array(count)
  let found = 0
  for (let i = 0; i < count; i++) {
    const at = touched[i] as number
    if ((points[at] as number) >= least && hasBit(allowed, at)) some[found++] = at
    else points[at] = 0
  }
  count = 0
  return some.subarray(0, found)
}

type Rest = { lists: readonly WeighedList[]; left: readonly number[]; from: number }

/** Adds the lists that are left to those in the race; who falls behind for good after one of them is out. */
function addRest(some: Uint16Array, { lists, left, from }: Rest, bar: number, wanted: number): Uint16Array {
  let racing = some.sort()
  for (let i = from; i < lists.length; i++) {
    addToSome(racing, lists[i] as WeighedList)
    if (racing.length > wanted) racing = aheadOf(racing, left[i + 1] ?? 0, bar, wanted)
  }
  return racing
}

function aheadOf(some: Uint16Array, mostLeft: number, bar: number, wanted: number): Uint16Array {
  const best = new Best(wanted)
  for (let i = 0; i < some.length; i++) {
    const score = points[some[i] as number] as number
    if (score >= best.bar) best.offer(some[i] as number, score)
  }
  const least = Math.max(bar, best.bar) - mostLeft
  let found = 0
  for (let i = 0; i < some.length; i++) {
    const at = some[i] as number
    if ((points[at] as number) >= least) some[found++] = at
    else points[at] = 0
  }
  return some.subarray(0, found)
}

/** Empties the sums that it offers. */
function offer(some: Uint16Array, first: number, best: Best): void {
  for (let i = 0; i < some.length; i++) {
    const at = some[i] as number
    const score = points[at] as number
    points[at] = 0
    if (score >= best.bar) best.offer(first + at, score)
  }
}

/** Adds what lists say about documents of a block that have gathered something before, and offers these. */
export function addToThese(
  found: readonly Summed[],
  lists: readonly WeighedList[],
  first: number,
  best: Best,
): void {
  for (const { docNo, score } of found) points[docNo - first] = score
  const some = Uint16Array.from(found, ({ docNo }) => docNo - first)
  some.sort()
  for (const list of lists) addToSome(some, list)
  offer(some, first, best)
}

/** For documents in order. Each is looked up in the list, and what lies between them is skipped. */
function addToSome(some: Uint16Array, { offsets, impacts, base, worth }: WeighedList): void {
  let from = 0
  for (let i = 0; i < some.length && from < offsets.length; i++) {
    const at = some[i] as number
    from = firstNotBelow(offsets, at - base, from)
    if (offsets[from] === at - base) points[at] = (points[at] as number) + worth * (impacts[from] as number)
  }
}

/** Where the first number stands, from `from` on, that is not below `wanted`: in steps that double, then by halves. */
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
