import { expect, test } from 'vitest'
import { InvalidInput } from '../core/errors.ts'
import { requireFits } from '../features/memory/append.ts'
import { documentFrom, itemNamed, itemsOf, mergeItems } from './memory.ts'

test('a document is its lines, whatever the bullets', () => {
  expect(itemsOf('- tabs\n* short\n\n1. first\n2) second\n  plain  \n- tabs')).toEqual([
    'tabs',
    'short',
    'first',
    'second',
    'plain',
  ])
  expect(documentFrom(['one', ' two\n  lines ', ' '])).toBe('- one\n- two lines')
  expect(documentFrom(['\u0007', 'one', '- \u0001 \u009f'])).toBe('- one')
  expect(documentFrom(['- tabs', '* short', '1. first', '-1 is allowed'])).toBe(
    '- tabs\n- short\n- 1. first\n- -1 is allowed',
  )
  expect(documentFrom('kept as it is')).toBe('kept as it is')
})

test('an item is found as its writer sent it, and as it is shown', () => {
  const sent = ['- tabs', ' two\n  lines ', '1. first']
  const items = new Set(itemsOf(documentFrom(sent)))
  expect(sent.map((item) => itemNamed(items, item))).toEqual([...items])
  for (const item of items) expect(itemNamed(items, `- ${item}`)).toBe(item)
  expect(itemNamed(new Set(itemsOf('1. first\n- - old')), '1. first')).toBe('first')
  expect(itemNamed(new Set(itemsOf('1. first\n- - old')), '- old')).toBe('- old')
  expect(itemNamed(items, 'spaces')).toBeUndefined()
})

test('merging keeps the order of the target', () => {
  expect(mergeItems(['b', 'a'], ['a', 'c'])).toEqual({ items: ['b', 'a', 'c'], copied: 1, skipped: 1 })
})

test('a text that is put together has as many characters as an event takes, whatever their size', () => {
  expect(() => requireFits('facts', '😀'.repeat(200_000))).not.toThrow()
  expect(() => requireFits('facts', 'x'.repeat(200_001))).toThrow(InvalidInput)
})
