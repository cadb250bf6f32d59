import { expect, test, vi } from 'vitest'
import { plain, plainLines, printJson } from './terminal.ts'

test('text of others reaches a terminal without control characters and signs of direction', () => {
  for (const sign of ['\u001b', '\u009b', '\u202a', '\u202e', '\u2066', '\u2069']) {
    expect(plain(`a${sign}b`)).toBe('ab')
    expect(plainLines(`a${sign}b\nc`)).toBe('ab\nc')
  }
})

test('JSON for a terminal has no such character either, and says the same', () => {
  const value = { title: 'a\u001b]0;owned\u0007b\u007f\u009b2Jc\u202ed\u2066e\nf\tg' }
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  printJson(value)
  const printed = String(write.mock.calls[0]?.[0])
  write.mockRestore()
  expect(printed).toMatch(/^[\n -~]*$/)
  expect(JSON.parse(printed)).toEqual(value)
})
