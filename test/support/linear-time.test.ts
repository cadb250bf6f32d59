import { expect, test } from 'vitest'
import { growsTooFast, quickest } from './linear-time.ts'

test('what is quadratic grows too fast, what is linear does not', () => {
  expect(growsTooFast((length) => /a*b/.test('a'.repeat(length)), 1000)).toBe(true)
  expect(growsTooFast((length) => [...'a'.repeat(length)].reverse().join(''), 50_000)).toBe(false)
  expect(growsTooFast((length) => /ab/.test('a'.repeat(length)), 100_000)).toBe(false)
})

test('a short run is measured though the clock moves in steps', () => {
  const work = (times: number) => () => {
    let sum = 0
    for (let i = 0; i < times; i++) sum = (sum * 31 + i) | 0
    return sum
  }
  const [short, long] = [quickest(work(500_000), 0), quickest(work(8_000_000), 0)]
  expect(short).toBeGreaterThan(long / 16 / 3)
  expect(short).toBeLessThan((long / 16) * 3)
})
