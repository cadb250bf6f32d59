import { expect, test } from 'vitest'
import { piecesOf } from './project-search.tsx'

const marked = (text: string, ...words: string[]) =>
  piecesOf(text, words)
    .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
    .join('')

test('every occurrence is marked, whatever its case', () => {
  expect(marked('Pool and pool', 'POOL')).toBe('[Pool] and [pool]')
})

test('signs with a meaning in patterns are plain text', () => {
  expect(marked('a.b (c) [d] e\\f g-h $1', '(c)')).toBe('a.b [(c)] [d] e\\f g-h $1')
  for (const sign of '\\^$.*+?()[]{}|/-') expect(marked(`x${sign}y`, sign)).toBe(`x[${sign}]y`)
})

test('the longer word wins, and no words mark nothing', () => {
  expect(marked('connections', 'connect', 'connection')).toBe('[connection]s')
  expect(marked('text', '', ' ')).toBe('text')
})
