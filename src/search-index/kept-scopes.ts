import type { ScopeBits } from './collect.ts'
import type { IndexView } from './index-view.ts'
import { Kept } from './kept.ts'
import { BLOCK_DOCUMENTS } from './postings.ts'

const SCOPE_BYTES = 300
/** Two bitmaps for each block. */
const BLOCK_BYTES = (2 * BLOCK_DOCUMENTS) / 8

type Dead = IndexView['dead']

function areSame(some: Dead, others: Dead): boolean {
  if (some.size !== others.size) return false
  for (const [block, docs] of some) {
    const other = others.get(block)
    if (!other || Buffer.compare(docs, other) !== 0) return false
  }
  return true
}

/**
 * Which documents large scopes have, by name of the scope. It follows from the posting lists and the tombstones alone, so it
 * is valid for one state of both.
 */
export class KeptScopes {
  #state = -1
  #dead: Dead = new Map()
  readonly #bits: Kept<ScopeBits, string>

  constructor(mostBytes: number) {
    this.#bits = new Kept(mostBytes, ({ blocks }) => SCOPE_BYTES + BLOCK_BYTES * blocks.size)
  }

  get({ state, dead }: IndexView, name: string): ScopeBits | undefined {
    return state === this.#state && areSame(dead, this.#dead) ? this.#bits.get(name) : undefined
  }

  keep({ state, dead }: IndexView, name: string, bits: ScopeBits): void {
    if (state !== this.#state || !areSame(dead, this.#dead)) {
      this.#state = state
      this.#dead = dead
      this.#bits.clear()
    }
    this.#bits.keep(name, bits)
  }
}
