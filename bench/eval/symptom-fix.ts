import { parseArgs } from 'node:util'
import { percent } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { KINDS, readCards, readQueries, readUnanswerable } from '../symptom-fix/data.ts'
import { ENGINES, withModel } from '../symptom-fix/engines.ts'
import { type Answered, type Figures, score, type Unanswered } from '../symptom-fix/score.ts'

const shown = (figure: number) => figure.toFixed(3).replace(/^0/, '')

const rowOf = (engine: string, figures: Figures): Table['rows'][number] => ({
  engine,
  ...Object.fromEntries(KINDS.map((kind) => [kind, shown(figures.ndcg[kind])])),
  all: shown(figures.all),
  first: percent(figures.first),
  talks: percent(figures.talks),
  AUC: shown(figures.auc),
  'talks at 95 %': percent(figures.talksAt95),
})

/** Asks every engine all queries of symptom-fix; with --model also our search with a small model beside it. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: { quick: { type: 'boolean', default: false }, model: { type: 'boolean', default: false } },
  })
  const some = <T>(all: T[]) => (values.quick ? all.filter((_, n) => n % 20 === 0) : all)
  const rows: Table['rows'] = []
  for (const open of values.model ? [...ENGINES, withModel] : ENGINES) {
    const engine = await open(readCards())
    if (!engine) continue
    try {
      const answered: Answered[] = []
      for (const query of some(readQueries()))
        answered.push({ query, answer: await engine.search(query.text) })
      const unanswered: Unanswered[] = []
      for (const query of some(readUnanswerable()))
        unanswered.push({ query, answer: await engine.search(query.text) })
      rows.push(rowOf(engine.name, score(answered, unanswered)))
    } finally {
      await engine.close?.()
    }
  }
  return [{ title: 'symptom-fix', rows }]
}
