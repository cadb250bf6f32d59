import { type Card, textOf } from '../data.ts'
import type { Engine } from '../score.ts'
import { stemsOf } from './words.ts'

const [K1, B] = [1.2, 0.75]

/** Textbook BM25: stems, one field, no correction of words. */
export function flatBm25(cards: readonly Card[]): Engine {
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
