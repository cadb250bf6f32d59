import type { Match } from './match.ts'
import {
  addPoints,
  addToBitmap,
  addToSums,
  type Bitmap,
  BLOCK_DOCUMENTS,
  bitsIn,
  blockOf,
  bundleOf,
  decode,
  decodeBitmap,
  decoded,
  emptyBitmap,
  emptySums,
  findInBundle,
  firstOf,
  hasBit,
  type ListAt,
  type PostingRow,
  setBit,
} from './postings.ts'
import { PUBLIC_FILTER } from './public-documents.ts'
import { Best, type Summed } from './top-k.ts'

type List = ListAt & { hash: number; isBundled: boolean; base: number }

/** The asked lists of each block, the newest block first. */
function byBlock(rows: readonly PostingRow[], asked: ReadonlySet<number>): [block: number, lists: List[]][] {
  const bundled = Map.groupBy(asked, bundleOf)
  const blocks = new Map<number, List[]>()
  for (const { run, key, docs } of rows) {
    const first = firstOf(run)
    const block = blockOf(first)
    const lists = blocks.get(block) ?? []
    blocks.set(block, lists)
    const base = first - block * BLOCK_DOCUMENTS
    if (key >= 0) lists.push({ hash: key, docs, at: 0, isBundled: false, base })
    else
      for (const hash of bundled.get(key) ?? []) {
        const at = findInBundle(docs, hash)
        if (at >= 0) lists.push({ hash, docs, at, isBundled: true, base })
      }
  }
  return [...blocks].sort((a, b) => b[0] - a[0])
}

/** The cards of a block that pass every filter, or undefined where none can. */
function passing(lists: readonly List[], narrowed: Match): Bitmap | undefined {
  let all: Bitmap | undefined
  for (const anyOf of narrowed) {
    const wanted = new Set(anyOf)
    const some = lists.filter((list) => wanted.has(list.hash))
    if (some.length === 0) return undefined
    const bitmap = emptyBitmap()
    for (const list of some) addToBitmap(bitmap, list, list.isBundled, list.base)
    if (all) for (let i = 0; i < bitmap.length; i++) all[i] = (all[i] as number) & (bitmap[i] as number)
    else all = bitmap
  }
  return all ?? emptyBitmap().fill(0xffffffff)
}

/** Used again and again; empty between uses. */
const sums = emptySums()

/**
 * Adds up what each posting list says about each card, and returns the `wanted` best that pass every filter.
 * `worths` is what each word weighs. The best come first, of equals the newer.
 */
export function collect(
  rows: readonly PostingRow[],
  worths: ReadonlyMap<number, number>,
  { narrowed, without }: { narrowed: Match; without: readonly number[] },
  dead: ReadonlyMap<number, Uint8Array>,
  wanted: number,
): Summed[] {
  const best = new Best(wanted)
  for (const [block, lists] of byBlock(rows, new Set([...worths.keys(), ...narrowed.flat(), ...without]))) {
    const passed = passing(lists, narrowed)
    if (!passed) continue
    const allowed = without.length > 0 ? minus(passed, passing(lists, [without])) : passed
    const gone = dead.get(block)
    if (gone) withoutDead(allowed, gone)
    for (const list of lists) {
      const worth = worths.get(list.hash)
      if (worth !== undefined) addToSums(sums, list, list.isBundled, list.base, worth)
    }
    take(block * BLOCK_DOCUMENTS, allowed, best)
  }
  return best.takeInOrder()
}

/** Adds the scores of further lists to documents that were found without them, and sorts them again. */
export function addFurther(
  found: readonly Summed[],
  rows: readonly PostingRow[],
  worths: ReadonlyMap<number, number>,
): Summed[] {
  const best = new Best(found.length)
  const inBlock = Map.groupBy(found, ({ docNo }) => blockOf(docNo))
  const lists = new Map(byBlock(rows, new Set(worths.keys())))
  for (const [block, some] of inBlock) {
    const first = block * BLOCK_DOCUMENTS
    const among = emptyBitmap()
    for (const { docNo, score } of some) {
      setBit(among, docNo - first)
      addPoints(sums, docNo - first, score)
    }
    for (const list of lists.get(block) ?? [])
      addToSums(sums, list, list.isBundled, list.base, worths.get(list.hash) ?? 0, among)
    take(first, among, best)
  }
  return best.takeInOrder()
}

export type ListCount = {
  /** Documents of the scope that have the word. */
  within: number
  /** Those of them that are not public. */
  alone: number
}

/** How many documents of a scope have each word, and how many of the scope are not public. */
export function countIn(
  rows: readonly PostingRow[],
  scope: Match,
  words: readonly number[],
  dead: ReadonlyMap<number, Uint8Array>,
): { documents: number; counts: Map<number, ListCount> } {
  const counts = new Map<number, ListCount>(words.map((hash) => [hash, { within: 0, alone: 0 }]))
  let documents = 0
  for (const [block, lists] of byBlock(rows, new Set([...words, ...scope.flat(), PUBLIC_FILTER]))) {
    const within = passing(lists, scope)
    if (!within) continue
    const gone = dead.get(block)
    if (gone) withoutDead(within, gone)
    const alone = minus(within, passing(lists, [[PUBLIC_FILTER]]))
    documents += bitsIn(alone)
    for (const list of lists) {
      const count = counts.get(list.hash)
      if (count) addToCount(count, list, within, alone)
    }
  }
  return { documents, counts }
}

function minus(bitmap: Bitmap, others: Bitmap | undefined): Bitmap {
  return others ? bitmap.map((bits, i) => bits & ~(others[i] as number)) : bitmap
}

function addToCount(count: ListCount, list: List, within: Bitmap, alone: Bitmap): void {
  const length = decode(list, list.isBundled)
  for (let i = 0; i < length; i++) {
    const at = list.base + (decoded.offsets[i] as number)
    if (hasBit(within, at)) count.within++
    if (hasBit(alone, at)) count.alone++
  }
}

function withoutDead(allowed: Bitmap, gone: Uint8Array): void {
  const bits = decodeBitmap(gone)
  for (let i = 0; i < allowed.length; i++) allowed[i] = (allowed[i] as number) & ~(bits[i] as number)
}

/** Offers the cards that pass, and leaves the sums empty. */
function take(first: number, allowed: Bitmap, best: Best): void {
  const { points, touched, count } = sums
  for (let i = 0; i < count; i++) {
    const at = touched[i] as number
    const score = points[at] as number
    points[at] = 0
    if (!hasBit(allowed, at)) continue
    if (score >= best.bar) best.offer(first + at, score)
  }
  sums.count = 0
}
