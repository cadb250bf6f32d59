import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byTrust, type Ranked } from './hits.ts'

const trust = (value: number, high = Math.min(1, value + 0.15)) => ({ value, high }) as Ranked['trust']
const hit = (name: string, confidence: number, of: Ranked['trust'] = null) => ({
  name,
  confidence,
  trust: of,
})
const names = (hits: { name: string }[]) => hits.map(({ name }) => name).join('')

test('without verdicts nothing moves', () =>
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (confidences) => {
      const hits = confidences.map((confidence, i) => hit(String(i), confidence))
      expect(byTrust(hits)).toEqual(hits)
    }),
  ))

test('trust decides between hits that are nearly as good as each other', () => {
  expect(names(byTrust([hit('a', 0.9, trust(0.5)), hit('b', 0.88, trust(0.9))]))).toBe('ba')
  expect(names(byTrust([hit('a', 0.9, trust(0.6)), hit('b', 0.88)]))).toBe('ba')
  expect(names(byTrust([hit('a', 0.9, trust(0.72)), hit('b', 0.88)]))).toBe('ab')
})

test('no card is lifted above one that matches clearly better', () => {
  expect(names(byTrust([hit('a', 0.9, trust(0.55)), hit('b', 0.7, trust(0.99))]))).toBe('ab')
  expect(names(byTrust([hit('a', 0.9, trust(0.1, 0.3)), hit('b', 0.6, trust(0.99))]))).toBe('ab')
})

test('a card that verdicts speak against gives way to weaker ones', () => {
  expect(names(byTrust([hit('a', 0.9, trust(0.2, 0.4)), hit('b', 0.7)]))).toBe('ba')
})
