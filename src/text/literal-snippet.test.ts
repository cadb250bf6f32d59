import { expect, test } from 'vitest'
import { cutText } from './cut-text.ts'
import { foldCase } from './fold.ts'
import { snippetAround } from './literal-snippet.ts'

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

test('a snippet never begins or ends with half a character', () => {
  const text = `${'😀'.repeat(300)}needle${'😀'.repeat(300)}`
  expect(snippetAround(text, 'needle').isWellFormed()).toBe(true)
})
