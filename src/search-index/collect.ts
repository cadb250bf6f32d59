import { addToThese, addUp, type WeighedList } from './add-up.ts'
import type { Match } from './match.ts'
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
  setBit,
} from './postings.ts'
import { PUBLIC_FILTER } from './public-documents.ts'
import { listInBundle, type ReadList, type ReadRow } from './read-lists.ts'
import { Best, type Summed } from './top-k.ts'

/** A list of a block, or a filter's bitmap of all of it. */
type BlockList = { hash: number; base: number; list?: ReadList; bits?: Bitmap }

/** The asked lists of each block, the newest block first. */
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

/** The cards of a block that pass every filter, or undefined where none can. */
function passing(lists: readonly BlockList[], narrowed: Match): Bitmap | undefined {
  let all: Bitmap | undefined
  for (const anyOf of narrowed) {
    const wanted = new Set(anyOf)
    const some = lists.filter((list) => wanted.has(list.hash))
    if (some.length === 0) return undefined
    const bitmap = emptyBitmap()
    for (const list of some) addToBitmap(bitmap, list)
    if (all) for (let i = 0; i < bitmap.length; i++) all[i] = (all[i] as number) & (bitmap[i] as number)
    else all = bitmap
  }
  return all ?? emptyBitmap().fill(0xffffffff)
}

/** The lists of words in their order, each with what it weighs. */
function weighed(lists: readonly BlockList[], worths: ReadonlyMap<number, number>): WeighedList[] {
  const found: WeighedList[] = []
  for (const { hash, base, list } of lists) {
    const worth = worths.get(hash)
    if (list && worth !== undefined) found.push({ offsets: list.offsets, impacts: list.impacts, base, worth })
  }
  return found
}

/**
 * Adds up what each posting list says about each card, and returns the `wanted` best that pass every filter.
 * `worths` is what each word weighs. The best come first, of equals the newer.
 */
export function collect(
  rows: readonly ReadRow[],
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
    addUp(weighed(lists, worths), allowed, block * BLOCK_DOCUMENTS, best)
  }
  return best.inOrder()
}

/** Adds the scores of further lists to documents that were found without them, and sorts them again. */
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
  return best.inOrder()
}

export type ListCount = {
  /** Documents of the scope that have the word. */
  within: number
  /** Those of them that are not public. */
  alone: number
}

/** How many documents of a scope have each word, and how many of the scope are not public. */
export function countIn(
  rows: readonly ReadRow[],
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
    for (const { hash, base, list } of lists) {
      const count = counts.get(hash)
      if (count && list) addToCount(count, list, base, within, alone)
    }
  }
  return { documents, counts }
}

function minus(bitmap: Bitmap, others: Bitmap | undefined): Bitmap {
  if (!others) return bitmap
  const rest = emptyBitmap()
  for (let i = 0; i < rest.length; i++) rest[i] = (bitmap[i] as number) & ~(others[i] as number)
  return rest
}

function addToCount(count: ListCount, { offsets }: ReadList, base: number, within: Bitmap, alone: Bitmap) {
  for (let i = 0; i < offsets.length; i++) {
    const at = base + (offsets[i] as number)
    if (hasBit(within, at)) count.within++
    if (hasBit(alone, at)) count.alone++
  }
}

function withoutDead(allowed: Bitmap, gone: Uint8Array): void {
  const bits = decodeBitmap(gone)
  for (let i = 0; i < allowed.length; i++) allowed[i] = (allowed[i] as number) & ~(bits[i] as number)
}
