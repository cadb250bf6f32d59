import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filterHash, wordHash } from '../text/term-hash.ts'
import { Best } from './collect.ts'
import {
  BLOCK_DOCUMENTS,
  bitsIn,
  bundleOf,
  decoded,
  eachList,
  emptyBitmap,
  encodeRows,
  endOf,
  firstOf,
  hasBit,
  listInBundle,
  type Postings,
  readRow,
  runOf,
  tierOf,
} from './postings.ts'

const run = runOf(5 * BLOCK_DOCUMENTS + 7, 2)

const listOf = (offsets: readonly number[]): Postings => ({
  offsets: [...offsets],
  impacts: offsets.map((offset) => 1 + (offset % 255)),
})

function readBack(rows: ReturnType<typeof encodeRows>): Map<number, [offset: number, impact: number][]> {
  const found = new Map<number, [number, number][]>()
  for (const row of rows)
    eachList(row, (hash, count) => {
      const list = Array.from({ length: count }, (_, i): [number, number] => [
        decoded.offsets[i] as number,
        decoded.impacts[i] as number,
      ])
      found.set(hash, list)
    })
  return found
}

const offsets = fc.uniqueArray(fc.integer({ min: 0, max: BLOCK_DOCUMENTS - 1 }), {
  minLength: 1,
  maxLength: 300,
  size: 'max',
})

test('a number belongs to one run of each tier, and longer runs hold shorter ones whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (docNo) => {
      for (const tier of [0, 1, 2] as const) {
        const of = runOf(docNo, tier)
        expect(tierOf(of)).toBe(tier)
        expect(firstOf(of)).toBeLessThanOrEqual(docNo)
        expect(endOf(of)).toBeGreaterThan(docNo)
      }
      expect(firstOf(runOf(docNo, 1))).toBeLessThanOrEqual(firstOf(runOf(docNo, 0)))
      expect(endOf(runOf(docNo, 1))).toBeGreaterThanOrEqual(endOf(runOf(docNo, 0)))
    }),
  )
})

test('short lists in bundles and long lists in rows come back as they were', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), offsets), (words) => {
      const lists = new Map(Object.entries(words).map(([word, some]) => [wordHash(word), listOf(some)]))
      const rows = encodeRows(run, lists)
      for (const { key } of rows)
        expect(key >= 0 ? (lists.get(key)?.offsets.length ?? 0) > 64 : key >= bundleOf(2 ** 31 - 1)).toBe(
          true,
        )
      const back = readBack(rows)
      expect(back.size).toBe(lists.size)
      for (const [hash, { offsets, impacts }] of lists) {
        const pairs = offsets.map((offset, i) => [offset, impacts[i]])
        const byOffset = (a: (number | undefined)[], b: (number | undefined)[]) => Number(a[0]) - Number(b[0])
        expect(back.get(hash)?.toSorted(byOffset)).toEqual(pairs.toSorted(byOffset))
      }
    }),
  )
})

test('a filter that most cards pass is a bitmap, and passes the same cards', () => {
  const most = Array.from({ length: BLOCK_DOCUMENTS }, (_, i) => i).filter((i) => i % 3 !== 0)
  const hash = filterHash('public')
  const [row] = encodeRows(run, [[hash, listOf(most)]])
  expect(row?.docs.length).toBeLessThan(BLOCK_DOCUMENTS / 7)
  const read = row && readRow(row)
  const bitmap = read && 'bits' in read ? read.bits : emptyBitmap()
  expect(bitsIn(bitmap)).toBe(most.length)
  expect([0, 1, 2, 3, BLOCK_DOCUMENTS - 1].map((at) => hasBit(bitmap, at))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ])
  expect(readBack(row ? [row] : []).get(hash)?.length).toBe(most.length)
})

test('a search reads every list in order', () => {
  fc.assert(
    fc.property(offsets, (some) => {
      const hash = wordHash('some')
      const [row] = encodeRows(run, [[hash, listOf(some)]])
      const read = row && readRow(row)
      const list = read && ('list' in read ? read.list : 'bundle' in read && listInBundle(read.bundle, hash))
      const sorted = some.toSorted((a, b) => a - b)
      expect(list).toEqual({
        offsets: Uint16Array.from(sorted),
        impacts: Uint8Array.from(listOf(sorted).impacts),
      })
    }),
  )
})

test('the best are those that sorting would find, and of equals the newer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 12 }),
      (scores, wanted) => {
        const best = new Best(wanted)
        const offered = scores.map((score, i) => ({ docNo: (i * 7919) % 1009, score }))
        for (const { docNo, score } of offered) if (score >= best.bar) best.offer(docNo, score)
        expect(best.takeInOrder()).toEqual(
          offered.toSorted((a, b) => b.score - a.score || b.docNo - a.docNo).slice(0, wanted),
        )
      },
    ),
  )
})
