import { expect, test } from 'vitest'
import { standing } from './review-checklist.tsx'

const rule = (hard: boolean, ok: boolean) => ({ id: 'x', hard, ok, label: 'x' })

test('the list never says that enough is not enough', () => {
  const rules = [rule(true, false), rule(false, true)]
  expect(standing({ passed: false, score: 76, threshold: 60, rules })).toBe('1 required line missing')
  expect(standing({ passed: false, score: 40, threshold: 60, rules })).toBe('40 of 60 points needed')
  expect(standing({ passed: true, score: 80, threshold: 60, rules: [rule(true, true)] })).toBe(
    '80 of 100 points',
  )
})
