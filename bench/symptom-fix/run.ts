import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { report } from '../support/report.ts'
import { FOLDER, KINDS, readCards, readQueries, readUnanswerable } from './data.ts'
import { flatBm25 } from './engines/flat-bm25.ts'
import { knowledgeVault } from './engines/knowledge-vault.ts'
import { lunr, miniSearch } from './engines/peers.ts'
import { postgresFts } from './engines/postgres-fts.ts'
import { sqliteFts5 } from './engines/sqlite-fts5.ts'
import { type Answered, type Engine, type Figures, score, type Unanswered } from './score.ts'

/** `npm run bench:symptom-fix` asks every engine all queries and writes the table into README.md. */

const BEGIN = '<!-- figures -->'
const END = '<!-- end of figures -->'

const cards = readCards()
const queries = readQueries()
const unanswerable = readUnanswerable()

/** A further engine is added here. */
const ENGINES = [knowledgeVault, flatBm25, sqliteFts5, postgresFts, miniSearch, lunr]

async function measure(engine: Engine): Promise<Figures> {
  const answered: Answered[] = []
  for (const query of queries) answered.push({ query, answer: await engine.search(query.text) })
  const unanswered: Unanswered[] = []
  for (const query of unanswerable) unanswered.push({ query, answer: await engine.search(query.text) })
  return score(answered, unanswered)
}

const shown = (figure: number) => figure.toFixed(3).replace(/^0/, '')
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const HEAD = ['engine', ...KINDS, 'all', 'first', 'talks', 'AUC', 'talks at 95 %']
const rowOf = (name: string, figures: Figures) => [
  name,
  ...KINDS.map((kind) => shown(figures.ndcg[kind])),
  shown(figures.all),
  percent(figures.first),
  percent(figures.talks),
  shown(figures.auc),
  percent(figures.talksAt95),
]

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function writeTable(rows: readonly string[][]): void {
  const file = join(FOLDER, 'README.md')
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`README.md lacks the marks of the figures: ${BEGIN} and ${END}`)
  const machine = `Measured on ${process.arch}, ${availableParallelism()} cores, Node ${process.versions.node}.`
  const table = [line(HEAD), line(HEAD.map(() => '---')), ...rows.map(line)].join('\n')
  writeFileSync(file, `${text.slice(0, from)}${BEGIN}\n${table}\n\n${machine}\n${text.slice(to)}`)
}

const rows: string[][] = []
const all: Figures[] = []
for (const open of ENGINES) {
  const engine = await open(cards)
  try {
    const figures = await measure(engine)
    all.push(figures)
    rows.push(rowOf(engine.name, figures))
    console.log(line(rows.at(-1) as string[]))
  } finally {
    await engine.close?.()
  }
}
writeTable(rows)
const [ours, ...others] = all as [Figures, ...Figures[]]
const best = Math.max(...others.map((figures) => figures.all))
report([
  {
    what: 'symptom-fix, nDCG@10 over all kinds, and the best of the others',
    measured: shown(ours.all),
    bar: shown(best),
    met: ours.all >= best,
  },
])
