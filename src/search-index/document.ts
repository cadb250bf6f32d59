import type { Pieces } from '../shared/pieces.ts'
import { piecesOf, scan } from '../text/analyse.ts'
import { levelOf, MINOR_WEIGHT } from './packing.ts'

export type DocumentWords = {
  words: string[]
  /** Sorted; `levels[i]` belongs to `hashes[i]`. */
  hashes: number[]
  levels: number[]
  /** Excludes minor texts: a long log does not make a document less about its subject. */
  length: number
  unread: string
}

export type SearchDocument = DocumentWords & {
  /** Sorted filter hashes: who may find the document, and what narrows a search to it. */
  filters: number[]
}

export type WeighedText = { text: string; weight: number }

export type DocumentTexts = {
  /** Texts with priority: all of their words are indexed. */
  mainTexts: readonly WeighedText[]
  texts: readonly WeighedText[]
  /** Logs and notes: a term counts once and does not add to the length. */
  minorTexts: readonly string[]
}

/** How many different words `mainTexts` may have; ten times what a long symptom and fix have. */
export const MAX_MAIN_WORDS = 4000
/** How many different words `texts` and `minorTexts` may add; 300 KB of plain text have about as many. */
export const MAX_FURTHER_WORDS = 5000

/** Never read across calls: typed arrays sort faster, and reuse spares the garbage collector. */
let scratch = new Uint32Array(4096)

function sorted(numbers: Iterable<number>, size: number): number[] {
  if (size > scratch.length) scratch = new Uint32Array(size * 2)
  let next = 0
  for (const number of numbers) scratch[next++] = number
  return Array.from(scratch.subarray(0, size).sort())
}

class Words {
  readonly words: string[] = []
  readonly #frequency = new Map<number, number>()
  readonly #minor = new Set<number>()
  #most = MAX_MAIN_WORDS
  length = 0
  isPartial = false

  limit(further: number): void {
    this.#most = this.#frequency.size + further
    this.isPartial = false
  }

  read(text: string, weight: number): void {
    scan(text, ({ hashes, terms, words }) => {
      this.length += words
      for (let i = 0; i < hashes.length; i++) this.#add(hashes[i] as number, terms[i] as string, weight)
    })
  }

  readMinor(text: string): void {
    scan(text, ({ hashes, terms }) => {
      for (let i = 0; i < hashes.length; i++) {
        const hash = hashes[i] as number
        if (this.#minor.has(hash)) continue
        if (this.#add(hash, terms[i] as string, MINOR_WEIGHT)) this.#minor.add(hash)
      }
    })
  }

  #add(hash: number, term: string, weight: number): boolean {
    const before = this.#frequency.get(hash)
    if (before === undefined) {
      if (this.#frequency.size >= this.#most) {
        this.isPartial = true
        return false
      }
      this.words.push(term)
    }
    this.#frequency.set(hash, (before ?? 0) + weight)
    return true
  }

  counted(): Omit<DocumentWords, 'unread'> {
    const { words, length } = this
    const hashes = sorted(this.#frequency.keys(), this.#frequency.size)
    const levels = hashes.map((hash) => levelOf(this.#frequency.get(hash) ?? 1))
    return { words, hashes, levels, length }
  }
}

const PAUSED_AFTER = 4096

/**
 * Counts terms by the weight of their text, in pieces, so that other requests go on. Call it before the
 * transaction, or other writers wait. Stops reading main texts, and then the others, at the first omitted word.
 */
export function* countWords({ mainTexts, texts, minorTexts }: DocumentTexts): Pieces<DocumentWords> {
  const words = new Words()
  const unread: string[] = []
  let unpaused = 0
  function* readAll(text: string, read: (piece: string) => void): Pieces<void> {
    for (const { from, piece } of piecesOf(text)) {
      if (!words.isPartial) read(piece)
      if (words.isPartial) {
        unread.push(text.slice(from))
        return
      }
      unpaused += piece.length
      if (unpaused < PAUSED_AFTER) continue
      unpaused = 0
      yield
    }
  }
  for (const { text, weight } of mainTexts) yield* readAll(text, (piece) => words.read(piece, weight))
  words.limit(MAX_FURTHER_WORDS)
  for (const { text, weight } of texts) yield* readAll(text, (piece) => words.read(piece, weight))
  for (const text of minorTexts) yield* readAll(text, (piece) => words.readMinor(piece))
  return { ...words.counted(), unread: unread.join('\n') }
}
