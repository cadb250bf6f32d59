import { expect, test } from 'vitest'
import { endsToRedact, startToRedact } from './safe-cuts.ts'

const line = (at: number) => `${String(at).padStart(3, '0')} some words of a line`
const LINES = Array.from({ length: 400 }, (_, at) => line(at)).join('\n')

test('a text that fits stays as it is', () => {
  for (const text of ['', 'x', 'y'.repeat(1000)]) {
    expect(startToRedact(text, 1000)).toBe(text)
    expect(endsToRedact(text, 1000)).toBe(text)
  }
})

test('lines stay whole, and the two that begin an end are dropped', () => {
  const kept = startToRedact(LINES, 1000).split('\n')
  expect(kept.pop()).toBe('…')
  expect(kept).toEqual(LINES.split('\n').slice(0, kept.length))
  const [head = '', tail = ''] = endsToRedact(LINES, 4000).split('\n…\n')
  expect(LINES.startsWith(`${head}\n`)).toBe(true)
  expect(LINES.endsWith(`\n${tail}`)).toBe(true)
  expect(tail.length).toBeGreaterThan(2900)
  expect(tail.length).toBeLessThanOrEqual(2997 - 2 * line(0).length)
})

test('one long line ends at a space, well before the cut; its end is dropped', () => {
  const words = 'word '.repeat(1000)
  expect(startToRedact(words, 1000)).toBe(`${'word '.repeat(160)}\n…`)
  expect(endsToRedact(words, 4000)).toBe(`${'word '.repeat(160)}\n…\n`)
  // Data without a space could be one secret.
  expect(startToRedact('x'.repeat(5000), 1000)).toBe('…')
})

test('an end does not begin within a table, a key or a value', () => {
  const last = 'The last line of the text'
  for (const row of ['| a | b |', 'q7Rt2Wz9q7Rt2Wz9q7Rt2Wz9', ''])
    expect(endsToRedact(`${`${row}\n`.repeat(4000)}${last}`, 800).split('\n…\n')[1], row).toBe(
      row ? last : '',
    )
})
