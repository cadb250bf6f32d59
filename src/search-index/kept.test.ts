import { expect, test } from 'vitest'
import { Kept } from './index-store.ts'

test('a value that grows takes more of the room, and the older half goes when it is full', () => {
  const kept = new Kept<{ bytes: number }>(100, ({ bytes }) => bytes)
  const first = { bytes: 20 }
  kept.keep(1, first)
  kept.keep(2, { bytes: 20 })
  expect(kept.get(1)).toBe(first)
  // Together more than half of the room: both are the older half now.
  kept.grow(first, (value) => {
    value.bytes = 40
  })
  expect(kept.get(1)).toEqual({ bytes: 40 })
  kept.keep(3, { bytes: 20 })
  expect(kept.get(1)).toBe(first)
  expect(kept.get(2)).toBeUndefined()
})
