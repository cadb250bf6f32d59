import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import type { Services } from '../../core/context.ts'
import { memoryLimits } from '../../core/limits.ts'
import { BODY_BYTES_PER_MINUTE, countBodyBytes, WorkMeters } from './rate-limit.ts'

const MINUTE = BODY_BYTES_PER_MINUTE.person
/** No machine redacts, reviews and indexes 32 MiB in less. */
const LONG_MS = 60_000

function stage(measure?: () => number) {
  let time = 1_000_000_000
  const services = {
    config: { rateLimit: true },
    limits: memoryLimits(undefined, () => time),
  } as unknown as Services
  const meters = new WorkMeters(services, measure)
  const requestOf = (userId: string) => ({ viewer: { userId }, clientHost: '192.0.2.1' }) as FastifyRequest
  return {
    services,
    meterOf: (userId: string) => {
      const meter = meters.of(requestOf(userId))
      if (!meter) throw new Error('no meter')
      return meter
    },
    send: (userId: string) => countBodyBytes(services, requestOf(userId), 100),
    pass: (ms: number) => {
      time += ms
    },
  }
}

test('work beyond the minute is owed by the next ones, by the caller alone', () => {
  const { meterOf, send, pass } = stage()
  const { charge } = meterOf('one')
  charge(LONG_MS)
  expect(() => send('one')).toThrow(/took long to analyse. Try again in \d+ s/)
  expect(() => send('other')).not.toThrow()
  pass(60_000)
  // A minute of work is paid by a minute, and this was more.
  expect(() => send('one')).toThrow(/Try again/)
  pass(200 * 60_000)
  expect(() => send('one')).not.toThrow()
})

test('ordinary work costs no more than its bytes', () => {
  const { services, meterOf } = stage()
  const { charge } = meterOf('one')
  for (let i = 0; i < 50; i++) charge(1)
  const { remaining } = services.limits.look('work:one', MINUTE)
  expect(remaining).toBeGreaterThan(0)
  expect(remaining).toBeLessThan(MINUTE)
})

test('the speed of a process that has just started is no price for ever', () => {
  let measured = 0
  const { services, meterOf } = stage(() => (++measured < 5 ? 300 : 9000))
  const { charge } = meterOf('one')
  const spentBy = (ms: number) => {
    const left = () => services.limits.look('work:one', MINUTE).remaining
    const before = left()
    charge(ms)
    return before - left()
  }
  expect(spentBy(20)).toBe(20 * 200)
  expect(spentBy(20)).toBe(20 * 200)
  expect(spentBy(50)).toBe(50 * 200)
  expect(spentBy(400)).toBe(400 * 6000)
  expect(spentBy(20)).toBe(20 * 6000)
  for (let i = 0; i < 100; i++) charge(1000)
  expect(measured).toBeLessThan(10)
})

test('one long call after another, and none once the minute is spent', async () => {
  const { meterOf } = stage()
  const [first, second, third, other] = ['one', 'one', 'one', 'other'].map(meterOf)
  const said: string[] = []
  const endFirst = await first?.takeTurn()
  const later = second?.takeTurn().then((end) => {
    said.push('second')
    return end
  })
  const refused = third?.takeTurn().catch((error: Error) => error.message)
  const endOther = await other?.takeTurn()
  expect(said).toEqual([])
  endOther?.()
  endFirst?.()
  const endSecond = await later
  expect(said).toEqual(['second'])
  second?.charge(LONG_MS)
  endSecond?.()
  expect(await refused).toMatch(/took long/)
  // The refused one holds nobody up.
  await expect(meterOf('one').takeTurn()).rejects.toThrow(/took long/)
})
