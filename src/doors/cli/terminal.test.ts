import { expect, test } from 'vitest'
import { plain, plainLines } from './terminal.ts'

test('text of others reaches a terminal without control characters and signs of direction', () => {
  for (const sign of ['\u001b', '\u009b', '\u202a', '\u202e', '\u2066', '\u2069']) {
    expect(plain(`a${sign}b`)).toBe('ab')
    expect(plainLines(`a${sign}b\nc`)).toBe('ab\nc')
  }
})
