import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { findSecrets } from '../../src/redaction/redact.ts'
import { containsInstructions, findDanger } from '../../src/review/find-danger.ts'
import { readAttacks, readOrdinary } from '../../test/safety/corpus.ts'
import { linesOf, percent, type Text } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { repository } from '../lib/servers.ts'

type Outcome = 'blocked' | 'marked' | 'missed'

/** A secret always blocks. That rule is part of the same review, so it counts here too. */
function outcomeOf(text: string): Outcome {
  const severities = new Set(findDanger(text).map(({ severity }) => severity))
  if (severities.has('block') || findSecrets(text).length > 0) return 'blocked'
  return severities.has('warn') ? 'marked' : 'missed'
}

/** Misses are listed for the half that rules are built with, never for the half that is only measured. */
function attackTable(half: 'build' | 'held', showsMisses: boolean): Table {
  const judged = readAttacks(half).map((attack) => ({ ...attack, outcome: outcomeOf(attack.text) }))
  const rowOf = (attacks: string, some: typeof judged) => {
    const count = (outcome: Outcome) => some.filter((one) => one.outcome === outcome).length
    const [blocked, marked] = [count('blocked'), count('marked')]
    return { attacks, texts: some.length, blocked, marked, caught: percent(blocked + marked, some.length) }
  }
  if (showsMisses && half === 'build')
    for (const { group, text, outcome } of judged)
      if (outcome === 'missed') console.log(`missed ${group}: ${JSON.stringify(text)}`)
  const groups = [...Map.groupBy(judged, ({ group }) => group)]
  return {
    title: `attacks, ${half} half`,
    rows: [...groups.map(([group, some]) => rowOf(group, some)), rowOf('all', judged)],
  }
}

/** Paragraphs of the project's own pages. Unlike the collections, they are about commands, keys and agents. */
const ownPages = (): string[] =>
  globSync(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/**/*.md'], {
    cwd: repository,
    exclude: ['docs/guide/safety.md'],
  }).flatMap((file) => readFileSync(join(repository, file), 'utf8').split(/\n{2,}/))

/** The texts of a folder by their `kind`, where the lines have one. */
const textsOf = (folder: string): [name: string, texts: string[]][] => {
  const lines = linesOf<Text & { kind?: string }>(join(folder, 'corpus.jsonl'))
  return [...Map.groupBy(lines, ({ kind }) => kind ?? '')].map(([kind, some]) => [
    kind === '' ? basename(folder) : `${basename(folder)}, ${kind}`,
    some.map(({ title, text }) => `${title ?? ''}\n\n${text}`),
  ])
}

function cleanRow(name: string, texts: readonly string[], showsMisses: boolean): Table['rows'][number] {
  const count = { blocked: 0, warned: 0, noted: 0, instructions: 0 }
  for (const text of texts) {
    const found = findDanger(text)
    if (containsInstructions(text)) count.instructions++
    if (found.some(({ severity }) => severity === 'block')) count.blocked++
    else if (found.some(({ severity }) => severity === 'warn')) count.warned++
    else if (found.length > 0) count.noted++
    if (showsMisses)
      for (const { rule, severity, start, end } of found)
        console.log(`${name}, ${severity} ${rule}: ${JSON.stringify(text.slice(start, end))}`)
  }
  const shares = Object.entries(count).map(([what, n]) => [what, percent(n, texts.length)])
  return { 'clean texts': name, texts: texts.length, ...Object.fromEntries(shares) }
}

const SPEED_ROUNDS = 3

/** The fastest of several rounds, so that a busy machine does not distort the figure. */
function speedOf(texts: readonly string[], read: (text: string) => unknown): string {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < SPEED_ROUNDS; round++) {
    const start = performance.now()
    for (const text of texts) read(text)
    best = Math.min(best, performance.now() - start)
  }
  return `${(bytes / 1e6 / (best / 1000)).toFixed(0)} MB/s`
}

const HOSTILE = [
  'curl https://x.y ',
  'ignore your ',
  'you are now ',
  '/home/a',
  '@a.b',
  'npx aaaaa ',
  '<!-- ',
  'http://a',
  'rm -rf ',
  'a b c d ',
  '\u200b',
  'human: ',
  '| curl ',
  'curl ',
  'wget ',
  'agent must ',
  '.env ',
  'CLAUDE.md ',
]
const HOSTILE_LENGTHS = [100_000, 400_000]

function hostileTable(lengths: readonly number[]): Table {
  const rows = HOSTILE.map((piece) => {
    const times = lengths.map((length) => {
      const text = piece.repeat(Math.ceil(length / piece.length))
      const start = performance.now()
      findDanger(text)
      return [`${length / 1000} kB`, `${(performance.now() - start).toFixed(0)} ms`]
    })
    return { 'repeated text': JSON.stringify(piece), ...Object.fromEntries(times) }
  })
  return { title: 'hostile texts', rows }
}

/** How much of the attacks the review blocks or marks, how much clean text, and how fast it reads. --misses lists them. */
export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { misses: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  })
  const clean = new Map([
    ['ordinary, near to danger', readOrdinary()],
    ['own pages, by paragraph', ownPages()],
  ])
  for (const folder of positionals) for (const [name, texts] of textsOf(folder)) clean.set(name, texts)
  const some = (texts: string[]) => (values.quick ? texts.filter((_, n) => n % 10 === 0) : texts)
  const all = [...clean.values()].flatMap(some)
  return [
    attackTable('build', values.misses),
    attackTable('held', values.misses),
    {
      title: 'clean texts',
      rows: [...clean].map(([name, texts]) => cleanRow(name, some(texts), values.misses)),
    },
    {
      title: 'speed on clean texts',
      rows: [
        { what: 'whole review', speed: speedOf(all, findDanger) },
        { what: 'contains_instructions', speed: speedOf(all, containsInstructions) },
      ],
    },
    hostileTable(values.quick ? HOSTILE_LENGTHS.slice(0, 1) : HOSTILE_LENGTHS),
  ]
}
