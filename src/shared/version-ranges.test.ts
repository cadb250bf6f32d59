import { expect, test } from 'vitest'
import { compareVersions, isBelowRange, isInRange, readRange, readVersion } from './cites.ts'

const fits = (range: string, version: string): boolean | null => {
  const [read, of] = [readRange(range), readVersion(version)]
  return read === null || of === null ? null : isInRange(read, of)
}

test.each([
  ['^5', '5.9.1', true],
  ['^5', '6.0.0', false],
  ['^0.2.3', '0.2.9', true],
  ['^0.2.3', '0.3.0', false],
  ['~1.2.3', '1.2.9', true],
  ['~1.2.3', '1.3.0', false],
  ['~=4.2.1', '4.2.9', true],
  ['~=4.2.1', '4.3', false],
  ['~=4.2', '4.9', true],
  ['5.x', '5.4.0', true],
  ['5', '5.4.0', true],
  ['5.4', '5.4.2', true],
  ['5.4.2', '5.4.3', false],
  ['>=5', '7', true],
  ['>= 5, < 6', '5.5', true],
  ['>=5,<6', '6', false],
  ['1.0 - 2.0', '1.5', true],
  ['^1 || ^3', '3.2', true],
  ['^1 || ^3', '2.2', false],
  ['!=2.0,>=1', '2.0', false],
  ['*', '9', true],
  ['==3.1.4', '3.1.4', true],
  ['v1.21', 'v1.21.5', true],
])('%s and %s', (range, version, expected) => expect(fits(range, version)).toBe(expected))

test('a text that is not a version or a range gives no result', () => {
  expect(readVersion('latest')).toBeNull()
  expect(readRange('workspace:*')).toBeNull()
  expect(readRange('x'.repeat(300))).toBeNull()
})

test('an older version is told from a newer one', () => {
  const range = readRange('^5')
  expect(range && isBelowRange(range, [4, 9])).toBe(true)
  expect(range && isBelowRange(range, [6])).toBe(false)
  expect(compareVersions([1, 2], [1, 2, 0])).toBe(0)
})
