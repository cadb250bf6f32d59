import { expect, test } from 'vitest'
import type { LedgerEntry } from '../../api/types.ts'
import { setLanguage } from '../../lib/format.ts'
import { balanceCurve, hasCourse, purchaseAmong, signed } from './credits-tab.tsx'

const entry = (second: number, delta: number, balance_after: number): LedgerEntry => ({
  entry_id: String(second),
  delta,
  balance_after,
  reason: 'public_search',
  ref_type: null,
  ref_id: null,
  card_title: null,
  created_at: new Date(second * 1000).toISOString(),
})

const WEEK = 7 * 86_400

test('the curve begins before the oldest entry and ends now', () => {
  const now = 2 * WEEK
  const curve = balanceCurve([entry(200, -5, 95), entry(100, 100, 100)], new Date(now * 1000))
  expect(curve).toEqual({ times: [99, 100, 200, now], values: [0, 100, 95, 95] })
})

test('a young account shows a week, so that the days on the axis are readable', () => {
  const now = 10 * WEEK
  const { times } = balanceCurve([entry(now - 60, 100, 100)], new Date(now * 1000))
  expect(times).toEqual([now - WEEK, now - 60, now])
})

test('bookings of the same second stay in order', () => {
  const now = 10 * WEEK
  const { times, values } = balanceCurve([entry(now, -5, 90), entry(now, -5, 95)], new Date(now * 1000))
  expect(times).toEqual([now - WEEK, now, now + 1, now + 2])
  expect(values).toEqual([100, 95, 90, 90])
})

test('a curve is worth a look from three bookings on, of more than one day', () => {
  const [first, second, third] = [entry(0, 100, 100), entry(60, 5, 105), entry(WEEK, 5, 110)]
  expect(hasCourse([third, second, first])).toBe(true)
  for (const few of [[], [first], [third, first], [second, second, first]]) expect(hasCourse(few)).toBe(false)
})

test('without entries there is no curve', () => {
  expect(balanceCurve([], new Date(0))).toEqual({ times: [], values: [] })
})

test('amounts carry their sign', () => {
  expect([signed(5), signed(-5), signed(0)]).toEqual(['+5', '−5', '0'])
  setLanguage('de')
  expect([signed(1500), signed(-1500)]).toEqual(['+1.500', '−1.500'])
  setLanguage('en')
})

test('a purchase counts only when it was booked after the person left to pay', () => {
  const purchase = { ...entry(300, 100, 200), reason: 'pack_purchase' as const }
  expect(purchaseAmong([entry(400, -5, 195), purchase], '200')).toBe(purchase)
  expect(purchaseAmong([entry(400, -5, 195), purchase], '300')).toBeUndefined()
  expect(purchaseAmong(undefined, null)).toBeUndefined()
})
