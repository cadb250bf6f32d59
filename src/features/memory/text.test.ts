import { expect, test } from 'vitest'
import { documentFrom, itemsOf, mergeItems } from './documents.ts'
import { cutText, foldCase, snippetAround } from './text.ts'

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

test('a text is never cut inside a character', () => {
  expect(cutText('ab😀cd', 3)).toEqual({ text: 'ab', truncated: true })
  expect(cutText('ab😀cd', 4)).toEqual({ text: 'ab😀', truncated: true })
  expect(cutText('ab😀', 4)).toEqual({ text: 'ab😀', truncated: false })
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

test('a document is its lines, whatever the bullets', () => {
  expect(itemsOf('- tabs\n* short\n\n1. first\n2) second\n  plain  \n- tabs')).toEqual([
    'tabs',
    'short',
    'first',
    'second',
    'plain',
  ])
  expect(documentFrom(['one', ' two\n  lines ', ' '])).toBe('- one\n- two lines')
  expect(documentFrom('kept as it is')).toBe('kept as it is')
})

test('merging keeps the order of the target', () => {
  expect(mergeItems(['b', 'a'], ['a', 'c'])).toEqual({ items: ['b', 'a', 'c'], copied: 1, skipped: 1 })
})
