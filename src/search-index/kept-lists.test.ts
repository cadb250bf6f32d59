import { expect, test } from 'vitest'
import { KeptLists } from './index-store.ts'
import { readRow } from './postings.ts'

const PIECE = 2 ** 14
const MAX_BYTES = 24 * PIECE
const bundle = (bytes: number) => new Uint8Array(bytes)
const rows = (key: number, bytes = 10) => [readRow({ run: 1, key: -1 - key, docs: bundle(bytes) })]

test('rows are valid only for the state at which they were read', () => {
  const kept = new KeptLists(MAX_BYTES)
  kept.keep(5, 1, rows(1))
  expect(kept.rowsOf(5, 1)).toEqual(rows(1))
  expect(kept.rowsOf(4, 1)).toBeUndefined()
  expect(kept.rowsOf(6, 1)).toBeUndefined()
  kept.keep(4, 2, rows(2))
  expect(kept.rowsOf(4, 2)).toBeUndefined()
  kept.keep(6, 2, rows(2))
  expect(kept.rowsOf(6, 1)).toBeUndefined()
  expect(kept.rowsOf(6, 2)).toEqual(rows(2))
})

test('it also remembers that a run has no such list', () => {
  const kept = new KeptLists(MAX_BYTES)
  kept.keep(1, 7, [])
  expect(kept.rowsOf(1, 7)).toEqual([])
})

test('recently used rows stay, the others are dropped', () => {
  const kept = new KeptLists(MAX_BYTES)
  for (let key = 0; key < 100; key++) {
    kept.keep(1, key, rows(key, PIECE))
    kept.rowsOf(1, 0)
  }
  expect(kept.rowsOf(1, 0)).toHaveLength(1)
  expect(kept.rowsOf(1, 99)).toHaveLength(1)
  expect(kept.rowsOf(1, 50)).toBeUndefined()
})

test('bytes that are a part of a larger piece of memory are copied', () => {
  const part = new Uint8Array(new ArrayBuffer(PIECE), 0, 10)
  const read = readRow({ run: 1, key: -1, docs: part })
  expect('bundle' in read && read.bundle.buffer.byteLength).toBe(10)
})
