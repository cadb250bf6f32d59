import { expect, test } from 'vitest'
import { isKey } from './shortcuts.ts'

test('a key is the letter that it writes, and in another alphabet the one that stands there in Latin', () => {
  for (const [key, code, wanted] of [
    ['s', 'KeyS', 's'],
    ['S', 'KeyS', 's'],
    ['s', 'KeyO', 's'],
    ['ы', 'KeyS', 's'],
    ['\u039a', 'KeyK', 'k'],
    ['כ', 'KeyF', 'f'],
    ['?', 'Digit7', '?'],
    ['Escape', 'Escape', 'Escape'],
  ] as [string, string, string][])
    expect(isKey({ key, code }, wanted), key).toBe(true)
  for (const [key, code, wanted] of [
    ['o', 'KeyS', 's'],
    ['ı', 'KeyK', 'k'],
    ['é', 'Digit2', '2'],
    ['ё', 'Backquote', 's'],
  ] as [string, string, string][])
    expect(isKey({ key, code }, wanted), key).toBe(false)
})
