import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tokens } from '../../src/text/analyse.ts'
import { fold } from '../../src/text/fold.ts'
import { rarity } from '../../src/text/query.ts'
import { STOP_WORDS } from '../../src/text/terms.ts'
import type { Card } from './vault.ts'

/** A judged collection: texts, questions, and which text answers which question. */
export type Collection = {
  name: string
  texts: Text[]
  queries: Query[]
  judgements: Judgements
}

export type Text = { _id: string; title?: string; text: string }
export type Query = { _id: string; text: string }

export const linesOf = <T>(file: string): T[] =>
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

/** A folder has corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (query-id, corpus-id, score). */
export function readCollection(folder: string): Collection {
  const judgements = judgementsIn(join(folder, 'qrels.tsv'))
  return {
    name: basename(folder),
    texts: linesOf<Text>(join(folder, 'corpus.jsonl')),
    queries: linesOf<Query>(join(folder, 'queries.jsonl')).filter(({ _id }) => judgements.has(_id)),
    judgements,
  }
}

/** The given number of queries, spread evenly and the same each time. */
export const sampleOf = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most
    ? [...all]
    : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as T)

/** Returns the title of a text, or its first line. */
const titleOf = ({ title, text }: Text): string => title || (text.split('\n')[0] ?? '').slice(0, 120) || '-'

/** A text as a card. */
export const cardOf = (text: Text): Card => ({ title: titleOf(text), symptom: text.text, fix_summary: '' })

const SENTENCE_END = /(?<=[.!?。])\s+|(?<=。)|\n+|(?<= \.)\s/
const MIN_HALF_LENGTH = 8

/**
 * Whole questions: every second sentence of a text is the question, with its title, and the others are the card that
 * answers it, so no sentence stands on both sides.
 */
export function halved({ name, texts }: Collection, most: number): Collection {
  const asked = new Map<string, string>()
  const kept = texts.map((text): Text => {
    const sentences = text.text.split(SENTENCE_END).filter((sentence) => sentence.trim() !== '')
    const even = sentences.filter((_, i) => i % 2 === 0).join(' ')
    const odd = sentences.filter((_, i) => i % 2 === 1).join(' ')
    if (sentences.length < 2 || odd.length < MIN_HALF_LENGTH || even.length < MIN_HALF_LENGTH) return text
    asked.set(text._id, `${text.title ?? ''}\n${even}`)
    return { _id: text._id, title: odd.split(' ').slice(0, 8).join(' ').slice(0, 60), text: odd }
  })
  const queries = sampleOf([...asked], most).map(([_id, text]) => ({ _id, text }))
  return {
    name: `${name}, halved`,
    texts: kept,
    queries,
    judgements: new Map(queries.map(({ _id }) => [_id, new Map([[_id, 1]])])),
  }
}

export type Judgements = Map<string, Map<string, number>>

export type QueryScore = { ndcg10: number; recall10: number; mrr10: number; isBlank: boolean }

const DEPTH = 10

/** As trec_eval counts: linear gain, discounted by the logarithm of the rank. */
const discountedGain = (gains: readonly number[]) =>
  gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0)

export function scoreQuery(found: readonly string[], relevant: ReadonlyMap<string, number>): QueryScore {
  const top = found.slice(0, DEPTH).map((id) => relevant.get(id) ?? 0)
  const ideal = [...relevant.values()].sort((a, b) => b - a).slice(0, DEPTH)
  const first = top.findIndex((gain) => gain > 0)
  return {
    ndcg10: discountedGain(top) / discountedGain(ideal),
    recall10: top.filter((gain) => gain > 0).length / relevant.size,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
    isBlank: found.length === 0,
  }
}

/** Means over queries. */
export function meansOf(scores: readonly QueryScore[]): Record<string, string> {
  const mean = (pick: (score: QueryScore) => number) =>
    (scores.reduce((sum, score) => sum + pick(score), 0) / Math.max(1, scores.length)).toFixed(3)
  return {
    'nDCG@10': mean((score) => score.ndcg10),
    'recall@10': mean((score) => score.recall10),
    'MRR@10': mean((score) => score.mrr10),
    'no result': mean((score) => (score.isBlank ? 1 : 0)),
  }
}

export type FlatBm25 = (query: string, depth: number) => string[]

/** Textbook BM25: stems, one field, every word of the query as often as it occurs. */
export function flatBm25({ texts }: Collection, { k1, b } = { k1: 1.2, b: 0.75 }): FlatBm25 {
  const postings = new Map<string, { at: number; times: number }[]>()
  const lengths = texts.map((text, at) => {
    const terms = stemsOf(`${titleOf(text)}\n${text.text}`)
    const times = new Map<string, number>()
    for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1)
    for (const [term, n] of times) {
      const list = postings.get(term) ?? []
      postings.set(term, list)
      list.push({ at, times: n })
    }
    return terms.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return (query, depth) => {
    const scores = new Map<number, number>()
    for (const term of stemsOf(query, true)) {
      const list = postings.get(term) ?? []
      const worth = rarity(list.length, texts.length)
      for (const { at, times } of list) {
        const damping = k1 * (1 - b + (b * (lengths[at] ?? 0)) / average)
        scores.set(at, (scores.get(at) ?? 0) + (worth * times * (k1 + 1)) / (times + damping))
      }
    }
    return [...scores]
      .sort((x, y) => y[1] - x[1])
      .slice(0, depth)
      .map(([at]) => texts[at]?._id ?? '')
  }
}

/** One term for a token: identifiers are not split. */
function stemsOf(text: string, isQuery = false): string[] {
  return tokens(text)
    .filter(({ start, end }) => !isQuery || !STOP_WORDS.has(fold(text.slice(start, end))))
    .map(({ terms }) => terms.at(-1) ?? '')
}

/** The chance that a score of `present` is higher than one of `absent`; equals count half. */
export function areaUnderCurve(present: readonly number[], absent: readonly number[]): number {
  const scores = [
    ...present.map((score) => ({ score, isPresent: true })),
    ...absent.map((score) => ({ score, isPresent: false })),
  ]
  let [below, area] = [0, 0]
  for (const [, tied] of [...Map.groupBy(scores, ({ score }) => score)].sort(([a], [b]) => a - b)) {
    const lost = tied.filter(({ isPresent }) => !isPresent).length
    area += (tied.length - lost) * (below + lost / 2)
    below += lost
  }
  return area / Math.max(1, present.length * absent.length)
}

export const percent = (part: number, whole = 1): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
