import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FILTERS_FROM } from '../text/term-hash.ts'
import { BitReader, BitWriter, pack, unpack } from './packing.ts'

const sorted = (most: number, count: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: most }), { maxLength: count, size: 'max' })
    .map((numbers) => numbers.sort((a, b) => a - b))

const levelsFor = (hashes: readonly number[]) =>
  fc.array(fc.integer({ min: 0, max: 32 }), { minLength: hashes.length, maxLength: hashes.length })

test('a packed card is unpacked unchanged, however small or large', () => {
  fc.assert(
    fc.property(
      sorted(FILTERS_FROM - 1, 400).chain((hashes) => fc.tuple(fc.constant(hashes), levelsFor(hashes))),
      sorted(FILTERS_FROM - 1, 20),
      fc.integer({ min: 0, max: 2 ** 24 - 1 }),
      ([hashes, levels], filters, length) => {
        const document = { words: [], hashes, levels, length, filters: filters.map((n) => n + FILTERS_FROM) }
        const { words, ...kept } = document
        const weights = pack(document)
        expect(unpack({ doc_no: 7, card_id: 'card', weights })).toEqual({
          docNo: 7,
          documentId: 'card',
          ...kept,
        })
      },
    ),
  )
})

test('many numbers behind a wide gap are written whole, also by a writer that has written nothing yet', () => {
  const first = Math.floor(0.9 * FILTERS_FROM)
  const numbers = Array.from({ length: 66_000 }, (_, i) => first + i)
  const writer = new BitWriter()
  writer.writeSorted(numbers, FILTERS_FROM)
  expect(new BitReader(writer.finish()).readSorted(numbers.length, FILTERS_FROM)).toEqual(numbers)
})

test('a card of ordinary size takes little more than three bytes a word', () => {
  const hashes = Array.from({ length: 130 }, (_, i) => Math.floor(((i + 0.5) / 130) * FILTERS_FROM))
  const weights = pack({ hashes, levels: hashes.map(() => 0), length: 170, filters: [] })
  expect(weights.length).toBeLessThan(130 * 3.5)
})

test('an entry that was cut off is an error, not an endless search', () => {
  const weights = pack({ hashes: [5, 1000, 2 ** 29], levels: [0, 0, 0], length: 3, filters: [] })
  expect(() => unpack({ doc_no: 1, card_id: 'card', weights: weights.subarray(0, 10) })).toThrow('damaged')
})
