import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inTurns } from './run-together.ts'

test('what arrives in one turn runs in a row, in its order, and nothing is lost', async () => {
  const done: number[] = []
  const add = inTurns((n: number) => done.push(n))
  add(1)
  add(2)
  expect(done).toEqual([])
  await nextTurn()
  expect(done).toEqual([1, 2])
  for (let n = 3; n < 3 + 20; n++) add(n)
  expect(done, 'a crowd is not kept waiting for its end').toHaveLength(18)
  await nextTurn()
  expect(done).toEqual(Array.from({ length: 22 }, (_, i) => i + 1))
})
