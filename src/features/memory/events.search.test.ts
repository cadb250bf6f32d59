import { expect, test } from 'vitest'
import { gramHashes, inBase36, partitionHashes, rarestGrams, trigramsOf } from './events.search.ts'

test('the index is asked for the trigrams that are rarest in the texts themselves', () => {
  const sample = ['the pool is empty', 'the pool is full', 'the pool leaks', 'die Größe fehlt']
  expect(rarestGrams('the pool of größe', sample).slice(0, 2)).not.toContain('the')
  expect(rarestGrams('poolparty', sample)).toEqual(['olp', 'lpa', 'par', 'art'])
})

test('a very long needle is weighed by some of its trigrams, from all over it', () => {
  const needle = Array.from({ length: 500 }, (_, index) => index.toString(36).padStart(3, '-')).join('')
  const grams = rarestGrams(needle, [needle.slice(0, 700)])
  expect(grams).toHaveLength(4)
  for (const gram of grams) expect(needle.indexOf(gram)).toBeGreaterThan(600)
})

test('what is written into the index is found again: the hashes of a text are those of its trigrams', () => {
  const texts = ['', 'ab', 'abc', 'abcabc', 'die größe fehlt', '👩‍💻 tippt 😀😀😀', 'a😀b', '\ud800ab\udc00c']
  for (const text of texts)
    expect(gramHashes(text, 7), text).toEqual([...new Set(partitionHashes(trigramsOf(text), 7))])
})

test('numbers are written to base 36 as ever', () => {
  const edges = [0, 1, 35, 36, 1295, 1296, 46_655, 46_656, 1_679_615, 1_679_616, 2 ** 31, 2 ** 32 - 1]
  const many = Array.from({ length: 1000 }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 0) + (i % 2))
  for (const value of [...edges, ...many]) expect(inBase36(value)).toBe(value.toString(36))
})
