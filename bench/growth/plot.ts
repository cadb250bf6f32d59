import type { EngineName } from '../../src/db/db.ts'

export type Measured = {
  engine: EngineName
  size: number
  startMs: number
  residentMegabytes: number
  diskMegabytes: number
  latency: Record<string, { p50: number; p95: number }>
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
export function plot(measured: readonly Measured[], note: string): string {
  const engines = [...new Set(measured.map(({ engine }) => engine))]
  const kinds = Object.keys(measured[0]?.latency ?? {})
  const series = (
    name: string,
    colour: number,
    engine: EngineName,
    value: (m: Measured) => number,
  ): Series => ({
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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#333"><title>Latency, memory and disk as cards and events grow</title><style>.grid{stroke:#ddd}.title{font-weight:600;font-size:14px}</style><rect x="-10" width="${width}" height="${height}" fill="#fff"/>${panels.join('')}<text x="0" y="${height - 8}">${escaped(note)}</text></svg>\n`
}
