import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goodCard } from '../support/cards.ts'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'
import { leavesOf } from './kill.ts'

const MINUTES = Number(process.env.LOAD_MINUTES ?? 5)
const PEOPLE = 8
const CAPACITY_CLIENTS = 16
const CAPACITY_MS = 15_000
const SHARE_OF_CAPACITY = 0.8
const OVERLOAD_CLIENTS = 400
const OVERLOAD_MS = 20_000

type Person = { headers: Record<string, string>; cards: string[] }
type Sample = { status: number; ms: number; retryAfter: boolean }

let server: ServerProcess
const people: Person[] = []

async function send(
  method: string,
  path: string,
  person?: Person,
  body?: unknown,
): Promise<Sample & { text: string }> {
  const start = performance.now()
  try {
    const response = await fetch(server.baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...person?.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    return {
      status: response.status,
      ms: performance.now() - start,
      retryAfter: response.headers.has('retry-after'),
      text,
    }
  } catch {
    return { status: 0, ms: performance.now() - start, retryAfter: false, text: '' }
  }
}

beforeAll(async () => {
  server = await spawnServer({ WORKERS: '2', LOG_LEVEL: 'silent' })
  await untilReady(server)
  for (let i = 0; i < PEOPLE; i++) {
    const registered = await send('POST', '/api/v1/auth/register', undefined, {
      email: `load${i}@example.com`,
      password: 'correct horse battery',
    })
    const person: Person = {
      headers: { authorization: `Bearer ${JSON.parse(registered.text).access_token}` },
      cards: [],
    }
    people.push(person)
    for (let n = 0; n < 20; n++) await recordCard(person)
  }
})
afterAll(async () => {
  await server.stop()
  server.remove()
})

async function recordCard(person: Person): Promise<Sample> {
  const answer = await send('POST', '/api/v1/cards', person, goodCard())
  if (answer.status === 201 && person.cards.length < 100) person.cards.push(JSON.parse(answer.text).card_id)
  return answer
}

/** What a day looks like: mostly reading, some writing. */
function anything(step: number): Promise<Sample> {
  const person = people[step % people.length] as Person
  const card = person.cards[step % person.cards.length]
  switch (step % 10) {
    case 0:
      return recordCard(person)
    case 1:
      return send('POST', '/api/v1/project-context/turns', person, {
        project_key: 'example/load',
        user_message: `step ${step}`,
        agent_report: 'done',
      })
    case 2:
    case 3:
      return send('GET', '/api/v1/project-context/snapshot?project_key=example/load', person)
    case 4:
    case 5:
    case 6:
      return send('GET', `/api/v1/cards/${card}`, person)
    default:
      return send('POST', '/api/v1/search', person, { query: 'connection pool exhausted timeout' })
  }
}

const percentile = (samples: readonly Sample[], share: number) =>
  samples.map((sample) => sample.ms).sort((a, b) => a - b)[Math.floor((samples.length - 1) * share)] ?? 0

async function flatOut(clients: number, forMs: number): Promise<Sample[]> {
  const samples: Sample[] = []
  const end = performance.now() + forMs
  let step = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < end) samples.push(await anything(step++))
    }),
  )
  return samples
}

/** Memory and file handles of all serving processes together. */
function resources() {
  let [rssMb, handles] = [0, 0]
  for (const pid of leavesOf(server.child.pid ?? 0)) {
    rssMb += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    handles += readdirSync(`/proc/${pid}/fd`).length
  }
  return { rssMb: Math.round(rssMb), handles }
}

describe.skipIf(process.platform !== 'linux')('load', () => {
  let perSecond = 0

  test(`${MINUTES} minutes of mixed load at 80 % of capacity: no error, memory and handles flat`, async () => {
    const measured = await flatOut(CAPACITY_CLIENTS, CAPACITY_MS)
    perSecond = measured.length / (CAPACITY_MS / 1000)
    const pauseMs = 1000 / (perSecond * SHARE_OF_CAPACITY)
    const minutes: { p99: number; errors: number; requests: number; rssMb: number; handles: number }[] = []
    let step = 0
    for (let minute = 0; minute < MINUTES; minute++) {
      const samples: Sample[] = []
      const underWay = new Set<Promise<void>>()
      const start = performance.now()
      for (let sent = 0; performance.now() - start < 60_000; ) {
        // As many as are due by now, whether or not the earlier ones are answered.
        for (; sent < (performance.now() - start) / pauseMs; sent++) {
          const one: Promise<void> = anything(step++).then((sample) => {
            samples.push(sample)
            underWay.delete(one)
          })
          underWay.add(one)
        }
        await sleep(5)
      }
      await Promise.all(underWay)
      const errors = samples.filter(({ status }) => status < 200 || status >= 300).length
      minutes.push({
        p99: Math.round(percentile(samples, 0.99)),
        errors,
        requests: samples.length,
        ...resources(),
      })
    }
    process.stdout.write(
      `capacity ${Math.round(perSecond)} a second\n${minutes.map((one) => JSON.stringify(one)).join('\n')}\n`,
    )
    expect(minutes.reduce((sum, { errors }) => sum + errors, 0)).toBe(0)
    const [early, late] = [minutes[Math.min(1, minutes.length - 1)], minutes.at(-1)]
    if (!early || !late) throw new Error('nothing was measured')
    expect(late.rssMb).toBeLessThan(early.rssMb * 1.5 + 50)
    expect(late.handles).toBeLessThan(early.handles + 50)
  })

  test('far more than capacity: sheds or answers, keeps health up, and is back soon after', async () => {
    let over = false
    const health: Sample[] = []
    const watching = (async () => {
      while (!over) {
        health.push(await send('GET', '/health'))
        await sleep(250)
      }
    })()
    const samples = await flatOut(OVERLOAD_CLIENTS, OVERLOAD_MS)
    over = true
    await watching
    const refused = samples.filter(({ status }) => status === 503 || status === 429)
    const lost = samples.filter(
      ({ status }) => !(status >= 200 && status < 300) && status !== 503 && status !== 429,
    )
    process.stdout.write(
      `overload: ${samples.length} answered, ${refused.length} refused, ${lost.length} lost, health p99 ${Math.round(percentile(health, 0.99))} ms\n`,
    )
    expect(lost).toEqual([])
    expect(refused.filter(({ retryAfter }) => !retryAfter)).toEqual([])
    expect(health.filter(({ status }) => status !== 200)).toEqual([])
    await sleep(5000)
    const after = await flatOut(2, 3000)
    expect(after.filter(({ status }) => status < 200 || status >= 300)).toEqual([])
  })
})
