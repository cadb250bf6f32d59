import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inBatches } from './routes.ts'

test('requests of one iteration of the event loop are done in order, and none is lost', async () => {
  const done: number[] = []
  const add = inBatches((n: number) => done.push(n))
  add(1)
  add(2)
  expect(done).toEqual([])
  await nextIteration()
  expect(done).toEqual([1, 2])
  for (let n = 3; n < 3 + 20; n++) add(n)
  expect(done, 'a crowd is not kept waiting for its end').toHaveLength(18)
  await nextIteration()
  expect(done).toEqual(Array.from({ length: 22 }, (_, i) => i + 1))
})
