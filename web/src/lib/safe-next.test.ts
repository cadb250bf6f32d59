import { afterEach, expect, test, vi } from 'vitest'
import { safeNext } from './safe-next.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('only an address inside the app is followed, and one that is none is left out', () => {
  vi.stubGlobal('location', new URL('https://vault.example/sign-in'))
  expect(safeNext('/cards/1?tab=a#b')).toBe('/cards/1?tab=a#b')
  for (const value of [
    '//',
    '///',
    '//other.example/x',
    '/\\other.example',
    '/.//other.example',
    'https://vault.example/',
    7,
    undefined,
  ])
    expect(safeNext(value), String(value)).toBeUndefined()
})
