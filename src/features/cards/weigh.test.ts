import { expect, test } from 'vitest'
import {
  beliefOf,
  type CardFacts,
  isDistrusted,
  type Judgement,
  trustFrom,
  trustSummary,
  weighAll,
} from './card-trust.ts'

const NOW = new Date('2026-06-01T00:00:00.000Z')
const [YOUNG, RECENT, LONG_AGO] = ['2026-05-31', '2026-05-20', '2025-01-01'].map(
  (day) => `${day}T00:00:00.000Z`,
)

const OPEN: CardFacts = {
  cardType: 'debug_fix',
  isPublic: true,
  isForMembers: false,
  halfLifeDays: 180,
  seenSince: null,
  now: NOW,
}

const judgements = (count: number, outcome: Judgement['outcome'], since = LONG_AGO): Judgement[] =>
  Array.from({ length: count }, (_, i) => ({
    userId: `${since}${i}`,
    outcome,
    isBeforeChange: false,
    environment: {},
    at: NOW.toISOString(),
    closeness: 'stranger',
    nthOfOwner: 1,
    isReturned: false,
    isProven: true,
    since: since ?? '',
    isMember: false,
    mayEdit: false,
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
  const versions = ['0.33.5', 'v0.34.0-rc.1', '0.34.1', '24.1', '24.9.0']
  const said = judgements(versions.length, 'worked').map((one, i) => ({
    ...one,
    environment: { sharp: versions[i] ?? '' },
  }))
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

/** The least that a person can count, apart from when they said it. */
const WEAK: Partial<Judgement> = {
  closeness: 'owner',
  nthOfOwner: 30,
  isReturned: true,
  isProven: false,
}

test('members count 1 among members, whoever they are; what they said long ago or before a change counts less', () => {
  const members = judgements(5, 'stale', YOUNG).map((one) => ({ ...one, ...WEAK, isMember: true }))
  const team = { ...OPEN, isForMembers: true, isPublic: false }
  expect(sumOf(members, team)).toBeCloseTo(5)
  // The members of the private team that a public card came from see it so, and strangers do not.
  expect(sumOf(members, { ...OPEN, isForMembers: true })).toBeCloseTo(5)
  expect(sumOf(members)).toBe(0)
  const former = members.map((one) => ({ ...one, isBeforeChange: true }))
  expect(sumOf(former, team)).toBeCloseTo(1.5)
  const old = members.map((one) => ({ ...one, at: '2025-12-03T00:00:00.000Z' }))
  expect(sumOf(old, team)).toBeCloseTo(2.5)
  const strangers = judgements(5, 'stale', YOUNG)
  expect(sumOf(strangers, team)).toBeCloseTo(0.5)
})

const namedIn = (said: readonly Judgement[], card = OPEN) => {
  const { people, worked, failed, stale } = trustFrom(said, card) ?? {}
  return [people, worked, failed, stale]
}

test('people are named who count at least half, each once', () => {
  for (const [count, since, named] of [
    [40, YOUNG, 0],
    [3, RECENT, 3],
    [40, RECENT, 4],
    [40, LONG_AGO, 40],
  ] as const)
    expect(namedIn(judgements(count, 'worked', since)), `${count} since ${since}`).toEqual([
      named,
      named,
      0,
      0,
    ])
  const one = judgements(1, 'failed')
  const everywhere = Array.from({ length: 30 }, (_, i) => ({
    ...one[0],
    outcome: i % 3 === 0 ? ('worked' as const) : ('failed' as const),
    environment: { node: `${18 + (i % 2)}.${i}` },
  })) as Judgement[]
  expect(namedIn(everywhere)).toEqual([1, 1, 1, 0])
  expect(trustFrom(everywhere, OPEN)?.environments).toEqual(
    ['18', '19'].map((version) => ({ name: 'node', version, worked: 1, failed: 1 })),
  )
  for (const [what, weak] of Object.entries(WEAK))
    expect(namedIn(judgements(2, 'worked').map((said) => ({ ...said, [what]: weak }))), what).toEqual([
      0, 0, 0, 0,
    ])
  const old = judgements(2, 'worked').map((said) => ({ ...said, at: '2024-11-02T00:00:00.000Z' }))
  expect(namedIn(old)).toEqual([2, 2, 0, 0])
})

test('a summary names people, the day, and where; a former fix is said first', () => {
  const summaryOf = (said: readonly Judgement[]) => {
    const trust = trustFrom(said, OPEN)
    return trust && trustSummary(trust, NOW)
  }
  const on = (node: string, said: readonly Judgement[]) =>
    said.map((one) => ({ ...one, environment: { node } }))
  const worked = judgements(3, 'worked')
  expect(summaryOf(on('22.1', worked))).toBe('Worked for 3 people, last on 1 Jun, node 22')
  const failed = judgements(1, 'failed').map((one) => ({ ...one, userId: 'other' }))
  expect(summaryOf([...on('22', worked.slice(1)), ...worked.slice(0, 1), ...on('18', failed)])).toBe(
    'Worked for 3 people, last on 1 Jun, 2 on node 22; failed for 1 person, node 18',
  )
  const former = worked.map((one) => ({ ...one, at: '2025-11-02T23:00:00.000Z', isBeforeChange: true }))
  expect(summaryOf(former)).toBe('Worked for 3 people, last on 2 Nov 2025, before the last edit')
  const both = [...former, ...failed.map((one) => ({ ...one, isBeforeChange: true }))]
  expect(summaryOf(both)).toBe(
    'Worked for 3 people, last on 2 Nov 2025; failed for 1 person, all before the last edit',
  )
  // Where there is no room for all, the end stays.
  const long = on('24 abcdefghijklmnopqrstuv'.slice(0, 17), both)
  expect(summaryOf(long)?.length).toBeLessThanOrEqual(120)
  expect(summaryOf(judgements(2, 'stale'))).toBe('Called outdated by 2 people')
  expect(summaryOf(judgements(40, 'worked', YOUNG))).toBe('Too early to tell')
})
