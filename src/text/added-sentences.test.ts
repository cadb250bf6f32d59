import { expect, test } from 'vitest'
import { sentencesThatAdd } from './added-sentences.ts'

const PROMPT = 'Retries of the uploader hammer the storage. Fix the uploader so that it backs off.'
const TEXT = `The uploader was changed because the storage team complained. Retries of the uploader hammered the storage.
Waits double from 200 ms up to 30 s. They must never exceed five attempts. A quota error is not retried at all.
Thanks to everybody who looked at it.`

test('a text that fits comes whole', () => {
  expect(sentencesThatAdd(PROMPT, TEXT, 1000)).toBe(TEXT)
})

test('within a budget the sentences come that say something new, rules first, in their order', () => {
  const chosen = sentencesThatAdd(PROMPT, TEXT, 130)
  expect(chosen.length).toBeLessThanOrEqual(130)
  expect(chosen).toBe(
    'Waits double from 200 ms up to 30 s. They must never exceed five attempts. A quota error is not retried at all.',
  )
})

test('what the prompt says already is left out, and a budget for nothing gives nothing', () => {
  expect(sentencesThatAdd(PROMPT, TEXT, 200)).not.toContain('hammered')
  expect(sentencesThatAdd(PROMPT, TEXT, 5)).toBe('')
})

test('a text without sentence ends is cut by nothing but its lines', () => {
  const long = 'word '.repeat(20_000)
  expect(sentencesThatAdd(PROMPT, long, 100)).toBe('')
})
