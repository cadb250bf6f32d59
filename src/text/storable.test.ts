import { expect, test } from 'vitest'
import { storable } from './unicode.ts'

test('NUL goes, half a surrogate pair becomes the sign for what cannot be read, all else stays', () => {
  expect(storable('plain')).toBe('plain')
  expect(storable('')).toBe('')
  expect(storable('\0')).toBe('')
  expect(storable('a\0b\0\0c')).toBe('abc')
  expect(storable('grün 漢字 👩‍👧\0')).toBe('grün 漢字 👩‍👧')
  expect(storable('\ud800')).toBe('\ufffd')
  expect(storable('a\ud800\0\udc00b')).toBe('a\u{10000}b')
  expect(storable('x\0'.repeat(100_000))).toBe('x'.repeat(100_000))
})
