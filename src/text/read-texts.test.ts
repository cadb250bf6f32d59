import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardFields, markParts, readWords, wantTerms } from './snippet.ts'

const WORDS = [
  'pool',
  'pools',
  'Timeout',
  'getUserById',
  'max_pool_size',
  'C++',
  'v3.11.2',
  'python3',
  'dying',
  '東京都',
  'naïve',
  'ECONNREFUSED',
  '🚀',
  'x',
]
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' '))
const terms = fc
  .uniqueArray(
    fc.constantFrom(
      'pool',
      'timeout',
      'user',
      'getuserbyid',
      'size',
      'c++',
      '3.11',
      'python',
      'die',
      '東京',
      'naiv',
      'x',
    ),
  )
  .map((some) => new Set(some))

test('the same words are marked in texts that are cut into words and in those that are not', () => {
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 4 }), terms, (title, texts, wanted) => {
      const card = cardFields(
        title,
        texts.map((text, i) => ({ where: `field ${i}`, text, isLog: i === 3 })),
      )
      const before = markParts(card, wantTerms(wanted))
      readWords(card)
      expect(card.words).toBeDefined()
      expect(markParts(card, wantTerms(wanted))).toEqual(before)
    }),
  )
})

test('a token is marked once with all its terms, and only the beginning of a long text is looked at', () => {
  const card = cardFields('getUserById', [{ where: 'body', text: `${'pool '.repeat(4000)}pool timeout` }])
  readWords(card)
  const [title, body] = markParts(card, wantTerms(new Set(['user', 'id', 'timeout'])))
  expect(title?.marks).toEqual([{ start: 0, end: 11, terms: ['user', 'id'] }])
  expect(body?.marks).toEqual([])
  expect(body?.text).toHaveLength(20_000)
})

test('of a word that a text repeats without end, the first hundred are marked, and the words after it still are', () => {
  const card = cardFields('x', [{ where: 'body', text: `${'go '.repeat(5000)}timeout` }])
  const marksIn = () => markParts(card, wantTerms(new Set(['go', 'timeout'])))[1]?.marks ?? []
  const before = marksIn()
  expect(before.map(({ terms }) => terms)).toEqual([...Array(100).fill(['go']), ['timeout']])
  readWords(card)
  expect(marksIn()).toEqual(before)
})
