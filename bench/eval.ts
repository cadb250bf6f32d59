import { parseArgs } from 'node:util'
import { fillVault } from './search/asker.ts'
import { halved, readCollection, repeatedThrice, sampleOf, wrappedInNoise } from './search/collections.ts'
import { flatBm25 } from './search/flat-bm25.ts'
import { mean, type QueryScore, scoreQuery } from './search/measures.ts'
import { withTypos } from './search/typos.ts'

const USAGE = `npm run eval -- <folder> [<folder> …] [--engine sqlite|postgres] [--kind clean|typos|noise|repeated|whole] [--queries n]

A folder has corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (query-id, corpus-id, score).
Its texts are loaded as cards of one user, and its queries asked through POST /api/v1/search, beside flat BM25 in memory.
  clean     as they are
  typos     a slip in every second longer word
  noise     wrapped in what a terminal writes: times, addresses, ids, bars, frames
  repeated  said three times
  whole     every second sentence of a text is the question, the others are the card`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    kind: { type: 'string', default: 'clean' },
    queries: { type: 'string' },
  },
})

const KINDS: Record<string, (text: string, seed: number) => string> = {
  clean: (text) => text,
  typos: withTypos,
  noise: wrappedInNoise,
  repeated: repeatedThrice,
  whole: (text) => text,
}
const { engine, kind } = values
const asAsked = KINDS[kind]
if (positionals.length === 0 || (engine !== 'sqlite' && engine !== 'postgres') || !asAsked) {
  console.error(USAGE)
  process.exit(2)
}

const DEEPEST = 50
const MOST_WHOLE = 2000

async function evaluate(
  folder: string,
  engine: 'sqlite' | 'postgres',
  asAsked: (text: string, seed: number) => string,
): Promise<void> {
  const judged = readCollection(folder)
  const collection = kind === 'whole' ? halved(judged, MOST_WHOLE) : judged
  const { vault, owner, nameOf } = await fillVault(engine, collection)
  try {
    const queries = sampleOf(
      collection.queries,
      values.queries ? Number(values.queries) : Number.MAX_SAFE_INTEGER,
    )
    const flat = flatBm25(collection)
    const scores: { search: QueryScore[]; flat: QueryScore[] } = { search: [], flat: [] }
    for (const [seed, { _id, text }] of queries.entries()) {
      const query = asAsked(text, seed)
      const answer = await vault.app.server.inject({
        method: 'POST',
        url: '/api/v1/search',
        headers: { authorization: `Bearer ${owner.token}` },
        payload: { query: query.padEnd(3), limit: DEEPEST },
      })
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
      const found = answer.json().results.map((result: { card_id: string }) => nameOf(result.card_id))
      const relevant = collection.judgements.get(_id) ?? new Map()
      scores.search.push(scoreQuery(found, relevant))
      scores.flat.push(scoreQuery(flat(query, DEEPEST), relevant))
    }
    console.log(
      `${collection.name}, ${kind}, ${engine}: ${collection.texts.length} cards, ${queries.length} queries`,
    )
    console.log(`  search    ${mean(scores.search)}`)
    console.log(`  flat BM25 ${mean(scores.flat)}`)
  } finally {
    await vault.destroy()
  }
}

for (const folder of positionals) await evaluate(folder, engine, asAsked)
