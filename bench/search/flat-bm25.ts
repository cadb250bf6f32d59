import { tokens } from '../../src/text/analyse.ts'
import { rarity } from '../../src/text/bm25.ts'
import { fold } from '../../src/text/fold.ts'
import { STOP_WORDS } from '../../src/text/stopwords.ts'
import { type Collection, titleOf } from './collections.ts'

export type FlatBm25 = (query: string, depth: number) => string[]

/** Textbook BM25: stems, one field, every word of the query as often as it occurs. Search must not be worse than this. */
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
