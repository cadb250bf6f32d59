import { expect, test } from 'vitest'
import { trigramsIn } from '../../text/term-hash.ts'
import { gramHashes, inCodes, partitionHashes } from './event-index.ts'

test('what is written into the index is found again: the hashes of a text are those of its trigrams', () => {
  const texts = ['', 'ab', 'abc', 'abcabc', 'die größe fehlt', '👩‍💻 tippt 😀😀😀', 'a😀b', '\ud800ab\udc00c']
  for (const text of texts)
    expect(gramHashes(text, 7), text).toEqual([...new Set(partitionHashes(trigramsIn(text), 7))])
})

test('a text that is longer than any before, and the next one, have each hash once', () => {
  const long = Array.from({ length: 9000 }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 7).toString(36)).join('')
  for (const text of [long, 'abcabc', long.slice(5), 'die größe fehlt'])
    expect(gramHashes(text, 3)).toEqual([...new Set(partitionHashes(trigramsIn(text), 3))])
})

test('hashes are written to base 36, one space between', () => {
  const edges = [0, 1, 35, 36, 1295, 1296, 46_655, 46_656, 1_679_615, 1_679_616, 2 ** 31, 2 ** 32 - 1]
  const many = Array.from({ length: 1000 }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 0) + (i % 2))
  const hashes = [...edges, ...many].map((value) => value | 0)
  expect(inCodes(hashes)).toBe(hashes.map((value) => (value >>> 0).toString(36)).join(' '))
  expect(inCodes([])).toBe('')
})
