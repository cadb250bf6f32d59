import { Kept } from './kept.ts'

const ENTRY_BYTES = 200
const CHARACTER_BYTES = 2
/** Some thousands of words may have the same trigrams. */
const SHARE_OF_FOUND = 0.75
/** Counts that change without changing their sums are noticed after this time. */
const VALID_MS = 10_000

/**
 * Words that were looked up by their trigrams. A lookup may take milliseconds, and people and agents ask for the same
 * unknown words again. Which words there are changes only when changes are counted in, and that changes the totals
 * (`VisibleCounts.state`); so what was found is valid for one state of them.
 */
export class KeptWords {
  #state = ''
  #until = 0
  readonly #found: Kept<Uint32Array, string>
  /** The text of a word by its number; it never changes. */
  readonly spellings: Kept<string>

  constructor(mostBytes: number) {
    this.#found = new Kept(mostBytes * SHARE_OF_FOUND, (hashes) => ENTRY_BYTES + hashes.byteLength)
    this.spellings = new Kept(
      mostBytes * (1 - SHARE_OF_FOUND),
      (word) => ENTRY_BYTES + CHARACTER_BYTES * word.length,
    )
  }

  /** The numbers of the words that were found by a question at this state. */
  async found(state: string, question: string, find: () => Promise<number[]>): Promise<Uint32Array> {
    if (state !== this.#state || Date.now() > this.#until) {
      this.#state = state
      this.#until = Date.now() + VALID_MS
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
