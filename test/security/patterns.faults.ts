import { expect, test } from 'vitest'
import { slowPatterns } from './patterns.ts'

const MAX_MS = 5

test('no pattern of ours takes long over any long repetition of characters', () => {
  expect(slowPatterns({ longestMs: MAX_MS, length: 4_000 })).toEqual([])
}, 240_000)
