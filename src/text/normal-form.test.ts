import { describe, expect, test, vi } from 'vitest'
import { foldForFilter } from '../shared/card-checks.ts'
import { fold, foldCase, normalForm } from './fold.ts'
import { wordsOf } from './similar.ts'

/** The longest row of marks that is sorted while `run` runs. */
function mostSorted(run: () => void): number {
  const normalise = vi.spyOn(String.prototype, 'normalize')
  try {
    run()
    const given = normalise.mock.contexts.map(String)
    const rows = given.flatMap((text) => text.match(/[\p{M}\uff9e\uff9f]+/gu) ?? [])
    return Math.max(0, ...rows.map((row) => row.length))
  } finally {
    normalise.mockRestore()
  }
}

describe('a normal form', () => {
  test('is that of Unicode', () => {
    expect(normalForm('e\u0301', 'NFC')).toBe('\u00e9')
    expect(normalForm('\u1e69', 'NFD')).toBe('s\u0323\u0307')
    expect(normalForm('\uff76\uff9e', 'NFKC')).toBe('\u30ac')
    const most = `a${'\u0301\u0316'.repeat(15)}`
    expect(normalForm(most, 'NFD')).toBe(most.normalize('NFD'))
  })

  test.each([
    ['accents', '\u0301\u0316'],
    ['marks of Devanagari, which folding keeps', '\u0951\u093c'],
    ['marks of voice in half width', '\uff9e\u0301'],
    ['marks outside the first plane', '\u{1d165}\u{1d16d}'],
  ])('sorts a few marks of a letter, however many there are: %s', (_, marks) => {
    const text = `a${marks.repeat(1000)} word`
    for (const read of [fold, foldCase, foldForFilter, wordsOf])
      expect(mostSorted(() => read(text))).toBeLessThanOrEqual(60)
    expect(wordsOf(text)).toContain('word')
  })
})
