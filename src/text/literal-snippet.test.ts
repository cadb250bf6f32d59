import { expect, test, vi } from 'vitest'
import { foldCase } from './fold.ts'
import { snippetAround } from './snippet.ts'
import { cutText } from './unicode.ts'

test.each([
  ['STRASSE', 'straße'],
  ['ΟΔΟΣ', 'οδος'],
  ['İstanbul', 'istanbul'],
  ['ПРИВЕТ', 'привет'],
  ['CAFÉ', 'cafe\u0301'],
  ['ﬁn', 'FIN'],
])('%s and %s differ only in case', (a, b) => {
  expect(foldCase(a)).toBe(foldCase(b))
})

test('accents count', () => {
  expect(foldCase('resume')).not.toBe(foldCase('résumé'))
})

test('a text is cut by characters, never inside one', () => {
  expect(cutText('ab😀cd', 2)).toEqual({ text: 'ab', truncated: true })
  expect(cutText('ab😀cd', 3)).toEqual({ text: 'ab😀', truncated: true })
  expect(cutText('ab😀', 3)).toEqual({ text: 'ab😀', truncated: false })
  expect(cutText('😀😀', 2)).toEqual({ text: '😀😀', truncated: false })
})

test('a snippet shows the match in a long text, also behind letters whose fold is longer', () => {
  const text = `${'Straße '.repeat(200)}the needle ${'word '.repeat(200)}`
  const snippet = snippetAround(text, foldCase('NEEDLE'))
  expect(snippet).toContain('the needle word')
  expect(snippet.length).toBeLessThan(260)
  expect(snippet.startsWith('… ')).toBe(true)
  expect(snippet.endsWith(' …')).toBe(true)
})

test.each([
  ['accents written apart', 'e\u0301 '],
  ['accents written apart in words', 'Ti\u1ebf\u0302ng Vie\u0323\u0302t '],
  ['letters of Hangul one by one', '\u1112\u1161\u11ab\u1100\u1173\u11af '],
  ['a dot apart from its letter', 'I\u0307stanbul '],
  ['accents apart and letters whose fold is longer', 'Stra\u00dfe ae\u0301 \ufb01n '],
  ['marks beyond the basic plane', '\u{1d157}\u{1d165} e\u0301 '],
])('a snippet shows the match behind %s', (_, unit) => {
  const snippet = snippetAround(`${unit.repeat(1000)}needle ${'word '.repeat(200)}`, foldCase('Needle'))
  expect(snippet).toContain('needle word')
})

test('to find a match, characters of a long text are not folded one by one', () => {
  const normalise = vi.spyOn(String.prototype, 'normalize')
  try {
    const text = `\u00df${'plain words and e\u0301 '.repeat(5000)}needle`
    expect(snippetAround(text, 'needle')).toContain('needle')
    expect(normalise.mock.calls.length).toBeLessThan(20)
  } finally {
    normalise.mockRestore()
  }
})

test('a snippet never begins or ends with half a character', () => {
  const text = `${'😀'.repeat(300)}needle${'😀'.repeat(300)}`
  expect(snippetAround(text, 'needle').isWellFormed()).toBe(true)
})
