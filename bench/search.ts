import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { App } from '../src/app.ts'
import type { EngineName } from '../src/db/db.ts'
import { PUBLIC_LIBRARY_ID } from '../src/db/public-library.ts'
import { remixedCards, remixedQueries, sentencesFrom } from './search/cards.ts'
import { loadCards } from './search/load.ts'
import { indexBytes, rawSearch } from './search/raw.ts'
import { type Account, openVault, register, signIn } from './search/vault.ts'
import { readThrough } from './support/files.ts'
import { report as reportRows } from './support/report.ts'
import { vacuumAnalyze } from './support/vacuum.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    sizes: { type: 'string', default: '1000,10000,100000,1000000' },
    'postgres-sizes': { type: 'string', default: '100000' },
    queries: { type: 'string', default: '200' },
    // The SQLite vaults that lie here are used, and others are kept here, so that the next measurement need not fill them again.
    keep: { type: 'string', ...(process.env.BENCH_KEEP ? { default: process.env.BENCH_KEEP } : {}) },
    // wall, or cpu: what this process computed, for SQLite on a machine that others use too.
    clock: { type: 'string', default: 'wall' },
  },
})

const sentences = sentencesFrom(values.folder)
/** Other queries than those that are measured, since a process keeps what it has read. */
const WARM_UP = 1500
/** The engine's own index has no code of ours to warm. */
const RAW_WARM_UP = 100
const made = remixedQueries(sentences, Number(values.queries) + WARM_UP)
const queries = made.slice(0, Number(values.queries))
const warmUp = made.slice(queries.length)
const sizesOf = (list: string) => list.split(',').filter(Boolean).map(Number)

/** How many queries of a kind are asked before the next kind. */
const IN_A_ROW = 10

/** A tenant with few cards in a vault of many. */
const SMALL_TENANT = 50

type Timing = { p50: number; p95: number; p99: number }

function timingOf(times: readonly number[]): Timing {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const computed = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const clock = values.clock === 'cpu' ? computed : () => performance.now()

const timed = async (run: () => Promise<unknown>): Promise<{ ms: number; cpu: number }> => {
  const started = clock()
  const before = computed()
  await run()
  return { ms: clock() - started, cpu: computed() - before }
}

/** CPU of a whole search on SQLite, p50 in ms; its p95 may be `MOST_SPREAD` times as much. */
const CPU_BARS: Record<number, number> = { 1000: 1.5, 10000: 2, 100000: 4, 1000000: 8 }
const MOST_SPREAD = 2.5
/** CPU of this process on PostgreSQL, of that on SQLite, where the engine is in the same process. */
const MOST_ON_POSTGRES = 1.5

async function ask(app: App, account: Account, query: string, scope: string): Promise<void> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/search',
    headers: { authorization: `Bearer ${account.token}` },
    payload: { query: query.padEnd(3), scope },
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
}

export type Measured = {
  engine: EngineName
  cards: number
  loadSeconds: number
  indexShare: number
  raw: Timing
  library: Timing
  personal: Timing
  small: Timing
  /** CPU of searches in the library and of personal ones, whatever the clock. */
  cpu: Timing
}

async function measure(engine: EngineName, cards: number): Promise<Measured> {
  const kept = engine === 'sqlite' && values.keep ? join(values.keep, `${cards}`) : undefined
  const vault = await openVault(engine, kept)
  try {
    const { app } = vault
    const known = kept ? await signIn(app, 'owner') : undefined
    const owner = known ?? (await register(app, 'owner'))
    const few = (kept && (await signIn(app, 'few'))) || (await register(app, 'few'))
    const fill = remixedCards(sentences, known ? 0 : cards)
    const loaded = await loadCards(app.services, fill, (n) => {
      const account = n < SMALL_TENANT ? few : owner
      return n % 2 === 0 && n >= SMALL_TENANT
        ? { ownerId: account.userId, workspaceId: PUBLIC_LIBRARY_ID, status: 'published' }
        : { ownerId: account.userId, workspaceId: account.workspaceId, status: 'unpublished' }
    })
    await vacuumAnalyze(app)
    const bytes = await indexBytes(app)
    const raw = await rawSearch(app, vault.dataDir)
    if (engine === 'sqlite') await readThrough(vault.dataDir)
    // Making the engine's own index kept the process busy. It refuses requests until it has caught up.
    await sleep(5000)
    const rounds = {
      raw: (query: string) => raw.ask(query),
      library: (query: string) => ask(app, few, query, 'public'),
      personal: (query: string) => ask(app, owner, query, 'personal'),
      small: (query: string) => ask(app, few, query, 'personal'),
    }
    const times = {
      raw: [] as number[],
      library: [] as number[],
      personal: [] as number[],
      small: [] as number[],
    }
    const cpu: number[] = []
    // A server lives for weeks, and one that has just started takes twice as long, because its code is not optimised yet.
    for (const query of warmUp.slice(0, RAW_WARM_UP)) await rounds.raw(query)
    for (const query of warmUp)
      for (const run of [rounds.library, rounds.personal, rounds.small]) await run(query)
    // The kinds alternate, so that a noisy moment of the machine affects all of them. Several of a kind follow each other, because
    // each raw query fills the processor's caches, and no service would send one between two searches.
    for (let from = 0; from < queries.length; from += IN_A_ROW)
      for (const name of Object.keys(rounds) as (keyof typeof rounds)[])
        for (const query of queries.slice(from, from + IN_A_ROW)) {
          const { ms, cpu: computed } = await timed(() => rounds[name](query))
          times[name].push(ms)
          if (name === 'library' || name === 'personal') cpu.push(computed)
        }
    raw.close()
    return {
      engine,
      cards,
      loadSeconds: loaded.seconds,
      indexShare: bytes / loaded.bytes,
      raw: timingOf(times.raw),
      library: timingOf(times.library),
      personal: timingOf(times.personal),
      small: timingOf(times.small),
      cpu: timingOf(cpu),
    }
  } finally {
    await vault.destroy()
  }
}

const show = ({ p50, p95, p99 }: Timing) => [p50, p95, p99].map((ms) => ms.toFixed(1)).join(' / ')

function report(m: Measured): void {
  console.log(
    `${m.engine}, ${m.cards} cards: loaded in ${m.loadSeconds.toFixed(0)} s, index ${m.indexShare.toFixed(2)}x of the text`,
  )
  console.log(`                                     p50 / p95 / p99 ms (${values.clock})`)
  console.log(`  raw, all words ORed, top 50        ${show(m.raw)}`)
  console.log(`  search, library (half of them)     ${show(m.library)}`)
  console.log(`  search, personal (the others)      ${show(m.personal)}`)
  console.log(`  search, a tenant with ${SMALL_TENANT} cards     ${show(m.small)}`)
  console.log(`  CPU of this process, a search      ${show(m.cpu)}`)
}

type Bar = { what: string; holds: boolean }

function barsAt100k(m: Measured): Bar[] {
  const faster = (share: 'p50' | 'p95') => m.raw[share] / Math.max(m.library[share], m.personal[share])
  const speed = [
    { what: `${m.engine}: p50 ${faster('p50').toFixed(1)}x faster than raw (4x)`, holds: faster('p50') >= 4 },
    { what: `${m.engine}: p95 ${faster('p95').toFixed(1)}x faster than raw (4x)`, holds: faster('p95') >= 4 },
  ]
  // A vault that was kept says nothing about loading.
  if (!Number.isFinite(m.indexShare)) return speed
  return [
    ...speed,
    { what: `${m.engine}: loaded in ${m.loadSeconds.toFixed(0)} s (60 s)`, holds: m.loadSeconds < 60 },
    { what: `${m.engine}: index ${m.indexShare.toFixed(2)}x of the text (1.5x)`, holds: m.indexShare <= 1.5 },
  ]
}

function cpuBars({ engine, cards, cpu }: Measured): Bar[] {
  const most = engine === 'sqlite' ? CPU_BARS[cards] : undefined
  if (most === undefined) return []
  const spread = cpu.p95 / cpu.p50
  return [
    {
      what: `${cards} cards: CPU of a search p50 ${cpu.p50.toFixed(1)} ms (${most})`,
      holds: cpu.p50 <= most,
    },
    {
      what: `${cards} cards: CPU p95 ${spread.toFixed(1)}x of p50 (${MOST_SPREAD}x)`,
      holds: spread <= MOST_SPREAD,
    },
  ]
}

const measured: Measured[] = []
for (const [engine, list] of [
  ['sqlite', values.sizes],
  ['postgres', values['postgres-sizes']],
] as const)
  for (const cards of sizesOf(list)) {
    const m = await measure(engine, cards)
    measured.push(m)
    report(m)
  }

const bars = [
  ...measured.filter((m) => m.cards === 100_000).flatMap(barsAt100k),
  ...measured.flatMap(cpuBars),
]
const on = (engine: EngineName, cards: number) =>
  measured.find((m) => m.engine === engine && m.cards === cards)
const [small, large] = [on('sqlite', 100_000), on('sqlite', 1_000_000)]
const elsewhere = on('postgres', 100_000)
if (small && elsewhere) {
  const share = elsewhere.cpu.p50 / small.cpu.p50
  bars.push({
    what: `postgres: CPU of the process ${share.toFixed(2)}x of SQLite's (${MOST_ON_POSTGRES}x)`,
    holds: share <= MOST_ON_POSTGRES,
  })
}
if (small && large) {
  const growth = large.library.p95 / small.library.p95
  bars.push({ what: `p95 grows ${growth.toFixed(1)}x from 100,000 to 1,000,000 (3x)`, holds: growth <= 3 })
}
reportRows([
  ...measured.map((m) => ({
    what: `${m.engine}, ${m.cards} cards: library p50 / p95 / p99`,
    measured: `${show(m.library)} ms, CPU of a search ${show(m.cpu)} ms`,
  })),
  ...bars.map(({ what, holds }) => ({ what, measured: holds ? 'holds' : 'missed', met: holds })),
])
for (const { what, holds } of bars) console.log(`${holds ? 'holds ' : 'MISSED'} ${what}`)
if (bars.some((bar) => !bar.holds)) process.exitCode = 1
