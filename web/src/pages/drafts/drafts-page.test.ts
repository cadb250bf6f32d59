import { expect, test } from 'vitest'
import { withKept } from './drafts-page.tsx'

const rows = (ids: string) => [...ids].map((draft_id) => ({ draft_id }))
const shownOf = (listed: string, shown: string, kept: string) =>
  withKept(rows(listed), rows(shown), new Set(kept))
    .map(({ draft_id }) => draft_id)
    .join('')

test('a draft that somebody writes in stays where it stands when it leaves the list; others go and come', () => {
  expect(shownOf('abc', '', '')).toBe('abc')
  expect(shownOf('abc', 'abc', 'b')).toBe('abc')
  expect(shownOf('ac', 'abc', 'b')).toBe('abc')
  expect(shownOf('ac', 'abc', '')).toBe('ac')
  expect(shownOf('', 'abc', 'ac')).toBe('ac')
  expect(shownOf('nac', 'abc', 'b')).toBe('nbac')
})
