import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { leavesOf } from './kill.ts'
import { type Answer, type Person, Wire } from './traffic.ts'

const TICK_MS = 2

/** What came back within a stretch of time. */
export class Tally {
  readonly ms: number[] = []
  /** 503 and 429, with the time after which to try again. */
  refused = 0
  /** Everything else that is not success: the first few in words. */
  errors = 0
  readonly examples: string[] = []

  add(answer: Answer, ms: number, what: string): boolean {
    const succeeded = answer.status >= 200 && answer.status < 300
    if (succeeded) this.ms.push(ms)
    else if ((answer.status === 503 || answer.status === 429) && answer.retryAfter) this.refused++
    else {
      this.errors++
      if (this.examples.length < 5)
        this.examples.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    return succeeded
  }

  at(share: number): number {
    const sorted = Float64Array.from(this.ms).sort()
    return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  }

  toString(): string {
    const of = (share: number) => `${this.at(share).toFixed(1)} ms`
    return `${this.ms.length} answered (median ${of(0.5)}, p99 ${of(0.99)}, longest ${of(1)}), ${this.refused} refused, ${this.errors} errors`
  }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0

async function oneStep(wire: Wire, person: Person, tally: () => Tally, since: number): Promise<void> {
  const call = person.next()
  const answer = await wire.send(call, person.authorization)
  const succeeded = tally().add(answer, performance.now() - since, `${call.method} ${call.path}`)
  if (!succeeded) return
  call.keep?.(answer.text)
  person.done()
}

/** Everybody asks again as soon as they are answered. */
async function flatOut(wire: Wire, people: readonly Person[], forMs: number): Promise<Tally> {
  const tally = new Tally()
  const end = performance.now() + forMs
  await Promise.all(
    people.map(async (person) => {
      for (let now = performance.now(); now < end; now = performance.now())
        await oneStep(wire, person, () => tally, now)
    }),
  )
  return tally
}

/** Requests a second that are answered when everybody asks as fast as they can: the middle of several rounds. */
export async function capacity(
  wire: Wire,
  people: readonly Person[],
  rounds: number,
  roundMs: number,
): Promise<{ perSecond: number; rounds: number[] }> {
  const measured: number[] = []
  await flatOut(wire, people, roundMs)
  for (let i = 0; i < rounds; i++) {
    const tally = await flatOut(wire, people, roundMs)
    if (tally.errors > 0) throw new Error(tally.examples.join('\n'))
    measured.push(tally.ms.length / (roundMs / 1000))
  }
  return { perSecond: median(measured), rounds: measured.map(Math.round) }
}

export type Pace = { perSecond: number; forMs: number }

/**
 * Requests at a given pace, whether or not earlier ones are answered; the time of each counts from when it was due, so
 * that a server that makes everybody wait cannot hide it. Each person does one thing at a time.
 */
export async function steadily(
  wire: Wire,
  people: readonly Person[],
  pace: Pace,
  tally: () => Tally,
): Promise<void> {
  const idle = [...people]
  const underWay = new Set<Promise<void>>()
  const start = performance.now()
  const pauseMs = 1000 / pace.perSecond
  for (let sent = 0; performance.now() - start < pace.forMs; await sleep(TICK_MS)) {
    for (; start + sent * pauseMs <= performance.now() && idle.length > 0; sent++) {
      const person = idle.shift() as Person
      const one: Promise<void> = oneStep(wire, person, tally, start + sent * pauseMs).then(() => {
        underWay.delete(one)
        idle.push(person)
      })
      underWay.add(one)
    }
  }
  await Promise.all(underWay)
}

/** Requests at a given pace from any number of clients; what does not fit into `most` at once is not sent. */
export async function flood(
  wire: Wire,
  people: readonly Person[],
  pace: Pace & { most: number },
): Promise<{ tally: Tally; unsent: number }> {
  const tally = new Tally()
  const underWay = new Set<Promise<void>>()
  await wire.open(pace.most)
  const start = performance.now()
  let [due, unsent] = [0, 0]
  for (; performance.now() - start < pace.forMs; await sleep(TICK_MS)) {
    for (; due < ((performance.now() - start) / 1000) * pace.perSecond; due++) {
      if (underWay.size >= pace.most) {
        unsent++
        continue
      }
      const person = people[due % people.length] as Person
      const call = person.anyTime(due)
      const since = performance.now()
      const one: Promise<void> = wire.send(call, person.authorization).then((answer) => {
        tally.add(answer, performance.now() - since, `${call.method} ${call.path}`)
        underWay.delete(one)
      })
      underWay.add(one)
    }
  }
  await Promise.all(underWay)
  return { tally, unsent }
}

/**
 * Memory and handles of all serving processes together. Memory is what is theirs alone: pages of mapped files
 * belong to the system's cache and come and go with it.
 */
export function resources(pid: number): { ownMb: number; handles: number } {
  let [ownKb, handles] = [0, 0]
  for (const leaf of leavesOf(pid)) {
    ownKb += Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${leaf}/status`, 'utf8'))?.[1] ?? 0)
    handles += readdirSync(`/proc/${leaf}/fd`).length
  }
  return { ownMb: ownKb / 1024, handles }
}

/** The middle of the second fifth, when caches are warm, and of the last: what grows all the time shows in between. */
export function earlyAndLate(series: readonly number[]): { early: number; late: number } {
  const fifth = (i: number) =>
    median(series.slice(Math.floor((series.length * i) / 5), Math.ceil((series.length * (i + 1)) / 5)))
  return { early: fifth(1), late: fifth(4) }
}

/** Health as a load balancer asks for it, on a new connection each time, until the returned function is called. */
export function watchHealth(baseUrl: string): () => Promise<Tally> {
  const tally = new Tally()
  let over = false
  const watching = (async () => {
    for (; !over; await sleep(200)) {
      const wire = new Wire(baseUrl, 1)
      const since = performance.now()
      const answer = await wire.send({ method: 'GET', path: '/health' })
      tally.add(answer, performance.now() - since, 'GET /health')
      wire.close()
    }
  })()
  return async () => {
    over = true
    await watching
    return tally
  }
}
