import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, percentile, postsBy, type Request, type Table, timeEach } from './lib/measure.ts'
import { bytesIn, repository, residentMb, startServer } from './lib/servers.ts'
import { madeUpCards, madeUpEvents, madeUpQueries } from './lib/texts.ts'
import {
  call,
  type Engine,
  engineOf,
  fillCards,
  fillEvents,
  register,
  settle,
  signIn,
  startVault,
} from './lib/vault.ts'

const PROJECT = 'bench/growth'
const WARM_UP_QUERIES = 20

type Latency = { p50: number; p95: number }

type Measured = {
  engine: Engine
  size: number
  startMs: number
  residentMegabytes: number
  diskMegabytes: number
  latency: Record<string, Latency>
}

const OWNER = 'owner'

/** Fills a vault with so many cards, half of them public, and as many events. */
async function fill(url: string, size: number): Promise<void> {
  const owner = await register(url, OWNER)
  await fillCards(url, owner, madeUpCards(size), { isPublished: (n) => n % 2 === 0 })
  await fillEvents(url, owner, PROJECT, madeUpEvents(size))
}

async function latencies(url: string, requests: number): Promise<Record<string, Latency>> {
  const { headers } = await signIn(url, OWNER)
  const post = postsBy(headers)
  const { card_id } = await call(url, 'POST', '/api/v1/cards', [...madeUpCards(1, 5)][0], headers)
  const kinds: Record<string, (query: string) => Request> = {
    'search the library': (query) => post('/api/v1/search', { query: query.padEnd(3), scope: 'public' }),
    'read a card': () => ({ path: `/api/v1/cards/${card_id}`, headers }),
    'restore memory': () => ({ path: `/api/v1/project-context/snapshot?project_key=${PROJECT}`, headers }),
    'record a card': (query) => post('/api/v1/cards', { title: query, symptom: query, fix_summary: query }),
    'append a turn': (query) =>
      post('/mcp/tools/append_context_turn', {
        project_key: PROJECT,
        user_message: query,
        agent_report: query,
      }),
  }
  const found: Record<string, Latency> = {}
  for (const [kind, make] of Object.entries(kinds)) {
    await timeEach(url, madeUpQueries(WARM_UP_QUERIES, 1).map(make))
    const times = await timeEach(url, madeUpQueries(requests).map(make))
    found[kind] = { p50: median(times), p95: percentile(times, 0.95) }
  }
  return found
}

/** One worker on one engine. On SQLite a named folder keeps the filled vault for the next time. */
async function measure(engine: Engine, size: number, requests: number, keep?: string): Promise<Measured> {
  const dataDir = keep && engine === 'sqlite' ? join(keep, `${size}`) : undefined
  const mark = dataDir && join(dataDir, 'filled')
  if (dataDir) mkdirSync(dataDir, { recursive: true })
  const vault = await startVault(engine, dataDir ? { env: { DATA_DIR: dataDir } } : {})
  try {
    if (!mark || !existsSync(mark)) await fill(vault.url, size)
    if (mark) writeFileSync(mark, '')
    await settle(vault, size <= 1000)
    await vault.stopServer()
    const begin = performance.now()
    const server = await startServer({ env: vault.env })
    const startMs = performance.now() - begin
    const latency = await latencies(server.url, requests)
    const residentMegabytes = residentMb(server.pid)
    await server.stop()
    const diskMegabytes = bytesIn(vault.files) / 1e6
    return { engine, size, startMs, residentMegabytes, diskMegabytes, latency }
  } finally {
    await vault.stop()
  }
}

/** Start, latency, memory and disk as cards and events grow. --out docs/growth draws the picture. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: '1000,10000,100000' },
      engines: { type: 'string', default: 'sqlite,postgres' },
      requests: { type: 'string', default: '200' },
      keep: { type: 'string' },
      out: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const sizes = values.quick ? [100] : values.sizes.split(',').map(Number)
  const requests = values.quick ? 10 : Number(values.requests)
  const measured: Measured[] = []
  for (const engine of values.engines.split(',').map(engineOf))
    for (const size of sizes) measured.push(await measure(engine, size, requests, values.keep))
  if (values.out) writeFileSync(join(repository, `${values.out}.svg`), plot(measured))
  const rows = measured.map(({ engine, size, latency, startMs, residentMegabytes, diskMegabytes }) => ({
    engine,
    'cards and events': size,
    ...Object.fromEntries(
      Object.entries(latency).map(([kind, { p50, p95 }]) => [
        `${kind}, ms`,
        `${p50.toFixed(1)} / ${p95.toFixed(1)}`,
      ]),
    ),
    'resident MB': Math.round(residentMegabytes),
    'disk MB': Math.round(diskMegabytes),
    'start ms': Math.round(startMs),
  }))
  return [{ title: 'growth of one worker, p50 / p95 of one client', rows }]
}

type Series = { name: string; dashed: boolean; colour: string; points: { x: number; y: number }[] }

const PANEL = { width: 420, height: 260, left: 52, bottom: 34, top: 30, gap: 40 }
const COLOURS = ['#0b6bcb', '#c2410c', '#15803d', '#7c3aed', '#a16207']

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const short = (value: number) =>
  value >= 1e6 ? `${value / 1e6}M` : value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(2)))

const decades = (values: readonly number[]) => {
  const logs = values.filter((value) => value > 0).map(Math.log10)
  const low = Math.floor(Math.min(...logs))
  return { low, high: Math.max(low + 1, Math.ceil(Math.max(...logs))) }
}

/** One diagram, both axes logarithmic. */
function panel(title: string, unit: string, all: readonly Series[], index: number): string {
  const { width, height, left, bottom, top, gap } = PANEL
  const xs = decades(all.flatMap(({ points }) => points.map(({ x }) => x)))
  const ys = decades(all.flatMap(({ points }) => points.map(({ y }) => y)))
  const at = (value: number, { low, high }: { low: number; high: number }) =>
    (Math.log10(value) - low) / (high - low)
  const px = (x: number) => left + at(x, xs) * (width - left)
  const py = (y: number) => height - bottom - at(y, ys) * (height - bottom - top)
  const powers = ({ low, high }: { low: number; high: number }) =>
    Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
  const grid = [
    ...powers(xs).map(
      (x) =>
        `<line x1="${px(x)}" y1="${top}" x2="${px(x)}" y2="${height - bottom}" class="grid"/><text x="${px(x)}" y="${height - bottom + 16}" text-anchor="middle">${short(x)}</text>`,
    ),
    ...powers(ys).map(
      (y) =>
        `<line x1="${left}" y1="${py(y)}" x2="${width}" y2="${py(y)}" class="grid"/><text x="${left - 6}" y="${py(y) + 4}" text-anchor="end">${short(y)}</text>`,
    ),
  ]
  const lines = all.map(({ points, colour, dashed }) => {
    const path = points.map(({ x, y }) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(' ')
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="5 4"' : ''}/>`
  })
  const legend = all.map(
    ({ name, colour, dashed }, i) =>
      `<g transform="translate(${left},${height + 12 + i * 16})"><line x1="0" y1="-4" x2="24" y2="-4" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="5 4"' : ''}/><text x="30">${escaped(name)}</text></g>`,
  )
  return `<g transform="translate(${index * (width + gap)},0)"><text x="${left}" y="16" class="title">${escaped(title)}, ${unit}</text>${[...grid, ...lines, ...legend].join('')}</g>`
}

/** Latency, memory and disk over the number of cards and events: solid for SQLite, dashed for PostgreSQL. */
function plot(measured: readonly Measured[]): string {
  const engines = [...new Set(measured.map(({ engine }) => engine))]
  const kinds = Object.keys(measured[0]?.latency ?? {})
  const series = (name: string, colour: number, engine: Engine, value: (m: Measured) => number): Series => ({
    name: `${name}, ${engine}`,
    dashed: engine === 'postgres',
    colour: COLOURS[colour % COLOURS.length] as string,
    points: measured.filter((m) => m.engine === engine).map((m) => ({ x: m.size, y: value(m) })),
  })
  const panels = [
    panel(
      'Latency p95',
      'ms',
      engines.flatMap((engine) =>
        kinds.map((kind, i) => series(kind, i, engine, (m) => m.latency[kind]?.p95 ?? 0)),
      ),
      0,
    ),
    panel(
      'Resident memory',
      'MB',
      engines.map((engine) => series('one worker', 0, engine, (m) => m.residentMegabytes)),
      1,
    ),
    panel(
      'Disk',
      'MB',
      engines.map((engine) => series('database', 0, engine, (m) => m.diskMegabytes)),
      2,
    ),
  ]
  const width = 3 * PANEL.width + 2 * PANEL.gap + 20
  const height = PANEL.height + 48 + 16 * Math.max(2, engines.length * kinds.length)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#333"><title>Latency, memory and disk as cards and events grow</title><style>.grid{stroke:#ddd}.title{font-weight:600;font-size:14px}</style><rect x="-10" width="${width}" height="${height}" fill="#fff"/>${panels.join('')}</svg>\n`
}
