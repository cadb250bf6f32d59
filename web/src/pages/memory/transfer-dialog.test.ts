import { expect, test } from 'vitest'
import { previewTransfer } from './transfer-dialog.tsx'

const SOURCE = ['a', 'b', 'c']

test('merging keeps the order of the target and adds what is new', () => {
  expect(previewTransfer({ source: SOURCE, target: ['x', 'b'], items: null, replace: false })).toEqual([
    { item: 'x', state: 'kept' },
    { item: 'b', state: 'already there' },
    { item: 'a', state: 'added' },
    { item: 'c', state: 'added' },
  ])
})

test('only the chosen items are added', () => {
  expect(previewTransfer({ source: SOURCE, target: ['x'], items: ['c'], replace: false })).toEqual([
    { item: 'x', state: 'kept' },
    { item: 'c', state: 'added' },
  ])
})

test('replacing shows what leaves the target', () => {
  expect(previewTransfer({ source: SOURCE, target: ['x', 'b'], items: null, replace: true })).toEqual([
    { item: 'a', state: 'added' },
    { item: 'b', state: 'already there' },
    { item: 'c', state: 'added' },
    { item: 'x', state: 'removed' },
  ])
})

test('with chosen items nothing is ever removed', () => {
  const lines = previewTransfer({ source: SOURCE, target: ['x'], items: ['a'], replace: true })
  expect(lines.filter((line) => line.state === 'removed')).toEqual([])
})
