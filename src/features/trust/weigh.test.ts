import { expect, test } from 'vitest'
import { isDistrusted, trustFrom } from './stored-trust.ts'
import { beliefOf, type CardFacts, type Judgement, weighAll } from './weigh.ts'

const NOW = new Date('2026-06-01T00:00:00.000Z')
const [YOUNG, RECENT, LONG_AGO] = ['2026-05-31', '2026-05-20', '2025-01-01'].map(
  (day) => `${day}T00:00:00.000Z`,
)

const OPEN: CardFacts = {
  cardType: 'debug_fix',
  isPublic: true,
  isOpen: true,
  halfLifeDays: 180,
  seenSince: null,
  now: NOW,
}

const judgements = (count: number, outcome: Judgement['outcome'], since = LONG_AGO): Judgement[] =>
  Array.from({ length: count }, (_, i) => ({
    verdictId: `${outcome}${since}${i}`,
    userId: `${since}${i}`,
    outcome,
    isVote: false,
    isBeforeChange: false,
    environment: {},
    at: NOW.toISOString(),
    closeness: 'stranger',
    nthOfOwner: 1,
    isReturned: false,
    isProven: true,
    since: since ?? '',
  }))

const beliefIn = (said: readonly Judgement[]) => beliefOf(weighAll(said, OPEN), OPEN.cardType)
const sumOf = (said: readonly Judgement[], card = OPEN) =>
  weighAll(said, card).reduce((sum, { weight }) => sum + weight, 0)

test('five people who are here for long bury a card; new accounts do not, however many they are', () => {
  expect(isDistrusted(beliefIn(judgements(5, 'stale')))).toBe(true)
  for (const since of [YOUNG, RECENT])
    expect(isDistrusted(beliefIn(judgements(150, 'stale', since))), since).toBe(false)
  const both = [...judgements(150, 'stale', YOUNG), ...judgements(150, 'stale', RECENT)]
  expect(isDistrusted(beliefIn(both))).toBe(false)
})

test('outcomes are counted by the first number of a version, and by the first two of 0.x', () => {
  const said = ['0.33.5', 'v0.34.0-rc.1', '0.34.1', '24.1', '24.9.0'].flatMap((sharp) =>
    judgements(1, 'worked').map((one) => ({ ...one, environment: { sharp } })),
  )
  const counted = trustFrom(said, OPEN)?.environments.map(({ version, worked }) => [version, worked])
  expect(counted).toEqual([
    ['0.34', 2],
    ['24', 2],
    ['0.33', 1],
  ])
})

test('new accounts raise a card as little as they lower it', () => {
  expect(sumOf(judgements(150, 'worked', YOUNG))).toBeCloseTo(0.5)
  expect(sumOf(judgements(150, 'worked', RECENT))).toBeCloseTo(2)
  expect(sumOf(judgements(2, 'worked', YOUNG))).toBeCloseTo(0.2)
  expect(sumOf(judgements(150, 'worked'))).toBeCloseTo(150)
})

test('where no stranger can read the card, the age of an account does not matter', () => {
  expect(sumOf(judgements(5, 'stale', YOUNG), { ...OPEN, isOpen: false, isPublic: false })).toBeCloseTo(5)
})
