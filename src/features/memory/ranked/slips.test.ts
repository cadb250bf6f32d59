import { expect, test } from 'vitest'
import { slipsBetween } from './slips.ts'

test.each([
  ['kubernets', 'kubernetes', 1],
  ['webhok', 'webhook', 1],
  ['connectoin', 'connection', 1],
  ['postgras', 'postgres', 1],
  ['authetnicaton', 'authentication', 2],
])('%s is %s', (typed, word, slips) => {
  expect(slipsBetween(typed, word)).toBe(slips)
})

test.each([
  ['auditory', 'editor'],
  ['stress', 'address'],
  ['kubernets', 'internet'],
  ['cat', 'car'],
  ['port', 'report'],
])('%s is not %s', (typed, word) => {
  expect(slipsBetween(typed, word)).toBeUndefined()
})
