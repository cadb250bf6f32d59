import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'
import { describeWhere, NOT_LINUX } from '../support/skips.ts'
import { capacity, earlyAndLate, flood, median, resources, steadily, Tally, watchHealth } from './load.ts'
import { type Person, settle, TRAFFIC_ENV, Wire } from './traffic.ts'

const MINUTES = Number(process.env.LOAD_MINUTES ?? 5)
const ENGINES = (process.env.LOAD_ENGINES ?? 'sqlite,postgres').split(',')
const PEOPLE = 64
const BUSY_PEOPLE = 16
const SHARE_OF_CAPACITY = 0.8
const STRETCH_MS = 5000
const STRETCHES_A_MINUTE = 60_000 / STRETCH_MS
const FLOOD_SECONDS = 20
const FLOOD_TIMES = 5
const MAX_CLIENTS = 2000

const print = (line: string) => process.stdout.write(`${line}\n`)

for (const engine of ENGINES)
  describeWhere(`load on ${engine}`, NOT_LINUX, () => {
    let postgres: PostgresServer | undefined
    let server: ServerProcess
    let wire: Wire
    let people: Person[]
    let perSecond = 0
    const pid = () => server.child.pid ?? 0

    beforeAll(async () => {
      postgres = engine === 'postgres' ? await startPostgres() : undefined
      server = await spawnServer({
        ...TRAFFIC_ENV,
        WORKERS: '2',
        ...(postgres ? { DATABASE_URL: postgres.url() } : {}),
      })
      await untilReady(server)
      wire = new Wire(server.baseUrl, MAX_CLIENTS)
      people = await settle(server, wire, PEOPLE)
      const measured = await capacity(wire, people.slice(0, BUSY_PEOPLE), 5, 4000)
      perSecond = measured.perSecond
      print(
        `${engine}: capacity ${Math.round(perSecond)} requests a second, of ${measured.rounds.join(', ')}`,
      )
    })
    afterAll(async () => {
      wire.close()
      await server.stop()
      server.remove()
      await postgres?.destroy()
    })

    test(`${MINUTES} minutes at 80 % of capacity: no error; memory, handles and p99 flat`, async () => {
      const all = new Tally()
      const stretches: { p99: number; ownMb: number; handles: number }[] = []
      let tally = new Tally()
      let over = false
      const watching = (async () => {
        while (!over) {
          await sleep(STRETCH_MS)
          const seen = tally
          tally = new Tally()
          stretches.push({ p99: seen.at(0.99), ...resources(pid()) })
          all.refused += seen.refused
          all.errors += seen.errors
          all.examples.push(...seen.examples)
          all.ms.push(seen.at(1))
          if (stretches.length % STRETCHES_A_MINUTE === 0) {
            const minute = stretches.slice(-STRETCHES_A_MINUTE)
            const middle = (name: 'p99' | 'ownMb' | 'handles') =>
              Math.round(median(minute.map((one) => one[name])))
            print(
              `minute ${stretches.length / STRETCHES_A_MINUTE}: p99 ${middle('p99')} ms, ${middle('ownMb')} MB, ${middle('handles')} handles, so far ${all.refused} refused, ${all.errors} errors; last 5 s: ${seen}`,
            )
          }
        }
      })()
      const pace = { perSecond: perSecond * SHARE_OF_CAPACITY, forMs: MINUTES * 60_000 }
      await steadily(wire, people, pace, () => tally)
      over = true
      await watching

      const p99 = earlyAndLate(stretches.map((one) => one.p99))
      const ownMb = earlyAndLate(stretches.map((one) => one.ownMb))
      const handles = earlyAndLate(stretches.map((one) => one.handles))
      const change = ({ early, late }: { early: number; late: number }) =>
        `${early.toFixed(1)} → ${late.toFixed(1)}`
      print(
        `${engine}: ${Math.round(pace.perSecond)} a second for ${MINUTES} minutes; p99 ${change(p99)} ms, memory ${change(ownMb)} MB, handles ${change(handles)}`,
      )
      expect(all.examples).toEqual([])
      expect({ refused: all.refused, errors: all.errors }).toEqual({ refused: 0, errors: 0 })
      // A leak of half a kilobyte a request is more than this within five minutes, and a tenth of it within an hour.
      expect(ownMb.late).toBeLessThan(ownMb.early * 1.15 + 30)
      expect(handles.late).toBeLessThan(handles.early + 10)
      // Room for a noisy neighbour; work that grows with what was done before shows as many times more.
      expect(p99.late).toBeLessThan(p99.early * 2 + 20)
    })

    test('five times its capacity: sheds with Retry-After, keeps answering health, and is back within 5 s', async () => {
      const normal = { perSecond: perSecond / 2, forMs: 5000 }
      const before = new Tally()
      await steadily(wire, people, normal, () => before)

      const healthSoFar = watchHealth(server.baseUrl)
      const load = { perSecond: perSecond * FLOOD_TIMES, forMs: FLOOD_SECONDS * 1000, most: MAX_CLIENTS }
      const { tally, unsent } = await flood(wire, people, load)
      const health = await healthSoFar()

      await sleep(5000)
      const after = new Tally()
      await steadily(wire, people, normal, () => after)
      print(
        `${engine}: overload: ${tally}, ${unsent} not sent\n  health: ${health}\n  before: ${before}\n  5 s after: ${after}`,
      )
      expect(tally.examples).toEqual([])
      expect(tally.ms.length).toBeGreaterThan(0)
      expect(tally.refused).toBeGreaterThan(0)
      expect({ refused: health.refused, errors: health.errors }).toEqual({ refused: 0, errors: 0 })
      expect(after.examples).toEqual([])
      expect({ refused: after.refused, errors: after.errors }).toEqual({ refused: 0, errors: 0 })
      expect(after.at(0.5)).toBeLessThan(before.at(0.5) * 3 + 20)
    })
  })
