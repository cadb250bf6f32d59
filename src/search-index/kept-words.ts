import { Kept } from './kept.ts'
import type { ScopeWord } from './scope-words.ts'

const ENTRY_BYTES = 200
const CHARACTER_BYTES = 2
/** A word of a scope has its text and its trigrams. */
const SCOPE_WORD_BYTES = 300
const GRAM_BYTES = 8
/** Some thousands of words may have the same trigrams. */
const SHARES = { found: 0.5, spellings: 0.25, ofScopes: 0.25 }
/** Counts that change without changing their sums are noticed after this time. */
const VALID_MS = 10_000

/**
 * Words that were looked up by their trigrams. A lookup may take milliseconds, and people and agents ask for the same
 * unknown words again. Which words there are changes only when changes are counted in, and that changes the totals
 * (`VisibleCounts.state`); so what was found is valid for one state of them.
 */
export class KeptWords {
  #state = ''
  #until = Number.NEGATIVE_INFINITY
  readonly #found: Kept<Uint32Array, string>
  /** The text of a word by its number; it never changes. */
  readonly spellings: Kept<string>
  /** Words of small scopes by their numbers. */
  readonly ofScopes: Kept<ScopeWord>

  constructor(mostBytes: number) {
    this.#found = new Kept(mostBytes * SHARES.found, (hashes) => ENTRY_BYTES + hashes.byteLength)
    this.spellings = new Kept(
      mostBytes * SHARES.spellings,
      (word) => ENTRY_BYTES + CHARACTER_BYTES * word.length,
    )
    this.ofScopes = new Kept(
      mostBytes * SHARES.ofScopes,
      ({ word, grams }) => SCOPE_WORD_BYTES + CHARACTER_BYTES * word.length + GRAM_BYTES * grams.length,
    )
  }

  /** The numbers of the words that were found by a question at this state. */
  async found(state: string, question: string, find: () => Promise<number[]>): Promise<Uint32Array> {
    if (state !== this.#state || performance.now() > this.#until) {
      this.#state = state
      this.#until = performance.now() + VALID_MS
      this.#found.clear()
    }
    const known = this.#found.get(question)
    if (known) return known
    const hashes = Uint32Array.from(await find())
    // Another search may have seen another state while this one was waiting.
    if (state === this.#state) this.#found.keep(question, hashes)
    return hashes
  }
}
