import { expect, test } from 'vitest'
import { documentFrom, itemsOf, mergeItems } from './documents.ts'

test('a document is its lines, whatever the bullets', () => {
  expect(itemsOf('- tabs\n* short\n\n1. first\n2) second\n  plain  \n- tabs')).toEqual([
    'tabs',
    'short',
    'first',
    'second',
    'plain',
  ])
  expect(documentFrom(['one', ' two\n  lines ', ' '])).toBe('- one\n- two lines')
  expect(documentFrom('kept as it is')).toBe('kept as it is')
})

test('merging keeps the order of the target', () => {
  expect(mergeItems(['b', 'a'], ['a', 'c'])).toEqual({ items: ['b', 'a', 'c'], copied: 1, skipped: 1 })
})
