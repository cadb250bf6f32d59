import { type Emit, scan } from '../text/analyse.ts'
import { levelOf } from './term-levels.ts'

/** What is put into the index: the terms of a text with their weights, and the filters that a search may narrow by. */
export type SearchDocument = {
  words: string[]
  /** Sorted; `levels[i]` says how much `hashes[i]` occurs. */
  hashes: number[]
  levels: number[]
  /** In words, without weights. */
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

/** Reads the texts once and counts every term by the weight of its text. */
export function makeDocument(texts: readonly WeighedText[], filters: number[]): SearchDocument {
  const frequency = new Map<number, number>()
  const words: string[] = []
  let length = 0
  let weight = 1
  const count: Emit = (reading) => {
    const { hashes } = reading
    length += reading.words
    for (let i = 0; i < hashes.length; i++) {
      const hash = hashes[i] as number
      const before = frequency.get(hash)
      if (before === undefined) words.push(reading.terms[i] as string)
      frequency.set(hash, (before ?? 0) + weight)
    }
  }
  for (const part of texts) {
    weight = part.weight
    scan(part.text, count)
  }
  const hashes = sorted(frequency.keys(), frequency.size)
  const levels = hashes.map((hash) => levelOf(frequency.get(hash) ?? 1))
  return { words, hashes, levels, length, filters }
}
