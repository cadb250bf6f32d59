import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginningsOf, mayBegin, scan } from './analyse.ts'
import { interpret } from './terms.ts'

const ENDINGS = ['', 's', 'es', 'ies', 'ied', 'ed', 'ing', 'ingly', 'edly', 'ly', 'y', 'er', 'eed', 'ational']
const IRREGULAR = ['skis', 'skies', 'dying', 'lying', 'tying', 'idly', 'ugly', 'early', 'only', 'singly']

const letters = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
  minLength: 1,
  maxLength: 6,
})
const word = fc.oneof(
  fc.tuple(letters, fc.constantFrom(...ENDINGS)).map((parts) => parts.join('')),
  fc.constantFrom(...IRREGULAR),
)

test('a word is never passed over where it has the term', () => {
  fc.assert(
    fc.property(word, (word) => {
      fc.pre(word.length > 1)
      const beginnings = beginningsOf(interpret(word).terms)
      for (const form of [word, word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1)])
        expect(mayBegin(beginnings, form.charCodeAt(0), form.charCodeAt(1)), form).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('names, numbers and other scripts are read whatever they begin with, other plain words are not', () => {
  const read: string[] = []
  const text = 'Pools of getPool pool_size v1.2 C# über 接続 Xenon POOLED xPool'
  scan(text, (_, start, end) => read.push(text.slice(start, end)), beginningsOf(['pool']))
  expect(read).toEqual(['Pools', 'getPool', 'pool_size', 'v1.2', 'C#', 'über', '接続', 'POOLED', 'xPool'])
})
