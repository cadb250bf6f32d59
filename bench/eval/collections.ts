import { parseArgs } from 'node:util'
import {
  type Collection,
  cardOf,
  flatBm25,
  halved,
  meansOf,
  type QueryScore,
  readCollection,
  sampleOf,
  scoreQuery,
} from '../lib/collections.ts'
import { type ModelServer, settleVectors, startModel } from '../lib/embeddings.ts'
import { type Table, UsageError } from '../lib/measure.ts'
import { repeatedThrice, withTypos, wrappedInNoise } from '../lib/texts.ts'
import { call, type Engine, engineOf, fillCards, openVault, register, settleIndex } from '../lib/vault.ts'
import { fitConfidence } from './confidence.ts'

const USAGE = `npm run eval -- collections <folder> … [--engine sqlite|postgres] [--kind clean|typos|noise|repeated|whole] [--queries n] [--model]
npm run eval -- collections --fit <folder> … [--code folder] [--draw docs/search-confidence.svg]

A folder has corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (query-id, corpus-id, score).
  clean     queries as they are
  typos     a slip in every second longer word
  noise     wrapped in what a terminal writes: times, addresses, ids, bars, frames
  repeated  said three times
  whole     every second sentence of a text is the question, the others are the card
--model searches a second time with a small English model beside the words.
--fit asks all collections and symptom-fix their own queries and those of the others, and fits the confidence.`

const KINDS: Record<string, (text: string, seed: number) => string> = {
  clean: (text) => text,
  typos: withTypos,
  noise: wrappedInNoise,
  repeated: repeatedThrice,
  whole: (text) => text,
}

const MAX_FOUND = 50
const MAX_WHOLE = 2000
/** The longest query that search takes. */
const MAX_QUERY = 20_000

type Judged = { text: string; relevant: ReadonlyMap<string, number> }

/** Scores our search over an own vault, with the model beside it where there is one. */
async function scoresOf(
  { texts }: Collection,
  engine: Engine,
  queries: readonly Judged[],
  model?: ModelServer,
): Promise<QueryScore[]> {
  const vault = await openVault(engine, model?.env)
  try {
    const { headers, ...owner } = await register(vault.url, 'evaluator')
    const ids = await fillCards(vault.url, { headers, ...owner }, texts.map(cardOf))
    await settleIndex(vault)
    if (model) await settleVectors(vault)
    const nameOf = new Map(ids.map((id, n) => [id, texts[n]?._id ?? '']))
    const scores: QueryScore[] = []
    for (const { text, relevant } of queries) {
      const body = { query: text.slice(0, MAX_QUERY).padEnd(3), limit: MAX_FOUND }
      const { results } = await call(vault.url, 'POST', '/api/v1/search', body, headers)
      const found = results.map((result: { card_id: string }) => nameOf.get(result.card_id) ?? '')
      scores.push(scoreQuery(found, relevant))
    }
    return scores
  } finally {
    await vault.stop()
  }
}

async function evaluate(
  collection: Collection,
  engine: Engine,
  queries: readonly Judged[],
  model?: ModelServer,
): Promise<Table['rows']> {
  const flat = flatBm25(collection)
  const scores: Record<string, QueryScore[]> = {
    search: await scoresOf(collection, engine, queries),
    ...(model ? { 'search with a model': await scoresOf(collection, engine, queries, model) } : {}),
    'flat BM25': queries.map(({ text, relevant }) => scoreQuery(flat(text, MAX_FOUND), relevant)),
  }
  return Object.entries(scores).map(([by, some]) => ({
    collection: collection.name,
    cards: collection.texts.length,
    queries: queries.length,
    by,
    ...meansOf(some),
  }))
}

export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'sqlite' },
      kind: { type: 'string', default: 'clean' },
      queries: { type: 'string' },
      fit: { type: 'boolean', default: false },
      model: { type: 'boolean', default: false },
      code: { type: 'string', multiple: true, default: [] },
      draw: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { kind, quick, code, draw } = values
  const asAsked = KINDS[kind]
  if (positionals.length + code.length === 0 || !asAsked) throw new UsageError(USAGE)
  if (values.fit) return fitConfidence({ folders: positionals, code, draw, quick })
  const engine = engineOf(values.engine)
  const most = quick ? 20 : Number(values.queries ?? Number.MAX_SAFE_INTEGER)
  const rows: Table['rows'] = []
  const model = values.model ? await startModel() : undefined
  for (const folder of positionals) {
    const judged = readCollection(folder)
    const collection = kind === 'whole' ? halved(judged, MAX_WHOLE) : judged
    const queries = sampleOf(collection.queries, most).map(({ _id, text }, seed) => ({
      text: asAsked(text, seed),
      relevant: collection.judgements.get(_id) ?? new Map<string, number>(),
    }))
    const needed = new Set(queries.flatMap(({ relevant }) => [...relevant.keys()]))
    const texts = quick
      ? collection.texts.filter(({ _id }, n) => n < 200 || needed.has(_id))
      : collection.texts
    rows.push(...(await evaluate({ ...collection, texts }, engine, queries, model)))
  }
  await model?.stop()
  return [{ title: `search over judged collections, queries ${kind}, ${engine}`, rows }]
}
