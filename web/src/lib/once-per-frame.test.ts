import { expect, test } from 'vitest'
import { oncePerFrame } from './once-per-frame.ts'

test('the second time within one frame does not count, the next frame does, and others are free', () => {
  const waiting: (() => void)[] = []
  const isFirst = oncePerFrame((forget) => waiting.push(forget))
  const [save, cancel] = [{}, {}]
  expect([isFirst(save), isFirst(save), isFirst(cancel)]).toEqual([true, false, true])
  for (const forget of waiting) forget()
  expect(isFirst(save)).toBe(true)
})
