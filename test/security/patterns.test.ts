import { expect, test } from 'vitest'
import { patterns, slowPatterns } from './patterns.ts'

/** A hundred times what any of them needs, so that only a bad pattern is seen and never a busy machine. */
const HOPELESS_MS = 2

test('no pattern of ours is hopeless over any long repetition of characters', () => {
  expect(patterns.length).toBeGreaterThan(80)
  // Half as long as in the long round: what is quadratic takes a quarter of the time then.
  expect(slowPatterns({ longestMs: HOPELESS_MS, length: 2_000 })).toEqual([])
}, 240_000)
