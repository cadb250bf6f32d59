import { expect, test } from 'vitest'
import { fileProblem, fileSize, MAX_FILE_BYTES } from './tickets.ts'

const file = (size: number) => ({ name: 'log.txt', size })

test('five files of ten megabytes are fine', () => {
  expect(fileProblem(Array.from({ length: 5 }, () => file(MAX_FILE_BYTES)))).toBeUndefined()
})

test('a sixth file and one byte too many are named', () => {
  expect(fileProblem(Array.from({ length: 6 }, () => file(1)))).toBe('At most 5 files. Remove 1.')
  expect(fileProblem([file(MAX_FILE_BYTES + 1)])).toBe('log.txt is larger than 10 MB.')
})

test('sizes read well', () => {
  expect([fileSize(12), fileSize(20_480), fileSize(1_572_864)]).toEqual(['12 B', '20 kB', '1.5 MB'])
})
