import { expect, test } from 'vitest'
import { growsTooFast } from './linear-time.ts'

test('what is quadratic grows too fast, what is linear does not', () => {
  expect(growsTooFast((length) => /a*b/.test('a'.repeat(length)), 1000)).toBe(true)
  expect(growsTooFast((length) => [...'a'.repeat(length)].reverse().join(''), 50_000)).toBe(false)
  expect(growsTooFast((length) => /ab/.test('a'.repeat(length)), 100_000)).toBe(false)
})
