import { expect, test } from 'vitest'
import { InvalidInput } from './errors.ts'
import { partOf } from './invoke.ts'

test('a short text is sent whole, in its own form', () => {
  const whole = { title: 'a', steps: [{ order: 1, action: 'b' }], empty: '', none: null }
  expect(partOf(whole, 1)).toEqual({ part: 1, parts: 1, content: whole })
})

test('all parts together are the whole, and none is longer than a part', () => {
  const whole = {
    title: 't'.repeat(7),
    body: 'b'.repeat(95),
    steps: Array.from({ length: 30 }, (_, order) => ({ order, action: `do ${order}` })),
    payload: { deep: { list: ['x'.repeat(33), 5, true] } },
  }
  const texts = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([, inner]) => texts(inner))
          .join('')
      : String(value)
  const { parts } = partOf(whole, 1, 40)
  expect(parts).toBeGreaterThan(5)
  const all = Array.from({ length: parts }, (_, index) => partOf(whole, index + 1, 40))
  expect(all.map(({ content }) => texts(content)).join('')).toBe(texts(whole))
  for (const { content } of all) expect(texts(content).length).toBeLessThanOrEqual(40)
})

test('a character is never halved', () => {
  const whole = { text: '😀'.repeat(20) }
  const { parts } = partOf(whole, 1, 9)
  const all = Array.from({ length: parts }, (_, index) => partOf(whole, index + 1, 9).content.text)
  expect(all.join('')).toBe(whole.text)
  for (const text of all) expect(String(text).isWellFormed()).toBe(true)
})

test('a part after the last one is refused, and the error names it', () => {
  expect(() => partOf({ text: 'short' }, 2)).toThrow(InvalidInput)
})
