import { expect, test } from 'vitest'
import { SecondTimes } from './index-store.ts'

test('a number is known from its second time on, until another takes its place', () => {
  const times = new SecondTimes()
  expect([7, 8, 7, 7].map((number) => times.isSecond(number))).toEqual([false, false, true, true])
  expect(times.isSecond(7 + 2 ** 16)).toBe(false)
  expect([7, 8].map((number) => times.isSecond(number))).toEqual([false, true])
})
