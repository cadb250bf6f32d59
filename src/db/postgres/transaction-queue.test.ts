import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { TransactionQueue, TransactionQueues } from './pool.ts'

test('work begins in the order in which it came, each after the end of the one before', async () => {
  const queue = new TransactionQueue()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await sleep(1)
    seen.push(`${name} ends`)
  }
  await Promise.all(['a', 'b', 'c'].map((name) => queue.run(work(name))))
  expect(seen).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})

test('work that fails lets the next one begin, and the failure is its own', async () => {
  const queue = new TransactionQueue()
  const failing = queue.run(() => Promise.reject(new Error('conflict')))
  const next = queue.run(async () => 'done')
  await expect(failing).rejects.toThrow('conflict')
  expect(await next).toBe('done')
})

test('others begin beside long work; a patient one waits for its end', async () => {
  const queue = new TransactionQueue()
  const long = Promise.withResolvers<void>()
  let isOver = false
  const first = queue.run(async () => {
    await long.promise
    isOver = true
  })
  expect(await queue.run(async () => isOver)).toBe(false)
  const second = queue.run(() => long.promise)
  const patient = queue.run(async () => isOver, true)
  long.resolve()
  await Promise.all([first, second])
  expect(await patient).toBe(true)
})

test('a patient one that waits keeps nobody else for long', async () => {
  const queue = new TransactionQueue()
  const long = Promise.withResolvers<void>()
  const running = queue.run(() => long.promise)
  const patient = queue.run(async () => 'done', true)
  expect(await queue.run(async () => 'beside')).toBe('beside')
  long.resolve()
  await running
  expect(await patient).toBe('done')
})

test('while somebody has waited for seconds, nobody else may come but a patient one', async () => {
  const queue = new TransactionQueue()
  const end = Promise.withResolvers<void>()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  const running = queue.run(() => end.promise)
  const waiting = queue.run(async () => 'done')
  clock.mockReturnValue(3001)
  await expect(queue.run(async () => 'done')).rejects.toThrow('Too many transactions wait')
  const patient = queue.run(async () => 'done', true)
  end.resolve()
  clock.mockRestore()
  await running
  expect(await Promise.all([waiting, patient])).toEqual(['done', 'done'])
})

test('with two queues two pieces of work run at once, never three, and all are done', async () => {
  const queues = new TransactionQueues(2)
  let running = 0
  const most: number[] = []
  const work = async () => {
    most.push(++running)
    await sleep(1)
    running--
  }
  await Promise.all(Array.from({ length: 7 }, () => queues.run(work)))
  expect(most).toHaveLength(7)
  expect(Math.max(...most)).toBe(2)
})
