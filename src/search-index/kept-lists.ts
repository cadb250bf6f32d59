import { Kept } from './kept.ts'
import type { ReadRow } from './read-lists.ts'

/** About how many bytes a row takes besides its numbers. */
const ROW_BYTES = 300

const bytesOf = (rows: readonly ReadRow[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes + ROW_BYTES, ROW_BYTES)

/**
 * Posting lists that this process has read, so that the next search need not read and decode them again. Lists change only
 * when documents are folded or runs are merged, and every such transaction increments `search_totals.list_changes`. Rows
 * are valid only for the value of that counter at which they were read.
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
    // A replica may be behind. Its rows belong to an older state, so they are not kept.
    if (state < this.#state) return
    if (state > this.#state) {
      this.#state = state
      this.#rows.clear()
    }
    this.#rows.keep(key, rows)
  }
}
