import { fork } from 'node:child_process'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Attack, allAttacks, type Flood, flood, send } from './hostile/attacks.ts'
import type { Table } from './lib/measure.ts'
import { cpuMsOf, peakMb, type Server, startServer } from './lib/servers.ts'
import { type Headers, register } from './lib/vault.ts'

/** Each request is sent once to find the expensive ones. Those are then sent several times. */
const FIRST_TRIES = 1
const CLOSER_TRIES = 15
const LEADING = 20
const MAX_CLOSER_LOOKS = 400
const CLEARED_AFTER_MS = 200
const SETTLED_AFTER_MS = 10
const CONNECTIONS = 20
const BYSTANDERS = 2
const CALM_SECONDS = 5
const BYSTANDER_PAUSE_MS = 130
const LIST = 10

const ENDS_THE_CREDENTIAL = ['/auth/logout', '/auth/me']

type Try = { attack: Attack; who: 'anonymous' | 'credential'; headers: Headers }
type Cost = Try & { status: number; ms: number; per100Kb: number }

/**
 * The CPU of a request, for each 100 kB or part of it. The median of the tries is used, because other work of the process, such
 * as a job or garbage collection, falls into only some of them.
 */
async function costOf(
  server: Server,
  agent: Agent,
  { attack, who, headers }: Try,
  tries: number,
): Promise<Cost> {
  let status = 0
  const spent: number[] = []
  for (let i = 0; i < tries; i++) {
    // A thread's time is recorded when it stops running, so wait a moment before reading it.
    await sleep(SETTLED_AFTER_MS)
    const before = cpuMsOf(server.pid)
    // 0: cut off in the middle of a body that is larger than the route takes.
    status = await send(server.url, agent, attack, headers).catch(() => 0)
    await sleep(SETTLED_AFTER_MS)
    spent.push(cpuMsOf(server.pid) - before)
  }
  const ms = spent.toSorted((a, b) => a - b)[Math.floor(tries / 2)] ?? 0
  const per100Kb = ms / Math.ceil(Math.max(1, attack.body.length) / 100_000)
  return { attack, who, headers, status, ms, per100Kb }
}

/** If a route does not read bodies without a credential, one body is enough to show it. */
function triesBy(somebody: Headers): Try[] {
  const shown = new Set<string>()
  return allAttacks()
    .filter(({ path }) => !ENDS_THE_CREDENTIAL.some((end) => path.includes(end)))
    .flatMap((attack): Try[] => {
      const known: Try = { attack, who: 'credential', headers: somebody }
      if (!attack.open && shown.has(attack.path)) return [known]
      shown.add(attack.path)
      return [{ attack, who: 'anonymous', headers: {} }, known]
    })
}

/** The cost of an empty request here and now. On a busy machine, compare the figures below with it. */
const NOTHING: Attack = { what: 'nothing', method: 'GET', path: '/nope', type: '', body: '' }

/** Two tries also count other work of the process. So the worst are measured again until all of the top ones are. */
async function lookCloser(server: Server, agent: Agent, costs: Cost[], maxLooks: number): Promise<void> {
  const closely = new Set<Cost>()
  for (let looks = 0; looks < maxLooks; looks++) {
    costs.sort((a, b) => b.per100Kb - a.per100Kb)
    const at = costs.slice(0, LEADING).findIndex((cost) => !closely.has(cost))
    const expensive = costs[at]
    if (!expensive) return
    // Collects the garbage of earlier requests before the measurement.
    await sleep(CLEARED_AFTER_MS)
    await costOf(server, agent, expensive, FIRST_TRIES)
    const measured = await costOf(server, agent, expensive, CLOSER_TRIES)
    costs[at] = measured
    closely.add(measured)
  }
  costs.sort((a, b) => b.per100Kb - a.per100Kb)
}

async function measureCosts(isQuick: boolean): Promise<{ costs: Cost[]; nothing: Cost }> {
  const server = await startServer()
  const agent = new Agent({ keepAlive: true })
  const costs: Cost[] = []
  const tries = triesBy(await headersOf(server, 'somebody'))
  for (const one of tries.filter((_, n) => !isQuick || n % 40 === 0))
    costs.push(await costOf(server, agent, one, FIRST_TRIES))
  await lookCloser(server, agent, costs, isQuick ? 3 : MAX_CLOSER_LOOKS)
  const nothing = await costOf(
    server,
    agent,
    { attack: NOTHING, who: 'anonymous', headers: {} },
    isQuick ? 5 : 100,
  )
  agent.destroy()
  await server.stop()
  return { costs, nothing }
}

type Seen = { ms: number[]; refusals: number }

async function watchAsBystander(server: Server, headers: Headers, until: number, seen: Seen): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const policy: Attack = { what: '', method: 'GET', path: '/api/v1/credits/policy', type: '', body: '' }
  while (performance.now() < until) {
    const before = performance.now()
    const status = await send(server.url, agent, policy, headers).catch(() => 0)
    seen.ms.push(performance.now() - before)
    if (status !== 200) seen.refusals++
    await sleep(BYSTANDER_PAUSE_MS)
  }
  agent.destroy()
}

type Outcome = { calm: number; p99: number; refusals: number; peak: number; sent: number; looks: number }

const p99Of = ({ ms }: Seen): number =>
  ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)] ?? Number.NaN

/** In a separate process, so that the work of the attackers does not delay the bystander's measurement. */
function startFlood(
  server: Server,
  costs: readonly Cost[],
  headers: Headers,
  seconds: number,
): Promise<number> {
  const child = fork(import.meta.filename)
  const attacks = costs.map(({ attack, who }) => ({ attack, headers: who === 'anonymous' ? {} : headers }))
  child.send({ url: server.url, attacks, connections: CONNECTIONS, seconds } satisfies Flood)
  return new Promise((resolve) => child.once('message', (sent) => resolve(Number(sent))))
}

async function measureBystander(attacks: readonly Cost[], seconds: number): Promise<Outcome> {
  const server = await startServer({ env: { RATE_LIMIT: 'on' }, workers: '2' })
  const attacker = await headersOf(server, 'attacker')
  const bystanders: Headers[] = []
  for (let i = 0; i < BYSTANDERS; i++) bystanders.push(await headersOf(server, `bystander${i}`))
  const before: Seen = { ms: [], refusals: 0 }
  const calmUntil = performance.now() + CALM_SECONDS * 1000
  await Promise.all(bystanders.map((headers) => watchAsBystander(server, headers, calmUntil, before)))
  const seen: Seen = { ms: [], refusals: 0 }
  const flood = startFlood(server, attacks, attacker, seconds)
  const until = performance.now() + seconds * 1000
  await Promise.all(bystanders.map((headers) => watchAsBystander(server, headers, until, seen)))
  const sent = await flood
  const peak = peakMb(server.pid)
  await server.stop()
  return { p99: p99Of(seen), calm: p99Of(before), refusals: seen.refusals, peak, sent, looks: seen.ms.length }
}

const headersOf = async ({ url }: Server, name: string): Promise<Headers> =>
  (await register(url, name)).headers

/**
 * The CPU of each refused request: every kind of hostile body to every route, without limits, anonymous and with a credential.
 * Then connections send the worst of them to two workers with limits, while other clients read the credit policy.
 */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: 'string', default: '30' }, quick: { type: 'boolean', default: false } },
  })
  const seconds = values.quick ? 2 : Number(values.seconds)
  const { costs, nothing } = await measureCosts(values.quick)
  const refused = costs.filter(({ status }) => status >= 400)
  const accepted = costs.filter(({ status }) => status > 0 && status < 400).length
  const cutOff = costs.length - refused.length - accepted
  const worst = [...refused.slice(0, LIST), nothing].map(({ attack, who, status, ms, per100Kb }) => ({
    request: attack.what,
    who,
    status,
    kB: Math.round(attack.body.length / 1000),
    'CPU, ms': ms.toFixed(2),
    'for each 100 kB': per100Kb.toFixed(2),
  }))
  // Several of each kind, so that no single limit stops them all at once.
  const sent = [...refused.slice(0, 40), ...refused.filter(({ attack }) => attack.path === '/nope')]
  const seen = await measureBystander(sent, seconds)
  return [
    {
      title: `worst of ${refused.length} refused requests (${accepted} accepted, ${cutOff} cut off), and an empty one`,
      rows: worst,
    },
    {
      title: `${BYSTANDERS} bystanders beside ${CONNECTIONS} hostile connections for ${seconds} s, two workers, limits on`,
      rows: [
        { what: 'hostile requests', measured: seen.sent },
        { what: 'p99 of the bystanders before, ms', measured: seen.calm.toFixed(0) },
        { what: `p99 of the bystanders (${seen.looks} requests), ms`, measured: seen.p99.toFixed(0) },
        { what: 'refusals of the bystanders', measured: seen.refusals },
        { what: 'peak memory of the largest process, MB', measured: seen.peak.toFixed(0) },
      ],
    },
  ]
}

if (import.meta.main)
  process.once('message', async (told: Flood) => {
    const sent = await flood(told)
    process.send?.(sent, () => process.disconnect())
  })
