import { termsOf } from '../src/text/analyse.ts'
import { dampingOf, gainOf, rarity } from '../src/text/bm25.ts'
import { readQuery } from '../src/text/query-words.ts'
import { type Collection, readCollection, sampleOf, type Text } from './search/collections.ts'
import { type QueryScore, scoreQuery } from './search/measures.ts'

const USAGE = `npm run eval:fields -- <folder> [<folder> …]

What a title, and the text of evidence and scope notes, should weigh beside a symptom. The second half of each text stands in for
evidence; nDCG@10 in memory, with the formula of search.`

const CARDS = { k1: 1.2, b: 0.7 }
const TITLE_WEIGHTS = [1, 1.5, 2, 3]
const EVIDENCE_WEIGHTS = [0, 0.25, 0.5, 0.75, 1]
const USUAL = { title: 2, evidence: 0.75 }
const QUERIES = 300
const DEPTH = 10

type Weights = { title: number; evidence: number }
type Document = { id: string; frequency: Map<string, number>; length: number }

/** As the index counts: a term of evidence counts once, and evidence does not make a card longer. */
function documentOf({ _id, title = '', text }: Text, { title: titleWeight, evidence }: Weights): Document {
  const middle = text.indexOf(' ', text.length / 2)
  const [symptom, log] = middle < 0 ? [text, ''] : [text.slice(0, middle), text.slice(middle)]
  const frequency = new Map<string, number>()
  const add = (term: string, weight: number) => frequency.set(term, (frequency.get(term) ?? 0) + weight)
  const [titleTerms, symptomTerms] = [termsOf(title), termsOf(symptom)]
  for (const term of titleTerms) add(term, titleWeight)
  for (const term of symptomTerms) add(term, 1)
  if (evidence > 0) for (const term of new Set(termsOf(log))) add(term, evidence)
  return { id: _id, frequency, length: titleTerms.length + symptomTerms.length }
}

function quality(collection: Collection, weights: Weights): number {
  const documents = collection.texts.map((text) => documentOf(text, weights))
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const holding = new Map<string, Document[]>()
  for (const document of documents)
    for (const term of document.frequency.keys()) {
      const list = holding.get(term)
      if (list) list.push(document)
      else holding.set(term, [document])
    }
  const scores = sampleOf(collection.queries, QUERIES).map(({ _id, text }): QueryScore => {
    const points = new Map<string, number>()
    for (const { term } of readQuery(text)) {
      const list = holding.get(term) ?? []
      const worth = rarity(list.length, documents.length)
      for (const { id, frequency, length } of list) {
        const gain = gainOf(CARDS, frequency.get(term) ?? 0, dampingOf(CARDS, length, average))
        points.set(id, (points.get(id) ?? 0) + worth * gain)
      }
    }
    const best = [...points].sort((a, b) => b[1] - a[1]).slice(0, DEPTH)
    return scoreQuery(
      best.map(([id]) => id),
      collection.judgements.get(_id) ?? new Map(),
    )
  })
  return scores.reduce((sum, { ndcg10 }) => sum + ndcg10, 0) / scores.length
}

const folders = process.argv.slice(2)
if (folders.length === 0) {
  console.error(USAGE)
  process.exit(2)
}
for (const folder of folders) {
  const collection = readCollection(folder)
  const line = (name: string, all: readonly Weights[], pick: (weights: Weights) => number) =>
    console.log(
      `${collection.name} ${name}: ${all.map((weights) => `${pick(weights)} → ${quality(collection, weights).toFixed(4)}`).join(', ')}`,
    )
  line(
    'title',
    TITLE_WEIGHTS.map((title) => ({ ...USUAL, title })),
    ({ title }) => title,
  )
  line(
    'evidence',
    EVIDENCE_WEIGHTS.map((evidence) => ({ ...USUAL, evidence })),
    ({ evidence }) => evidence,
  )
}
