import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Judgements } from './measures.ts'

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

/** Cards need a title; a text without one is titled by its first line. */
export const titleOf = ({ title, text }: Text): string =>
  title || (text.split('\n')[0] ?? '').slice(0, 120) || '-'

const SENTENCE_END = /(?<=[.!?。])\s+|(?<=。)|\n+|(?<= \.)\s/
const SHORTEST_HALF = 8

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
    if (sentences.length < 2 || odd.length < SHORTEST_HALF || even.length < SHORTEST_HALF) return text
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

const hexOf = (seed: number, digits: number) =>
  Array.from({ length: Math.ceil(digits / 8) }, (_, i) =>
    (Math.imul(seed + i + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0'),
  )
    .join('')
    .slice(0, digits)

/** What a terminal writes around the line that matters. */
export function wrappedInNoise(query: string, seed: number): string {
  const id = `${hexOf(seed, 8)}-${hexOf(seed + 1, 4)}-4${hexOf(seed + 2, 3)}-a${hexOf(seed + 3, 3)}-${hexOf(seed + 4, 12)}`
  const before = Array.from(
    { length: 12 },
    (_, i) =>
      `2031-04-${10 + i}T0${i % 10}:12:${20 + i}.${100 + i}Z [${3000 + seed + i}] 0x${hexOf(seed * 31 + i, 12)} 0x${hexOf(seed * 17 + i, 8)}`,
  )
  const after = [
    `[=========>          ] ${seed % 100}% 12.${seed % 10} MB/s`,
    `/tmp/x${hexOf(seed + 9, 6)}/${hexOf(seed + 8, 16)}`,
    ...Array.from(
      { length: 8 },
      (_, i) => `    at 0x${hexOf(seed + i, 12)} (node:internal/x:${i}:${seed % 80})`,
    ),
  ]
  return [...before, id, query, ...after].join('\n')
}

/** The same said three times, as a retry loop writes it. */
export const repeatedThrice = (query: string): string => [query, query, query].join('\n')
