import { createRequire } from 'node:module'
import type { Card } from '../data.ts'
import type { Engine } from '../score.ts'
import { wordsOf } from './words.ts'

/** The other engines are installed only in this folder, so they are loaded by hand, each with types for the parts we use. */
const require = createRequire(import.meta.url)

const FIELDS = ['title', 'symptom', 'root_cause', 'fix', 'tags']

type Flat = Record<string, string>
const flatOf = ({ environment: _, tags, ...card }: Card): Flat => ({ ...card, tags: tags.join(' ') })

type MiniSearch = {
  addAll: (documents: readonly Flat[]) => void
  search: (query: string) => { id: string; score: number }[]
}
type MiniSearchClass = new (options: object) => MiniSearch

/** As its guide recommends for typos: fuzzy terms up to a fifth of their length, prefixes, the title boosted. */
export function miniSearch(cards: readonly Card[]): Engine {
  const Index = require('minisearch') as MiniSearchClass
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
const SHORTEST_FUZZY = 5

export function lunr(cards: readonly Card[]): Engine {
  const make = require('lunr') as Lunr
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
        if (word.length >= SHORTEST_FUZZY) asked.term(word, { editDistance: 1, usePipeline: false })
      }
    })
    return hits.map(({ ref, score }) => ({ id: ref, score }))
  }
  return { name: 'lunr 2.3, words and one edit', search }
}
