import { expect, test } from 'vitest'
import { byteRange } from './snapshot.ts'

test('an open range is answered, one beyond the end is refused, and any other form gets the whole file', () => {
  expect(byteRange('bytes=0-', 10)).toEqual({ from: 0, to: 9 })
  expect(byteRange('bytes=4-6', 10)).toEqual({ from: 4, to: 6 })
  expect(byteRange('bytes=4-999', 10)).toEqual({ from: 4, to: 9 })
  expect(byteRange('bytes=10-', 10)).toBe('none')
  for (const header of [undefined, '', 'bytes=-5', 'bytes=0-1,3-4', 'bytes=5-2', 'lines=1-', 'bytes=a-'])
    expect(byteRange(header, 10), header).toBe('whole')
})
