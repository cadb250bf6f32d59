/**
 * Measures the review for danger: how much of the attack corpus it blocks or marks, how much clean text it blocks or warns
 * of, and how fast it reads. `npm run eval:safety -- [--misses] <folder of a collection>...`; a folder has corpus.jsonl.
 * Misses are listed for the half that rules are built with, never for the half that is only measured.
 */
import { globSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { basename, join } from 'node:path'
import { findSecrets } from '../src/features/redaction/redact.ts'
import { containsInstructions, findDanger } from '../src/features/review/find-danger.ts'
import { type Attack, readAttacks, readOrdinary } from '../test/safety/corpus.ts'
import { linesOf, type Text } from './search/collections.ts'

const REPOSITORY = join(import.meta.dirname, '..')

const args = process.argv.slice(2)
const showMisses = args.includes('--misses')
const folders = args.filter((arg) => !arg.startsWith('--'))

type Outcome = 'blocked' | 'marked' | 'missed'

/** A secret always blocks. That rule is part of the same review, so it counts here too. */
function outcomeOf(text: string): Outcome {
  const severities = new Set(findDanger(text).map(({ severity }) => severity))
  if (severities.has('block') || findSecrets(text).length > 0) return 'blocked'
  return severities.has('warn') ? 'marked' : 'missed'
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`

function attackTable(half: 'build' | 'held'): void {
  const attacks = readAttacks(half)
  const judged = attacks.map((attack) => ({ ...attack, outcome: outcomeOf(attack.text) }))
  const row = (name: string, some: readonly (Attack & { outcome: Outcome })[]) => {
    const count = (outcome: Outcome) => some.filter((one) => one.outcome === outcome).length
    const caught = some.length - count('missed')
    console.log(
      `| ${name} | ${some.length} | ${count('blocked')} | ${count('marked')} | ${percent(caught, some.length)} |`,
    )
  }
  console.log(`\n| attacks, ${half} half | texts | blocked | marked | caught |\n|---|---|---|---|---|`)
  for (const [group, some] of Map.groupBy(judged, (one) => one.group)) row(group, some)
  row('all', judged)
  if (showMisses && half === 'build')
    for (const { group, text, outcome } of judged)
      if (outcome === 'missed') console.log(`missed ${group}: ${JSON.stringify(text)}`)
}

/** Paragraphs of the project's own pages. Unlike the collections, they are about commands, keys and agents. */
const ownPages = (): string[] =>
  globSync(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/**/*.md'], {
    cwd: REPOSITORY,
    exclude: ['docs/guide/safety.md'],
  }).flatMap((file) => readFileSync(join(REPOSITORY, file), 'utf8').split(/\n{2,}/))

const cleanTexts = (folder: string): string[] =>
  linesOf<Text>(join(folder, 'corpus.jsonl')).map(({ title, text }) => `${title ?? ''}\n\n${text}`)

function cleanRow(name: string, texts: readonly string[]): readonly string[] {
  const count = { blocked: 0, warned: 0, noted: 0, speaking: 0 }
  const rules = new Map<string, number>()
  for (const text of texts) {
    const found = findDanger(text)
    if (containsInstructions(text)) count.speaking++
    if (found.some(({ severity }) => severity === 'block')) count.blocked++
    else if (found.some(({ severity }) => severity === 'warn')) count.warned++
    else if (found.length > 0) count.noted++
    for (const { rule, severity, start, end } of found) {
      rules.set(`${rule} ${severity}`, (rules.get(`${rule} ${severity}`) ?? 0) + 1)
      if (showMisses) console.log(`  ${severity} ${rule}: ${JSON.stringify(text.slice(start, end))}`)
    }
  }
  const { length } = texts
  const shares = [count.blocked, count.warned, count.noted, count.speaking].map((n) => percent(n, length))
  console.log(`| ${name} | ${length} | ${shares.join(' | ')} |`)
  if (showMisses) console.log([...rules].map(([rule, n]) => `  ${rule}: ${n}`).join('\n'))
  return texts
}

/** The fastest of several rounds, so that a busy machine does not distort the figure. */
function speedOf(texts: readonly string[], read: (text: string) => unknown): string {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
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

function hostileTable(): void {
  console.log('\n| hostile text | 100 kB | 400 kB |\n|---|---|---|')
  for (const piece of HOSTILE) {
    const times = HOSTILE_LENGTHS.map((length) => {
      const text = piece.repeat(Math.ceil(length / piece.length))
      const start = performance.now()
      findDanger(text)
      return `${(performance.now() - start).toFixed(0)} ms`
    })
    console.log(`| ${JSON.stringify(piece)} | ${times.join(' | ')} |`)
  }
}

attackTable('build')
attackTable('held')
console.log('\n| clean cards | texts | blocked | warned | noted | marked as instructions |')
console.log('|---|---|---|---|---|---|')
cleanRow('ordinary, near to danger', readOrdinary())
const own = cleanRow('own pages, by paragraph', ownPages())
const all = [...own, ...folders.flatMap((folder) => cleanRow(basename(folder), cleanTexts(folder)))]
console.log(`\nwhole review: ${speedOf(all, (text) => findDanger(text))}`)
console.log(`contains_instructions: ${speedOf(all, containsInstructions)}`)
hostileTable()
console.log(`\n${process.arch}, ${cpus().length} cores, Node ${process.version}`)
