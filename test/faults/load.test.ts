import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { spawnServer, untilReady } from '../support/process.ts'
import { describeWhere, NOT_LINUX } from '../support/skips.ts'
import { capacity, earlyAndLate, flood, resources, steadily, Tally, watchHealth } from './load.ts'
import { settle, TRAFFIC_ENV, Wire } from './traffic.ts'

const CLIENTS = 500

/** Too short to tell flat from rising, and beside other tests: that is for load.faults.ts. */
describeWhere('a short round of load', NOT_LINUX, () => {
  test('what a service can bear causes no error, a flood is answered or told when to come again, and afterwards the service is as before', async () => {
    const server = await spawnServer({ ...TRAFFIC_ENV, WORKERS: '1' })
    const wire = new Wire(server.baseUrl, CLIENTS)
    try {
      await untilReady(server)
      const people = await settle(server, wire, 4)
      const { perSecond } = await capacity(wire, people, 1, 150)
      const before = resources(server.child.pid ?? 0)

      const normal = new Tally()
      await steadily(wire, people, { perSecond: perSecond / 2, forMs: 300 }, () => normal)
      expect(normal.examples).toEqual([])
      expect(normal.ms.length).toBeGreaterThan(0)

      const healthSoFar = watchHealth(server.baseUrl)
      const { tally } = await flood(wire, people, { perSecond: perSecond * 5, forMs: 250, most: CLIENTS })
      const health = await healthSoFar()
      expect(tally.examples).toEqual([])
      expect(tally.ms.length).toBeGreaterThan(0)
      expect(health.ms.length).toBeGreaterThan(0)
      expect({ refused: health.refused, errors: health.errors }).toEqual({ refused: 0, errors: 0 })

      const after = new Tally()
      await steadily(wire, people, { perSecond: perSecond / 2, forMs: 250 }, () => after)
      expect(after.examples).toEqual([])
      wire.close()
      const handles = () => resources(server.child.pid ?? 0).handles
      for (let i = 0; i < 100 && handles() > before.handles; i++) await sleep(100)
      expect(handles()).toBeLessThanOrEqual(before.handles)
    } finally {
      wire.close()
      await server.stop()
      server.remove()
    }
  })
})

test('a figure that rises all the time is distinguished from a flat one', () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => minute)
  const { early, late } = earlyAndLate(minutes.map((minute) => 300 + 5 * minute))
  expect(late - early).toBe(180)
  const warm = earlyAndLate(minutes.map((minute) => (minute < 10 ? 100 + minute * 20 : 300 + (minute % 7))))
  expect(Math.abs(warm.late - warm.early)).toBeLessThan(5)
})
