import { expect, test } from 'vitest'
import { type IndexView, KeptScopes } from './index-store.ts'

const view = (state: number, dead: [block: number, docs: Uint8Array][] = []): IndexView => ({
  fresh: [],
  gone: new Set(),
  dead: new Map(dead),
  state,
  rowsOf: async () => [],
})

test('the documents of a scope are known for one state of the lists and of the tombstones', () => {
  const kept = new KeptScopes(2 ** 20)
  const bits = { blocks: new Map(), alone: 7 }
  kept.keep(view(1, [[0, Uint8Array.of(1)]]), 'mine', bits)
  expect(kept.get(view(1, [[0, Uint8Array.of(1)]]), 'mine')).toBe(bits)
  expect(kept.get(view(1, [[0, Uint8Array.of(1)]]), 'yours')).toBeUndefined()
  expect(kept.get(view(2, [[0, Uint8Array.of(1)]]), 'mine')).toBeUndefined()
  expect(kept.get(view(1), 'mine')).toBeUndefined()
  expect(kept.get(view(1, [[0, Uint8Array.of(3)]]), 'mine')).toBeUndefined()
  expect(kept.get(view(1, [[1, Uint8Array.of(1)]]), 'mine')).toBeUndefined()
})

test('what belongs to another state goes when a scope is kept', () => {
  const kept = new KeptScopes(2 ** 20)
  kept.keep(view(1), 'mine', { blocks: new Map(), alone: 1 })
  kept.keep(view(2), 'yours', { blocks: new Map(), alone: 2 })
  expect(kept.get(view(2), 'mine')).toBeUndefined()
  expect(kept.get(view(2), 'yours')?.alone).toBe(2)
})
