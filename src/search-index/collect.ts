import { addToThese, addUp, type WeighedList } from './add-up.ts'
import type { Match, Without } from './match.ts'
import {
  type Bitmap,
  BLOCK_DOCUMENTS,
  bitsIn,
  blockOf,
  bundleOf,
  decodeBitmap,
  emptyBitmap,
  firstOf,
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

/** The cards of a block that have one of these filters. A single bitmap is the one that the process keeps, so it must not be changed. */
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

/** The cards of a block that pass every filter, or undefined where none can. Not to be changed. */
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
  return best.takeInOrder()
}

export type ListCount = {
  /** Documents of the scope that have the word. */
  within: number
  /** Those of them that are not public. */
  alone: number
}

/** The documents of a scope, block by block: all of them, and those that are not public. */
export type ScopeBits = {
  blocks: ReadonlyMap<number, { within: Bitmap; alone: Bitmap }>
  /** How many are not public. */
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

/** How many documents of a scope have each word. */
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

/** Bits are added, not tested: half of the tests would be guessed wrong by the processor. */
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
