import { expect, test } from 'vitest'
import { hidesCard, type Reporter, thresholdFor, weighReports } from './reports.ts'

const NOW = new Date('2026-06-01T00:00:00.000Z')
const OLD = '2026-01-01T00:00:00.000Z'

const person = (userId: string, more: Partial<Reporter> = {}): Reporter => ({
  userId,
  since: OLD,
  isProven: true,
  upheld: 0,
  dismissed: 0,
  isTrusted: false,
  ...more,
})
const people = (count: number, more: Partial<Reporter> = {}) =>
  Array.from({ length: count }, (_, i) => person(`p${i}`, more))
const weigh = (reporters: Reporter[], bonds: { a: string; b: string }[] = [], anonymous = 0) =>
  weighReports({ reporters, bonds, anonymous }, NOW)

test('three people who have nothing to do with each other hide a card; one or two never do', () => {
  const threshold = thresholdFor(0)
  expect(hidesCard(weigh(people(3)), threshold)).toBe(true)
  expect(hidesCard(weigh(people(2)), threshold)).toBe(false)
  const two = people(2, { isTrusted: true, upheld: 100 })
  expect(hidesCard(weigh(two, [], 1_000_000), threshold)).toBe(false)
})

const YOUNG = '2026-05-30T00:00:00.000Z'
const RECENT = '2026-05-20T00:00:00.000Z'

test('new accounts, unproven addresses and nobody at all weigh little, however many they are', () => {
  for (const some of [{ since: YOUNG }, { isProven: false }, { since: YOUNG, isTrusted: true, upheld: 9 }])
    expect(weigh(people(150, some), [], 1_000_000)).toEqual({ weight: 0.5, groups: 0 })
  expect(weigh([], [], 1_000_000)).toEqual({ weight: 0.5, groups: 0 })
  expect(hidesCard(weigh(people(150, { since: RECENT })), 3)).toBe(false)
})

test('new accounts are not the third group, and do not outweigh those for whom the card worked', () => {
  const two = [person('a', { isTrusted: true }), person('b', { isTrusted: true })]
  for (const since of [YOUNG, RECENT])
    expect(hidesCard(weigh([...two, ...people(150, { since })]), thresholdFor(0))).toBe(false)
  const three = [person('a'), person('b'), person('c')]
  expect(weigh([...three, ...people(150, { since: YOUNG })])).toEqual({ weight: 3.5, groups: 3 })
})

test('a ring is one voice, however long its chain', () => {
  const ring = people(30)
  const chain = ring.slice(1).map((one, i) => ({ a: `p${i}`, b: one.userId }))
  expect(weigh(ring, chain)).toEqual({ weight: 1, groups: 1 })
  expect(weigh([...ring, person('x'), person('y')], chain)).toEqual({ weight: 3, groups: 3 })
})

test('a person whose reports were dismissed weighs less, and a card that worked for many needs more weight', () => {
  expect(weigh([person('a', { dismissed: 3 })]).weight).toBe(0.25)
  expect(weigh([person('a', { upheld: 6, dismissed: 1 })]).weight).toBe(0.8)
  expect(thresholdFor(4)).toBe(5)
  expect(thresholdFor(1000)).toBe(8)
})
