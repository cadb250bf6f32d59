import { parseArgs } from 'node:util'
import { FLOOR } from '../src/features/search/confidence.ts'
import { dialogues } from './memory/dialogues.ts'
import { fillWith } from './memory/fill.ts'
import { type Collection, readCollection, sampleOf } from './search/collections.ts'
import { flatBm25 } from './search/flat-bm25.ts'
import { mean, type QueryScore, scoreQuery } from './search/measures.ts'
import { withTypos } from './search/typos.ts'
import { type Account, type BenchVault, openVault, register } from './search/vault.ts'
import { report } from './support/report.ts'
import { areaUnderCurve } from './symptom-fix/score.ts'

const usage = `npm run eval:memory -- [<folder> …] [--engine sqlite|postgres] [--events n] [--queries n] [--clean]

Quality of ranked memory search beside flat BM25 (1.2/.75): texts are the events of one project, and questions are asked
through GET /api/v1/project-context/search, as they are and (not with --clean) with typos. Always asked: dialogues made from templates. A folder has corpus.jsonl,
queries.jsonl and qrels.tsv; all folders together are a further project, in which each of them asks its own questions.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    events: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '500' },
    clean: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const engine = values.engine
if (values.help || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error(usage)
  process.exit(2)
}

const DEPTH = 10
const LONGEST_QUERY = 2000
/** Because of rounding and ties, a value this much lower counts as equal. */
const TOLERANCE = 0.002

type Asked = { ours: QueryScore[]; flat: QueryScore[] }
const ndcgOf = (scores: readonly QueryScore[]) =>
  scores.reduce((sum, { ndcg10 }) => sum + ndcg10, 0) / Math.max(1, scores.length)

/** Joins several collections. Ids get the name of their collection, so that they stay different. */
function joined(collections: readonly Collection[]): Collection['texts'] {
  return collections.flatMap(({ name, texts }) =>
    texts.map((text) => ({ ...text, _id: `${name} ${text._id}` })),
  )
}

type Project = { key: string; texts: Collection['texts']; collections: readonly Collection[] }
type Hit = { raw_id: string; score: number; weak?: true }

async function find({ app }: BenchVault, owner: Account, key: string, text: string): Promise<Hit[]> {
  const query = text.slice(0, LONGEST_QUERY)
  const parameters = new URLSearchParams({ project_key: key, query, mode: 'ranked', limit: `${DEPTH}` })
  const answer = await app.server.inject({
    method: 'GET',
    url: `/api/v1/project-context/search?${parameters}`,
    headers: { authorization: `Bearer ${owner.token}` },
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
  return answer.json().results
}

/** Ranking: asks a project its own questions, and compares with flat BM25. Returns the scores of the first hits. */
async function ask(
  vault: BenchVault,
  owner: Account,
  { key, texts, collections }: Project,
): Promise<number[]> {
  const events = texts.map(({ title, text }) => ({ title: title || null, content: text }))
  const ids = await fillWith(vault.app, owner, key, events)
  const nameOf = new Map(ids.map((id, i) => [id, texts[i]?._id ?? '']))
  // An event without a title has none; a card would be titled by its first line.
  const untitled = texts.map((text) => ({ ...text, title: text.title || ' ' }))
  const flat = flatBm25({ name: key, texts: untitled, queries: [], judgements: new Map() })
  const sure: number[] = []
  for (const { name, queries, judgements } of collections)
    for (const slips of values.clean ? [false] : [false, true]) {
      const asked: Asked = { ours: [], flat: [] }
      for (const { _id, text } of sampleOf(queries, Number(values.queries))) {
        const query = slips ? withTypos(text) : text
        const relevant = new Map(
          [...(judgements.get(_id) ?? [])].map(([id, gain]) => [`${name} ${id}`, gain]),
        )
        const hits = await find(vault, owner, key, query)
        const found = hits.map((hit) => nameOf.get(hit.raw_id) ?? '')
        asked.ours.push(scoreQuery(found, relevant))
        asked.flat.push(scoreQuery(flat(query, DEPTH), relevant))
        if (!slips && relevant.has(found[0] ?? '')) sure.push(hits[0]?.score ?? 0)
      }
      tell(`${name}${slips ? ' with typos' : ''}, ${texts.length} events`, asked)
    }
  return sure
}

function tell(what: string, asked: Asked): void {
  const label = `${what}, ${asked.ours.length} questions, ${engine}`
  console.log(`${label}\n  memory    ${mean(asked.ours)}\n  flat BM25 ${mean(asked.flat)}`)
  const [ours, reference] = [ndcgOf(asked.ours), ndcgOf(asked.flat)]
  const met = ours >= reference - TOLERANCE
  report([{ what: `memory nDCG@10, ${label}`, measured: ours.toFixed(3), bar: reference.toFixed(3), met }])
  if (!met) process.exitCode = 1
}

/** Silence: asks one project the questions of another, where nothing answers. */
async function askForeign(vault: BenchVault, owner: Account, key: string, from: Project): Promise<number[]> {
  const sure: number[] = []
  for (const { queries } of from.collections)
    for (const { text } of sampleOf(queries, Number(values.queries))) {
      const [first] = await find(vault, owner, key, text)
      sure.push(first?.score ?? 0)
    }
  return sure
}

const vault = await openVault(engine)
try {
  const owner = await register(vault.app, 'evaluator')
  const made = dialogues(Number(values.events), Number(values.queries))
  const projects: Project[] = [{ key: 'eval/dialogues', texts: joined([made]), collections: [made] }]
  if (positionals.length > 0) {
    const collections = positionals.map(readCollection)
    projects.push({ key: 'eval/texts', texts: joined(collections), collections })
  }
  const right: number[] = []
  for (const project of projects) right.push(...(await ask(vault, owner, project)))
  const foreign: number[] = []
  for (const project of projects)
    for (const other of projects)
      if (other !== project) foreign.push(...(await askForeign(vault, owner, project.key, other)))
  const share = (scores: readonly number[]) =>
    (scores.filter((score) => score >= FLOOR).length / Math.max(1, scores.length)).toFixed(3)
  console.log(`above the floor: ${share(right)} of ${right.length} right first hits`)
  if (foreign.length > 0)
    console.log(
      `  ${share(foreign)} of ${foreign.length} foreign questions, AUC ${areaUnderCurve(right, foreign).toFixed(3)}`,
    )
} finally {
  await vault.destroy()
}
