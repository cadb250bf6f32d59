import { expect, test, vi } from 'vitest'
import { queryTerms, termsOf, tokens } from './analyse.ts'
import { fold } from './fold.ts'

const written = (text: string) => tokens(text).map(({ start, end }) => text.slice(start, end))

test.each([
  [
    'letters of Hangul one by one',
    '\u1112\u1161\u11ab\u1100\u1173\u11af',
    ['\u1112\u1161\u11ab\u1100\u1173\u11af'],
  ],
  ['a syllable and its last letter', '\uac00\u11a8\ub098\ub2e4', ['\uac00\u11a8\ub098', '\ub098\ub2e4']],
  ['letters of Hangul that stand alone', '\u3131\u314f\ub098\ub2e4', ['\u3131\u314f\ub098', '\ub098\ub2e4']],
  [
    'sara am of Thai',
    '\u0e07\u0e32\u0e19\u0e17\u0e33',
    ['\u0e07\u0e32', '\u0e32\u0e19', '\u0e19\u0e17', '\u0e17\u0e33', '\u0e33'],
  ],
  ['kana in half width', '\uff76\uff9e\uff71\uff76', ['\uff76\uff9e\uff71', '\uff71\uff76']],
  ['a sign of several characters', '\u3306\u4e00', ['\u3306', '\u3306', '\u3306\u4e00']],
])('a pair has its own place where folding changes the length: %s', (_, text, expected) => {
  expect(written(text)).toEqual(expected)
})

test('dozens of marks in a row leave every pair a small place', () => {
  const text = `\u0e01${'\u0e48'.repeat(40)}\u0e33`.repeat(20)
  for (const { start, end } of tokens(text)) {
    expect(end).toBeGreaterThan(start)
    expect(end).toBeLessThanOrEqual(text.length)
    expect(end - start).toBeLessThan(10)
  }
})

/** How many characters are normalised to read a text as a query. */
function normalisedFor(query: string): number {
  const normalise = vi.spyOn(String.prototype, 'normalize')
  try {
    queryTerms(query)
    return normalise.mock.contexts.reduce((sum: number, given) => sum + String(given).length, 0)
  } finally {
    normalise.mockRestore()
  }
}

test.each([
  ['letters of Hangul one by one', (i: number) => `\u1112${String.fromCodePoint(0x1161 + (i % 21))}\u11ab`],
  ['sara am of Thai', (i: number) => `${String.fromCodePoint(0xe01 + (i % 40))}\u0e33`],
  ['marks in rows', (i: number) => `${String.fromCodePoint(0xe01 + (i % 40))}${'\u0e48'.repeat(35)}\u0e33`],
])('reading a query takes work in proportion to it: %s', (_, unit) => {
  const textOf = (units: number) => Array.from({ length: units }, (_, i) => unit(i)).join('')
  const few = normalisedFor(textOf(50))
  expect(few).toBeGreaterThan(0)
  expect(normalisedFor(textOf(200))).toBeLessThan(8 * few)
})

test('a word of signs that Unicode writes out is folded in proportion to what was typed, with the same term', () => {
  const sign = '\ufdfa'
  expect(termsOf(sign.repeat(500))).toEqual(termsOf(sign.repeat(50)))
  expect(fold('\u3316'.repeat(2000))).toHaveLength(12_000)
  expect(normalisedFor(sign.repeat(2000))).toBeLessThan(100_000)
})
