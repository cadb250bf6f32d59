import { scan } from '../text/analyse.ts'
import { levelOf, MINOR_WEIGHT } from './term-levels.ts'

/** What is put into the index: the terms of a text with their weights, and the filters that a search may narrow by. */
export type SearchDocument = {
  words: string[]
  /** Sorted; `levels[i]` says how much `hashes[i]` occurs. */
  hashes: number[]
  levels: number[]
  /** In words, without weights, and without the minor texts: a long log does not make a document less about its subject. */
  length: number
  /** Sorted filter hashes: who may find the document, and what narrows a search to it. */
  filters: number[]
}

export type WeighedText = { text: string; weight: number }

/**
 * Scratch memory, kept between calls and never read across them: numbers sort many times faster in typed arrays, and a new
 * array for each document keeps the garbage collector busy.
 */
let scratch = new Uint32Array(4096)

function sorted(numbers: Iterable<number>, size: number): number[] {
  if (size > scratch.length) scratch = new Uint32Array(size * 2)
  let next = 0
  for (const number of numbers) scratch[next++] = number
  return Array.from(scratch.subarray(0, size).sort())
}

export type DocumentTexts = {
  texts: readonly WeighedText[]
  /** Logs and notes: a term counts once there, and the length does not grow, as logs are long and repeat themselves. */
  minorTexts: readonly string[]
  filters: number[]
}

/** Counts every term by the weight of its text. */
export function makeDocument({ texts, minorTexts, filters }: DocumentTexts): SearchDocument {
  const frequency = new Map<number, number>()
  const words: string[] = []
  let length = 0
  const add = (hash: number, term: string, weight: number) => {
    const before = frequency.get(hash)
    if (before === undefined) words.push(term)
    frequency.set(hash, (before ?? 0) + weight)
  }
  for (const { text, weight } of texts)
    scan(text, ({ hashes, terms, words: counted }) => {
      length += counted
      for (let i = 0; i < hashes.length; i++) add(hashes[i] as number, terms[i] as string, weight)
    })
  const minor = new Set<number>()
  for (const text of minorTexts)
    scan(text, ({ hashes, terms }) => {
      for (let i = 0; i < hashes.length; i++) {
        const hash = hashes[i] as number
        if (minor.has(hash)) continue
        minor.add(hash)
        add(hash, terms[i] as string, MINOR_WEIGHT)
      }
    })
  const hashes = sorted(frequency.keys(), frequency.size)
  const levels = hashes.map((hash) => levelOf(frequency.get(hash) ?? 1))
  return { words, hashes, levels, length, filters }
}
