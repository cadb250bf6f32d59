import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { contextFor } from '../src/core/context.ts'
import { retrieve } from '../src/features/search/retrieve.ts'
import { documentsByNumber } from '../src/search-index/index.ts'
import { queryTerms } from '../src/text/analyse.ts'
import { loadCards } from './search/load.ts'
import { type Judgements, mean, scoreQuery } from './search/measures.ts'
import { withTypos } from './search/typos.ts'
import { openVault, register } from './search/vault.ts'

const USAGE = `npm run eval -- <folder> [<folder> …] [--engine sqlite|postgres] [--typos] [--queries n]

A folder has corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (query-id, corpus-id, score).
Its texts are loaded as cards of one user, and its queries asked through POST /api/v1/search.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    typos: { type: 'boolean', default: false },
    queries: { type: 'string' },
  },
})
const engine = values.engine
if (positionals.length === 0 || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error(USAGE)
  process.exit(2)
}

type Text = { _id: string; title?: string; text: string }

const linesOf = (file: string): Text[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

function judgementsIn(file: string): Judgements {
  const judgements: Judgements = new Map()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [query, document, score] = line.trim().split('\t')
    if (query === undefined || document === undefined || !(Number(score) > 0)) continue
    const relevant = judgements.get(query) ?? new Map()
    judgements.set(query, relevant.set(document, Number(score)))
  }
  return judgements
}

/** Cards need a title; a text without one is titled by its first line. */
const titleOf = ({ title, text }: Text) => title || (text.split('\n')[0] ?? '').slice(0, 120) || '-'

const DEEPEST = 50

async function evaluate(folder: string, engine: 'sqlite' | 'postgres'): Promise<void> {
  const vault = await openVault(engine)
  try {
    const { app } = vault
    const owner = await register(app, 'evaluator')
    const corpus = linesOf(join(folder, 'corpus.jsonl'))
    const cards = corpus.map((text) => ({
      title: titleOf(text),
      symptom: text.text,
      fix_summary: '',
      root_cause: '',
      tags: [],
      environment: {},
    }))
    const names = new Map<string, string>()
    const target = { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' as const }
    await loadCards(app.services, cards, () => target, {
      onCard: (cardId, i) => names.set(cardId, corpus[i]?._id ?? ''),
    })

    const judgements = judgementsIn(join(folder, 'qrels.tsv'))
    const queries = linesOf(join(folder, 'queries.jsonl'))
      .filter((query) => judgements.has(query._id))
      .slice(0, values.queries ? Number(values.queries) : undefined)
    const ctx = contextFor(app.services)
    const scope = {
      viewerId: owner.userId,
      scope: 'personal' as const,
      workspaceIds: [],
      tags: [],
      environment: {},
      track: undefined,
    }
    const asked = {
      search: [] as ReturnType<typeof scoreQuery>[],
      words: [] as ReturnType<typeof scoreQuery>[],
    }
    for (const { _id, text } of queries) {
      const relevant = judgements.get(_id) ?? new Map()
      const query = values.typos ? withTypos(text) : text
      const answer = await app.server.inject({
        method: 'POST',
        url: '/api/v1/search',
        headers: { authorization: `Bearer ${owner.token}` },
        payload: { query: query.padEnd(3), limit: DEEPEST },
      })
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
      const found = answer
        .json()
        .results.map((result: { card_id: string }) => names.get(result.card_id) ?? '')
      asked.search.push(scoreQuery(found, relevant))
      const alone = await retrieve(ctx, queryTerms(query), scope, 'words')
      const first = alone.hits.slice(0, DEEPEST).map((hit) => hit.docNo)
      const cards = new Map(
        (await documentsByNumber(ctx, first)).map((card) => [card.docNo, card.documentId]),
      )
      asked.words.push(
        scoreQuery(
          first.map((docNo) => names.get(cards.get(docNo) ?? '') ?? ''),
          relevant,
        ),
      )
    }
    const label = `${basename(folder)}${values.typos ? ' with typos' : ''}, ${engine}`
    console.log(`${label}: ${corpus.length} cards, ${queries.length} queries`)
    console.log(`  search      ${mean(asked.search)}`)
    console.log(`  words alone ${mean(asked.words)}`)
  } finally {
    await vault.destroy()
  }
}

for (const folder of positionals) await evaluate(folder, engine)
