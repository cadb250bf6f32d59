import { EventEmitter } from 'node:events'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Services } from './core/context.ts'
import { startJobs } from './jobs.ts'

const NEVER_MS = 2 ** 31 - 1

function bench() {
  const errors: unknown[] = []
  const services = {
    wakeups: new EventEmitter(),
    database: { read: null, isUnavailable: () => false },
    log: { error: (entry: unknown) => errors.push(entry) },
  } as unknown as Services
  return { services, errors }
}

test('a woken job runs at once, and once more if it is woken while it executions', async () => {
  const { services } = bench()
  let executions = 0
  const gate = Promise.withResolvers<void>()
  const stop = startJobs(services, [
    {
      name: 'mail',
      everyMs: NEVER_MS,
      run: async () => {
        executions++
        await gate.promise
      },
    },
  ])
  services.wakeups.emit('mail')
  services.wakeups.emit('mail')
  services.wakeups.emit('mail')
  expect(executions).toBe(1)
  gate.resolve()
  await nextIteration()
  await stop()
  expect(executions).toBe(2)
})

test('a job that fails is reported and runs again', async () => {
  const { services, errors } = bench()
  let executions = 0
  const run = () => {
    executions++
    throw new Error('broken')
  }
  const stop = startJobs(services, [{ name: 'mail', everyMs: NEVER_MS, run }])
  services.wakeups.emit('mail')
  await nextIteration()
  services.wakeups.emit('mail')
  await nextIteration()
  await stop()
  expect(executions).toBe(2)
  expect(errors).toHaveLength(2)
})

test('stopping signals a running job, waits for it, and starts no other', async () => {
  const { services } = bench()
  const seen: string[] = []
  const stop = startJobs(services, [
    {
      name: 'mail',
      everyMs: NEVER_MS,
      run: async (_ctx, stopping) => {
        seen.push('begun')
        await new Promise((resolve) => stopping.addEventListener('abort', resolve))
        seen.push('ended')
      },
    },
  ])
  services.wakeups.emit('mail')
  await stop()
  services.wakeups.emit('mail')
  expect(seen).toEqual(['begun', 'ended'])
})

test('a job that keeps something in memory runs once more at an orderly end', async () => {
  const { services } = bench()
  const executions: string[] = []
  const job = (name: string) => ({ name, everyMs: NEVER_MS, run: async () => executions.push(name) })
  const stop = startJobs(services, [job('usual'), { ...job('writes what waits'), atEnd: true as const }])
  await stop()
  expect(executions).toEqual(['writes what waits'])
})

test('a job with a long interval first runs some minutes after the start, and then at its interval', async () => {
  vi.useFakeTimers()
  const { services } = bench()
  const executions: string[] = []
  const job = (name: string, everyMs: number) => ({ name, everyMs, run: async () => executions.push(name) })
  const stop = startJobs(services, [job('each day', 24 * 3_600_000), job('each minute', 60_000)])
  try {
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    expect(executions).toEqual(Array.from({ length: 4 }, () => 'each minute'))
    const days = () => executions.filter((name) => name === 'each day').length
    await vi.advanceTimersByTimeAsync(6 * 60_000)
    expect(days()).toBe(1)
    await vi.advanceTimersByTimeAsync(23 * 3_600_000)
    expect(days()).toBe(1)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(days()).toBe(2)
  } finally {
    await stop()
    vi.useRealTimers()
  }
})
