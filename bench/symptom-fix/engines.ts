import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import snowball from 'snowball-stemmers'
import { startPostgres } from '../../test/support/postgres.ts'
import { type ModelServer, settleVectors, startModel } from '../lib/embeddings.ts'
import { call, fillCards, openVault, register, settleIndex } from '../lib/vault.ts'
import { type Card, textOf } from './data.ts'
import type { Engine } from './score.ts'

/** The engines that are asked, ours first. A function that returns undefined lacks its package. */

const stemmer = snowball.newStemmer('english')
const STOP = new Set(
  'a an and are as at be by for from has have i in is it its my of on or our so that the this to was we when while with you'.split(
    ' ',
  ),
)

/** Words as a textbook cuts them: runs of letters and digits in lower case. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Words of a query or a text without stop words, as stems. */
const stemsOf = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !STOP.has(word))
    .map((word) => stemmer.stem(word))

const MAX_FOUND = 50
/** The longest query that search takes. */
const MAX_QUERY = 20_000

type Hit = { card_id: string; score: number; weak?: boolean }

/** Our search, used as a client does: POST /api/v1/search over own cards, where weak results are shown and marked. */
async function knowledgeVault(cards: readonly Card[], model?: ModelServer): Promise<Engine> {
  const vault = await openVault('sqlite', model?.env)
  const owner = await register(vault.url, 'benchmark')
  const ids = await fillCards(
    vault.url,
    owner,
    cards.map(({ fix, id: _, ...card }) => ({ ...card, fix_summary: fix })),
  )
  await settleIndex(vault)
  if (model) await settleVectors(vault)
  const idOf = new Map(ids.map((id, n) => [id, (cards[n] as Card).id]))
  const search = async (query: string) => {
    const body = { query: query.slice(0, MAX_QUERY), limit: MAX_FOUND }
    const { results } = await call(vault.url, 'POST', '/api/v1/search', body, owner.headers)
    const hits: Hit[] = results
    return hits.map(({ card_id, score, weak = false }) => ({ id: idOf.get(card_id) ?? '', score, weak }))
  }
  return { name: '**Knowledge Vault**', search, close: vault.stop }
}

/** The same search with a small model beside it. */
export async function withModel(cards: readonly Card[]): Promise<Engine> {
  const model = await startModel()
  const { search, close } = await knowledgeVault(cards, model)
  const stop = async () => {
    await close?.()
    await model.stop()
  }
  return { name: 'Knowledge Vault and a small model', search, close: stop }
}

const [K1, B] = [1.2, 0.75]

/** Textbook BM25: stems, one field, no correction of words. */
function flatBm25(cards: readonly Card[]): Engine {
  const postings = new Map<string, Map<number, number>>()
  const lengths = cards.map((card, at) => {
    const stems = stemsOf(textOf(card))
    for (const stem of stems) {
      const list = postings.get(stem) ?? new Map<number, number>()
      postings.set(stem, list.set(at, (list.get(at) ?? 0) + 1))
    }
    return stems.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / cards.length
  const search = (query: string) => {
    const scores = new Map<number, number>()
    for (const stem of stemsOf(query)) {
      const list = postings.get(stem) ?? new Map<number, number>()
      const rarity = Math.log(1 + (cards.length - list.size + 0.5) / (list.size + 0.5))
      for (const [at, times] of list) {
        const damping = K1 * (1 - B + (B * (lengths[at] as number)) / average)
        scores.set(at, (scores.get(at) ?? 0) + (rarity * times * (K1 + 1)) / (times + damping))
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .map(([at, score]) => ({ id: (cards[at] as Card).id, score }))
  }
  return { name: 'flat BM25 (1.2/.75), stems', search }
}

/** SQLite's own full text index: Porter stems, all words ORed, its bm25 with the title twice. */
function sqliteFts5(cards: readonly Card[]): Engine {
  const db = new DatabaseSync(':memory:')
  db.exec(`create virtual table cards using fts5(id unindexed, title, symptom, root_cause, fix, tags,
    tokenize='porter unicode61')`)
  const insert = db.prepare('insert into cards values (?, ?, ?, ?, ?, ?)')
  for (const card of cards)
    insert.run(card.id, card.title, card.symptom, card.root_cause, card.fix, card.tags.join(' '))
  const select = db.prepare(`select id, -bm25(cards, 0, 2, 1, 1, 1, 1) as score from cards
    where cards match ? order by rank limit 50`)
  const search = (query: string) => {
    const words = [...new Set(wordsOf(query))].map((word) => `"${word}"`)
    if (words.length === 0) return []
    const rows = select.all(words.join(' OR ')) as { id: string; score: number }[]
    return rows.map(({ id, score }) => ({ id, score })).sort((a, b) => b.score - a.score)
  }
  return { name: 'SQLite FTS5, words ORed, bm25', search, close: async () => db.close() }
}

/** PostgreSQL's own full text search: English dictionary, title and symptom weighted, all words ORed, ts_rank. */
async function postgresFts(cards: readonly Card[]): Promise<Engine> {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  await client.query(`create table symptom_fix_cards (id text primary key, words tsvector)`)
  for (const card of cards)
    await client.query(
      `insert into symptom_fix_cards values ($1, setweight(to_tsvector('english', $2), 'A')
        || setweight(to_tsvector('english', $3), 'B') || to_tsvector('english', $4))`,
      [card.id, card.title, card.symptom, [card.root_cause, card.fix, card.tags.join(' ')].join('\n')],
    )
  const search = async (query: string) => {
    const { rows } = await client.query<{ id: string; score: number }>(
      `with asked as (
         select to_tsquery('simple', string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')) as words
         from unnest(tsvector_to_array(to_tsvector('english', $1))) as lexeme)
       select id, ts_rank(symptom_fix_cards.words, asked.words, 1) as score
       from symptom_fix_cards, asked where symptom_fix_cards.words @@ asked.words
       order by score desc, id limit 50`,
      [query.replaceAll('\0', ' ')],
    )
    return rows
  }
  const close = async () => {
    await client.end()
    await server.destroy()
  }
  return { name: 'PostgreSQL full text, words ORed, ts_rank', search, close }
}

/** The packages of other engines are installed only in this folder: `npm ci --prefix bench/symptom-fix`. */
const require = createRequire(import.meta.url)

function loadPackage<T>(name: string): T | undefined {
  try {
    return require(name) as T
  } catch {
    console.error(
      `${name} is not installed, so it is left out: npm ci --ignore-scripts --prefix bench/symptom-fix`,
    )
    return undefined
  }
}

const FIELDS = ['title', 'symptom', 'root_cause', 'fix', 'tags']

type Flat = Record<string, string>
const flatOf = ({ environment: _, tags, ...card }: Card): Flat => ({ ...card, tags: tags.join(' ') })

type MiniSearch = {
  addAll: (documents: readonly Flat[]) => void
  search: (query: string) => { id: string; score: number }[]
}
type MiniSearchClass = new (options: object) => MiniSearch

/** As its guide recommends for typos: fuzzy terms up to a fifth of their length, prefixes, the title boosted. */
function miniSearch(cards: readonly Card[]): Engine | undefined {
  const Index = loadPackage<MiniSearchClass>('minisearch')
  if (!Index) return undefined
  const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 2 } }
  const index = new Index({ fields: FIELDS, searchOptions })
  index.addAll(cards.map(flatOf))
  return { name: 'minisearch 7.2, fuzzy .2, prefix', search: (query) => index.search(query) }
}

type LunrBuilder = {
  ref: (field: string) => void
  field: (name: string, options?: object) => void
  add: (document: Flat) => void
}
type LunrQuery = { term: (term: string, options: object) => void }
type LunrIndex = { query: (build: (query: LunrQuery) => void) => { ref: string; score: number }[] }
type Lunr = (build: (this: LunrBuilder) => void) => LunrIndex

/** Shorter words have too many neighbours. */
const MIN_FUZZY_LENGTH = 5

function lunr(cards: readonly Card[]): Engine | undefined {
  const make = loadPackage<Lunr>('lunr')
  if (!make) return undefined
  const index = make(function () {
    this.ref('id')
    for (const field of FIELDS) this.field(field, field === 'title' ? { boost: 2 } : {})
    for (const card of cards) this.add(flatOf(card))
  })
  const search = (query: string) => {
    const words = [...new Set(wordsOf(query))]
    const hits = index.query((asked) => {
      for (const word of words) {
        asked.term(word, { boost: 4 })
        if (word.length >= MIN_FUZZY_LENGTH) asked.term(word, { editDistance: 1, usePipeline: false })
      }
    })
    return hits.map(({ ref, score }) => ({ id: ref, score }))
  }
  return { name: 'lunr 2.3, words and one edit', search }
}

/** A further engine is added here. */
export const ENGINES: ((cards: readonly Card[]) => Engine | undefined | Promise<Engine>)[] = [
  knowledgeVault,
  flatBm25,
  sqliteFts5,
  postgresFts,
  miniSearch,
  lunr,
]
