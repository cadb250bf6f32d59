import { fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Flood, send } from './hostile/send.ts'
import { type Attack, allAttacks } from './hostile/targets.ts'
import { report } from './support/report.ts'
import { type Server, startVault } from './support/servers.ts'

/**
 * Measures what hostile requests cost, and how much another client notices. First it sends every kind of body to every route,
 * without limits, anonymous and with a credential, and measures the CPU of each refused request. Then 20 connections send the
 * worst of them for half a minute to two workers with limits, while another client reads the credit policy.
 */
const SECONDS = Number(process.env.SECONDS ?? 30)
/** Each request is sent once to find the expensive ones. Those are then sent several times. */
const FIRST_TRIES = 1
const CLOSER_TRIES = 15
const LEADING = 20
const MOST_CLOSER_LOOKS = 400
const CLEARED_AFTER_MS = 200
const SETTLED_AFTER_MS = 10
const CONNECTIONS = 20
const BYSTANDERS = 2
const CALM_SECONDS = 5
const BYSTANDER_PAUSE_MS = 130
const MAX_MS_PER_100_KB = 5
const MAX_P99_MS = 250
const MAX_RESIDENT_MB = 400

type Headers = Record<string, string>

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Reads the scheduler's own clock for all threads, because /proc/…/stat counts in steps of 10 ms. */
const cpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6

const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

async function register(server: Server, name: string): Promise<Headers> {
  const answer = await fetch(`${server.url}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com`, password: 'a long password' }),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  return { authorization: `Bearer ${access_token}` }
}

const ENDS_THE_CREDENTIAL = ['/auth/logout', '/auth/me']

type Try = { attack: Attack; who: 'anonymous' | 'credential'; headers: Headers }
type Cost = Try & { status: number; ms: number; mean: number; share: number }

/**
 * The CPU of a request as a share of what it may cost: 5 ms for each 100 kB or part of it. The median of the tries is used, because
 * other work of the process, such as a job or garbage collection, falls into only some of them.
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
    const before = cpuMs(server.pid)
    // 0: cut off in the middle of a body that is larger than the route takes.
    status = await send(server.url, agent, attack, headers).catch(() => 0)
    await sleep(SETTLED_AFTER_MS)
    spent.push(cpuMs(server.pid) - before)
  }
  const ms = spent.toSorted((a, b) => a - b)[Math.floor(tries / 2)] ?? 0
  const mean = spent.reduce((sum, one) => sum + one, 0) / tries
  const mayCost = MAX_MS_PER_100_KB * Math.ceil(Math.max(1, attack.body.length) / 100_000)
  return { attack, who, headers, status, ms, mean, share: ms / mayCost }
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
async function lookCloser(server: Server, agent: Agent, costs: Cost[]): Promise<void> {
  const closely = new Set<Cost>()
  for (let looks = 0; looks < MOST_CLOSER_LOOKS; looks++) {
    costs.sort((a, b) => b.share - a.share)
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
  costs.sort((a, b) => b.share - a.share)
}

async function measureCosts(): Promise<{ costs: Cost[]; nothing: Cost }> {
  const server = await startVault({ RATE_LIMIT: 'off' })
  const agent = new Agent({ keepAlive: true })
  const costs: Cost[] = []
  for (const one of triesBy(await register(server, 'somebody')))
    costs.push(await costOf(server, agent, one, FIRST_TRIES))
  await lookCloser(server, agent, costs)
  const nothing = await costOf(server, agent, { attack: NOTHING, who: 'anonymous', headers: {} }, 100)
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
function startFlood(server: Server, costs: readonly Cost[], headers: Headers): Promise<number> {
  const child = fork(new URL('./hostile/flood.ts', import.meta.url))
  const attacks = costs.map(({ attack, who }) => ({ attack, headers: who === 'anonymous' ? {} : headers }))
  child.send({ url: server.url, attacks, connections: CONNECTIONS, seconds: SECONDS } satisfies Flood)
  return new Promise((resolve) => child.once('message', (sent) => resolve(Number(sent))))
}

async function measureBystander(attacks: readonly Cost[]): Promise<Outcome> {
  const server = await startVault({ RATE_LIMIT: 'on', WORKERS: '2' })
  const attacker = await register(server, 'attacker')
  const bystanders: Headers[] = []
  for (let i = 0; i < BYSTANDERS; i++) bystanders.push(await register(server, `bystander${i}`))
  const before: Seen = { ms: [], refusals: 0 }
  const calmUntil = performance.now() + CALM_SECONDS * 1000
  await Promise.all(bystanders.map((headers) => watchAsBystander(server, headers, calmUntil, before)))
  const seen: Seen = { ms: [], refusals: 0 }
  const flood = startFlood(server, attacks, attacker)
  const until = performance.now() + SECONDS * 1000
  await Promise.all(bystanders.map((headers) => watchAsBystander(server, headers, until, seen)))
  const sent = await flood
  const peak = Math.max(...[server.pid, ...childrenOf(server.pid)].map(peakMb))
  await server.stop()
  return { p99: p99Of(seen), calm: p99Of(before), refusals: seen.refusals, peak, sent, looks: seen.ms.length }
}

const WORST = 10
const describe = ({ attack, who, status, ms, mean }: Cost) =>
  `${attack.what}, ${who}: ${status}, ${ms.toFixed(1)} ms (mean ${mean.toFixed(1)}) for ${Math.round(attack.body.length / 1000)} kB`
const per100Kb = ({ share }: Cost) => (share * MAX_MS_PER_100_KB).toFixed(2)

const { costs, nothing } = await measureCosts()
const refused = costs.filter(({ status }) => status >= 400).toSorted((a, b) => b.share - a.share)
const accepted = costs.filter(({ status }) => status < 400 && status > 0)
const [worst] = refused
console.table(
  refused.slice(0, WORST).map((cost) => ({ worst: describe(cost), 'ms per 100 kB': per100Kb(cost) })),
)
console.log(
  `${refused.length} refused, ${accepted.length} accepted, ${costs.length - refused.length - accepted.length} cut off`,
)

/** Several of each kind, so that no single limit stops them all at once. */
const flood = [...refused.slice(0, 40), ...refused.filter(({ attack }) => attack.path === '/nope')]
const seen = await measureBystander(flood)

const rows = [
  {
    what: `CPU per 100 kB of the worst of ${refused.length} refused requests (${worst ? describe(worst) : 'none'})`,
    measured: `${worst ? per100Kb(worst) : 0} ms (an empty request: ${nothing.ms.toFixed(2)} ms)`,
    bar: `at most ${MAX_MS_PER_100_KB} ms`,
    met: (worst?.share ?? 0) <= 1,
  },
  {
    what: `p99 of a bystander (${seen.looks} looks) beside ${CONNECTIONS} hostile connections for ${SECONDS} s (${seen.sent} requests)`,
    measured: `${seen.p99.toFixed(0)} ms (${seen.calm.toFixed(0)} ms before them)`,
    bar: `under ${MAX_P99_MS} ms`,
    met: seen.p99 < MAX_P99_MS,
  },
  { what: 'refusals of the bystander', measured: String(seen.refusals), bar: '0', met: seen.refusals === 0 },
  {
    what: 'peak memory of the largest process',
    measured: `${seen.peak.toFixed(0)} MB`,
    bar: `under ${MAX_RESIDENT_MB} MB`,
    met: seen.peak < MAX_RESIDENT_MB,
  },
]
console.table(rows)
report(rows)
if (rows.some((row) => !row.met)) process.exitCode = 1
