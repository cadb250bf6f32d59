import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Row, rowsIn } from './support/report.ts'
import { repository } from './support/servers.ts'

const BENCHES = [
  'start',
  'door',
  'search',
  'tail',
  'memory',
  'recall',
  'hook',
  'redact',
  'mcp',
  'workers',
  'writers',
  'contention',
  'appends',
  'nodes',
  'hostile',
  'web',
  'growth',
]

const USAGE = `npm run bench -- [${BENCHES.join(' | ')} …] [--small]

Runs all benches, or those named, one after the other; prints one table; writes it to bench/results under the commit.
Ends with 1 if a bar is missed or a bench fails. --small is a trial of the benches, not of the product.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !BENCHES.includes(name))
if (values.help || unknown.length > 0) {
  console.error(unknown.length > 0 ? `No such bench: ${unknown.join(', ')}\n\n${USAGE}` : USAGE)
  process.exit(2)
}

/** The settings of a trial with `--small`: small collections, short loads. */
const SMALL_ARGUMENTS: Record<string, string[]> = {
  search: ['--sizes', '1000', '--postgres-sizes', '', '--queries', '20'],
  recall: ['--cards', '1000', '--events', '200', '--rounds', '40'],
  growth: ['--sizes', '1000', '--out', ''],
}
const SMALL_ENVIRONMENT = {
  SECONDS: '1',
  ALL: '2000',
  BIG: '1500',
  SMALL: '100',
  ROUNDS: '50',
  CARDS: '1000',
  CONTENTION_ROUNDS: '2',
  EVENTS: '1000',
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim()
const commit = git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') ? '-changed' : '')

type Result = { bench: string; seconds: number; ended: number | null; rows: Row[] }

const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-rows-'))

function execute(bench: string): Result {
  const file = join(folder, bench)
  const begin = performance.now()
  const { status } = spawnSync(
    process.execPath,
    [join(repository, 'bench', `${bench}.ts`), ...(values.small ? (SMALL_ARGUMENTS[bench] ?? []) : [])],
    {
      cwd: repository,
      env: { ...process.env, ...(values.small ? SMALL_ENVIRONMENT : {}), BENCH_ROWS: file },
      stdio: 'inherit',
    },
  )
  const seconds = Math.round((performance.now() - begin) / 1000)
  return { bench, seconds, ended: status, rows: existsSync(file) ? rowsIn(readFileSync(file, 'utf8')) : [] }
}

/** On arm64 Linux tells Node no name, but `lscpu` knows it by the number of the part. */
function processorName(): string {
  const name = cpus()[0]?.model ?? 'unknown'
  if (name !== 'unknown') return name
  const { stdout } = spawnSync('lscpu', { env: { ...process.env, LC_ALL: 'C' }, encoding: 'utf8' })
  return /^Model name:\s*(.+)$/m.exec(stdout ?? '')?.[1] ?? name
}

const MACHINE = {
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  processor: processorName(),
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
}

type Line = { bench: string; what: string; measured: string; bar: string; met: string }

const verdict = ({ met }: Row) => (met === undefined ? '' : met ? 'yes' : 'MISSED')

function linesOf({ bench, ended, rows }: Result): Line[] {
  const measured = rows.map((row) => ({ ...row, bench, bar: row.bar ?? '', met: verdict(row) }))
  // It failed without a missed bar, so no row says so.
  const broke = ended !== 0 && !rows.some((row) => row.met === false)
  const failure = { bench, what: 'did not finish', measured: `ended with ${ended}`, bar: '', met: 'MISSED' }
  return [...measured, ...(broke ? [failure] : [])].map(({ bench, what, measured, bar, met }) => ({
    bench,
    what,
    measured,
    bar,
    met,
  }))
}

const cells = (values: readonly string[]) =>
  `| ${values.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`

const out = join(repository, 'bench', 'results')
const name = join(out, values.small ? `${commit}-small` : commit)

function write(results: readonly Result[]): void {
  const { node, platform, processor, cores, memoryGb, loadBefore } = MACHINE
  const markdown = [
    `# Bench of ${commit}${values.small ? ' (trial with small sizes: not figures of the product)' : ''}`,
    '',
    `${new Date().toISOString()} · Node ${node} · ${platform} · ${processor} · ${cores} cores · ${memoryGb} GB · load ${loadBefore} at the start`,
    '',
    cells(['bench', 'what', 'measured', 'bar', 'met']),
    cells(['---', '---', '---', '---', '---']),
    ...results.flatMap(linesOf).map((line) => cells(Object.values(line))),
    '',
  ]
  mkdirSync(out, { recursive: true })
  writeFileSync(
    `${name}.json`,
    `${JSON.stringify({ commit, small: values.small, machine: MACHINE, results }, null, 2)}\n`,
  )
  writeFileSync(`${name}.md`, markdown.join('\n'))
}

// Written after each bench: a sitting takes more than an hour, and what was measured outlives one that is ended.
const results: Result[] = []
for (const bench of BENCHES.filter((one) => positionals.length === 0 || positionals.includes(one))) {
  results.push(execute(bench))
  write(results)
}
rmSync(folder, { recursive: true, force: true })
const lines = results.flatMap(linesOf)
console.table(lines)
console.log(`Written to ${name}.md and .json`)
if (lines.some((line) => line.met === 'MISSED')) process.exitCode = 1
