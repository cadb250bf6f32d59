import { expect, test } from 'vitest'
import { isStillGood } from './visible-counts.ts'

test('a remembered count is good for an hour while the lists are as they were, otherwise for a minute', () => {
  const remembered = { at: 1_000_000, state: 7 }
  const after = (minutes: number, state: number) =>
    isStillGood(remembered, remembered.at + minutes * 60_000, state)
  expect([after(0.5, 8), after(1.5, 8)]).toEqual([true, false])
  expect([after(1.5, 7), after(59, 7), after(61, 7)]).toEqual([true, true, false])
})
