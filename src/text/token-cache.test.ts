import { expect, test } from 'vitest'
import { readToken, termsOf } from './analyse.ts'

test('a text of words that nobody else writes does not put out the words that are known', () => {
  const usual = ['deployment', 'getUserById', 'zeitüberschreitung']
  for (const word of [...usual, ...usual]) readToken(word)
  const known = usual.map((word) => readToken(word))
  for (let text = 0; text < 4; text++)
    termsOf(Array.from({ length: 80_000 }, (_, i) => `q${text}w${(i * 7919).toString(36)}`).join(' '))
  for (const [i, word] of usual.entries()) expect(readToken(word)).toBe(known[i])
})
