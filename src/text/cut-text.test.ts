import { expect, test } from 'vitest'
import { beginningOf } from './unicode.ts'

test('a beginning ends with a whole character, and says whether more follows', () => {
  expect(beginningOf('ab😀cd', 3)).toBe('ab😀…')
  expect(beginningOf('ab😀cd', 2)).toBe('ab…')
  expect(beginningOf('ab cd', 3)).toBe('ab…')
  expect(beginningOf('ab😀', 3)).toBe('ab😀')
})
