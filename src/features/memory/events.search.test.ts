import { expect, test } from 'vitest'
import { rarestGrams } from './event-index.ts'

test('the index is asked for the trigrams that are rarest in the texts themselves', () => {
  const sample = ['the pool is empty', 'the pool is full', 'the pool leaks', 'die Größe fehlt']
  expect(rarestGrams('the pool of größe', sample).slice(0, 2)).not.toContain('the')
  expect(rarestGrams('poolparty', sample)).toEqual(['olp', 'art', 'lpa', 'par'])
})

test('trigrams of a needle that no text has stand apart, since neighbours share their letters', () => {
  expect(rarestGrams('abcdefghijkl', ['nothing of it'])).toEqual(['abc', 'def', 'ghi', 'jkl'])
})

test('a very long needle is weighed by some of its trigrams, from all over it', () => {
  const needle = Array.from({ length: 500 }, (_, index) => index.toString(36).padStart(3, '-')).join('')
  const grams = rarestGrams(needle, [needle.slice(0, 700)])
  expect(grams).toHaveLength(4)
  for (const gram of grams) expect(needle.indexOf(gram)).toBeGreaterThan(600)
})
