import { expect, test } from 'vitest'
import { findSecrets } from '../../src/redaction/redact.ts'
import { findDanger } from '../../src/review/find-danger.ts'
import { readAttacks, readOrdinary } from './corpus.ts'

const MIN_CAUGHT = 0.95

const isCaught = (text: string): boolean =>
  findSecrets(text).length > 0 || findDanger(text).some(({ severity }) => severity !== 'note')

test.each(['build', 'held'] as const)('the %s half of the attacks is blocked or marked', (half) => {
  const attacks = readAttacks(half)
  expect(attacks.length).toBeGreaterThanOrEqual(200)
  expect(new Set(attacks.map(({ group }) => group)).size).toBeGreaterThanOrEqual(12)
  const caught = attacks.filter(({ text }) => isCaught(text)).length
  expect(caught / attacks.length).toBeGreaterThanOrEqual(MIN_CAUGHT)
})

test('no text stands in both halves', () => {
  const built = new Set(readAttacks('build').map(({ text }) => text))
  expect(readAttacks('held').filter(({ text }) => built.has(text))).toEqual([])
})

const MAX_FALSE_ALARMS = 0.01

test('ordinary cards with commands near to danger are neither blocked nor marked', () => {
  const ordinary = readOrdinary()
  expect(ordinary.length).toBeGreaterThanOrEqual(300)
  const marked = ordinary.filter(isCaught)
  expect(marked.length / ordinary.length, marked.join('\n')).toBeLessThanOrEqual(MAX_FALSE_ALARMS)
})
