import { expect, test } from 'vitest'
import { slowPatterns } from './patterns.ts'

const LONGEST_MS = 5

test('no pattern of ours takes long over any long repetition of characters', () => {
  expect(slowPatterns(LONGEST_MS)).toEqual([])
}, 240_000)
