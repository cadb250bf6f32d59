import { Kept } from './kept.ts'
import type { ReadRow } from './read-lists.ts'

/** What a row takes besides its numbers, about. */
const ROW_BYTES = 300

const bytesOf = (rows: readonly ReadRow[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes + ROW_BYTES, ROW_BYTES)

/**
 * Posting lists that this process has read, so that the next search need not read and decode them. Lists change only where
 * documents are folded and runs are merged, and every such transaction counts up `search_totals.list_changes`: rows are
 * good for the state at which they were read, and for no other.
 */
export class KeptLists {
  #state = -1
  readonly #rows: Kept<readonly ReadRow[]>

  constructor(mostBytes: number) {
    this.#rows = new Kept(mostBytes, bytesOf)
  }

  rowsOf(state: number, key: number): readonly ReadRow[] | undefined {
    return state === this.#state ? this.#rows.get(key) : undefined
  }

  keep(state: number, key: number, rows: readonly ReadRow[]): void {
    // A replica may be behind: what it says is true of its own state and not kept.
    if (state < this.#state) return
    if (state > this.#state) {
      this.#state = state
      this.#rows.clear()
    }
    this.#rows.keep(key, rows)
  }
}
