import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addToThese, addUp, Best, type Summed, type WeighedList } from './collect.ts'
import { BLOCK_DOCUMENTS, emptyBitmap, setBit } from './postings.ts'

const SPACE = 3000

type Drawn = { worth: number; entries: [offset: number, impact: number][] }

const drawnList = fc.record({
  worth: fc.double({ min: 0.01, max: 12, noNaN: true }),
  entries: fc.uniqueArray(
    fc.tuple(fc.integer({ min: 0, max: SPACE - 1 }), fc.integer({ min: 1, max: 255 })),
    { selector: ([offset]) => offset, maxLength: 400, size: 'max' },
  ),
})

const drawnLists = fc.array(drawnList, { maxLength: 8 })

const listOf = ({ worth, entries }: Drawn): WeighedList => {
  const sorted = entries.toSorted(([a], [b]) => a - b)
  return {
    worth,
    base: 0,
    offsets: Uint16Array.from(sorted, ([offset]) => offset),
    impacts: Uint8Array.from(sorted, ([, impact]) => impact),
  }
}

/** The plain way: everything is added, then sorted. */
function sumsOf(lists: readonly WeighedList[], before: ReadonlyMap<number, number> = new Map()) {
  const sums = new Map(before)
  for (const { offsets, impacts, worth } of lists)
    offsets.forEach((at, i) => {
      sums.set(at, Math.fround((sums.get(at) ?? 0) + worth * (impacts[i] as number)))
    })
  return sums
}

const inOrder = (sums: ReadonlyMap<number, number>, wanted: number): Summed[] =>
  Array.from(sums, ([docNo, score]) => ({ docNo, score }))
    .sort((a, b) => b.score - a.score || b.docNo - a.docNo)
    .slice(0, wanted)

test('the best documents and their sums equal those of plain adding and sorting', () => {
  fc.assert(
    fc.property(
      drawnLists,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (drawn, wanted, every) => {
        const lists = drawn.map(listOf)
        const allowed = emptyBitmap()
        for (let at = 0; at < SPACE; at++) if (at % every === 0) setBit(allowed, at)
        const best = new Best(wanted)
        addUp(lists, allowed, 0, best)
        const sums = [...sumsOf(lists)].filter(([at]) => at % every === 0)
        expect(best.takeInOrder()).toEqual(inOrder(new Map(sums), wanted))
      },
    ),
  )
})

test('the best documents of two blocks are kept, and no sums remain', () => {
  const all = emptyBitmap().fill(0xffffffff)
  const strong = listOf({
    worth: 10,
    entries: [
      [5, 255],
      [6, 250],
    ],
  })
  const weak = listOf({ worth: 0.1, entries: [[7, 255]] })
  const best = new Best(2)
  addUp([strong], all, 100_000, best)
  addUp([weak], all, 0, best)
  expect(best.takeInOrder().map(({ docNo }) => docNo)).toEqual([100_005, 100_006])
  const again = new Best(5)
  addUp([weak], all, 0, again)
  expect(again.takeInOrder()).toEqual([{ docNo: 7, score: Math.fround(25.5) }])
})

test('further lists add only to documents that were found', () => {
  fc.assert(
    fc.property(
      drawnLists,
      fc.uniqueArray(fc.integer({ min: 0, max: SPACE - 1 }), { maxLength: 50 }),
      (drawn, numbers) => {
        const lists = drawn.map(listOf)
        const found = numbers.map((docNo) => ({ docNo, score: Math.fround(1 + (docNo % 7)) }))
        const best = new Best(found.length)
        addToThese(found, lists, 0, best)
        const sums = sumsOf(lists, new Map(found.map(({ docNo, score }) => [docNo, score])))
        const wanted = new Map([...sums].filter(([docNo]) => numbers.includes(docNo)))
        expect(best.takeInOrder()).toEqual(inOrder(wanted, found.length))
      },
    ),
  )
})

test('sums of lists that cover most of a block equal those of plain adding', () => {
  const lists = [3, 5, 7].map((worth) => ({
    worth,
    base: 0,
    offsets: Uint16Array.from({ length: BLOCK_DOCUMENTS / 4 }, (_, i) => i * 4 + (worth % 4)),
    impacts: Uint8Array.from({ length: BLOCK_DOCUMENTS / 4 }, (_, i) => 1 + ((i * worth * 31) % 255)),
  }))
  const odd = emptyBitmap().fill(0xaaaaaaaa)
  const sums = new Map([...sumsOf(lists)].filter(([at]) => at % 2 === 1))
  // Twice: a call leaves no sums behind.
  for (let i = 0; i < 2; i++) {
    const best = new Best(300)
    addUp(lists, odd, 0, best)
    expect(best.takeInOrder()).toEqual(inOrder(sums, 300))
  }
})
