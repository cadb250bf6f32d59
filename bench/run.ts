import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Table, UsageError } from './lib/measure.ts'
import { commitOf, repository, stopAll } from './lib/servers.ts'

/** `npm run bench` and `npm run eval`: runs one bench or evaluation, prints its tables and keeps them in bench/results. */

const BENCHES = {
  door: 'reading, recording and appending, of a bare Fastify route with the same bytes *',
  search: 'searches in the library, in own cards and in a small tenant *',
  record: 'recording cards *',
  append: 'appending turns to the memory of projects *',
  recall: 'recall beside 20 searches a second *',
  memory: 'snapshot and search of a large project *',
  hook: 'the program that an agent starts at a failed command *',
  start: 'start of an empty vault, and its memory *',
  redact: 'the secret scanner: ordinary text, and the slowest hostile text',
  growth: 'latency, memory, disk and start as cards and events grow; --out draws docs/growth.svg',
  distributed: 'a Citus cluster beside one PostgreSQL, and more workers (deploy/citus/build.sh)',
  hostile: 'CPU of refused requests, and a bystander beside hostile connections',
}
const EVALS = {
  collections: 'search over judged collections beside flat BM25; --fit fits the confidence <folder> …',
  asked: 'quotation marks, slips, two words, Japanese, other words than the card has; --against <folder>',
  near: 'search where all cards are about programs that fail; --fit',
  recall: 'whether recall brings the card that fits and is silent where none does; --fit [folder …]',
  'other-words': 'prompts in other words than their card: what recall delivers, where search ranks it',
  memory: 'ranked memory search beside flat BM25; --fit [folder …]',
  safety: 'the review for danger over attacks and clean texts [folder …]',
  mining: 'which errors were cured, in played transcripts',
  trust: 'stale twins, judged by people of whom some lie <folder>',
  'symptom-fix': 'our search and others on the symptom-fix benchmark',
  decisions: 'whether recall delivers what a project decided <folder>',
  before: 'whether what names a file or command comes before it is touched, and nothing else',
}
const KINDS = {
  bench: {
    all: BENCHES,
    folder: '.',
    note: 'Those with * take --against <folder of another checkout> and --pairs n.',
  },
  eval: { all: EVALS, folder: './eval', note: 'A folder has corpus.jsonl, queries.jsonl and qrels.tsv.' },
}

const [kindName = '', name = '', ...args] = process.argv.slice(2)
const kind = KINDS[kindName as keyof typeof KINDS]

function usage(): string {
  const lines = Object.entries(kind.all).map(([name, what]) => `  ${name.padEnd(12)} ${what}`)
  return `npm run ${kindName} -- <name> [options]\n\n${lines.join('\n')}\n\n${kind.note} --quick only shows that it works.`
}

/** On arm64 Linux tells Node no name, but `lscpu` knows it by the number of the part. */
function processorName(): string {
  const name = cpus()[0]?.model ?? 'unknown'
  if (name !== 'unknown') return name
  const { stdout } = spawnSync('lscpu', { env: { ...process.env, LC_ALL: 'C' }, encoding: 'utf8' })
  return /^Model name:\s*(.+)$/m.exec(stdout ?? '')?.[1] ?? name
}

const cells = (values: readonly unknown[]) =>
  `| ${values.map((value) => String(value).replaceAll('|', '\\|')).join(' | ')} |`

function markdownOf({ title, rows }: Table): string {
  const head = Object.keys(rows[0] ?? {})
  return [
    `## ${title}`,
    '',
    cells(head),
    cells(head.map(() => '---')),
    ...rows.map((row) => cells(head.map((name) => row[name] ?? ''))),
    '',
  ].join('\n')
}

if (!Object.hasOwn(kind.all, name)) {
  if (name !== '') console.error(`Unknown name ${name}.\n`)
  console.log(usage())
  process.exit(name === '' ? 0 : 2)
}
const commit = commitOf(repository)
const machine = [
  `${processorName()} (${process.arch})`,
  `${availableParallelism()} cores`,
  `${Math.round(totalmem() / 2 ** 30)} GB`,
  `Node ${process.version}`,
  `load ${loadavg()[0]?.toFixed(1)} at the start`,
].join(', ')
const { run } = (await import(`${kind.folder}/${name}.ts`)) as { run: (args: string[]) => Promise<Table[]> }
const isUsage = (error: unknown) =>
  error instanceof UsageError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
const tables = await run(args).catch(async (error) => {
  console.error(isUsage(error) ? error.message : error)
  await stopAll()
  process.exit(1)
})
const text = [
  `# ${kindName} ${[name, ...args].join(' ')}`,
  '',
  `${commit}: ${machine}`,
  '',
  ...tables.map(markdownOf),
].join('\n')
console.log(text)
const folder = join(repository, 'bench', 'results')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, `${commit}-${kindName}-${name}.md`), text)
