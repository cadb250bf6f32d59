import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../db/db.ts'
import { logFailure } from './log.ts'

let lines: Record<string, unknown>[] = []
beforeEach(() => {
  lines = []
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => vi.useRealTimers())

const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const newServices = () => ({ log, database: { isUnavailable: (error) => error === away } as Database })

test('while the database is away there is one line without a stack in ten seconds, which counts the others', () => {
  const services = newServices()
  const fail = (request: number) =>
    logFailure(services, away, { message: 'request failed', details: { request_id: request } })
  for (const request of [1, 2, 3]) fail(request)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 50, request_id: 1, reason: 'connect ECONNREFUSED', not_logged: 0 })
  expect(JSON.stringify(lines)).not.toContain('stack')
  vi.advanceTimersByTime(10_000)
  fail(4)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({ request_id: 4, not_logged: 2 })
})

test('a job says for itself that the database is away', () => {
  const services = newServices()
  logFailure(services, away, { message: 'request failed' })
  logFailure(services, away, { message: 'a job failed', details: { job: 'mail' } })
  expect(lines.map(({ msg }) => msg)).toEqual(['request failed', 'a job failed'])
})

test('where the error has no text, its code is the reason', () => {
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
  const database = { isUnavailable: () => true } as unknown as Database
  logFailure({ log, database }, refused, { message: 'request failed' })
  expect(lines[0]).toMatchObject({ reason: 'ECONNREFUSED' })
})

test('any other failure is logged each time, with its stack', () => {
  const services = newServices()
  for (let i = 0; i < 2; i++) logFailure(services, new Error('a bug'), { message: 'request failed' })
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({ err: { message: 'a bug', stack: expect.stringContaining('a bug') } })
})
