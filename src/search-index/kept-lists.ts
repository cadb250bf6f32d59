import type { Database } from '../db/db.ts'
import type { PostingRow } from './postings.ts'

/** What a process keeps of posting lists, at most. All lists of about 100,000 cards fit in. */
const MOST_BYTES = 24 * 2 ** 20
/** What a row takes besides its bytes, about. */
const ROW_BYTES = 300

const bytesOf = (rows: readonly PostingRow[]): number =>
  rows.reduce((sum, { docs }) => sum + docs.length + ROW_BYTES, ROW_BYTES)

/**
 * Rows of posting lists that this process has read, so that the next search need not read them. Lists change only where
 * documents are folded and runs are merged, and every such transaction counts up `search_totals.list_changes`: rows are
 * good for the state at which they were read, and for no other.
 */
export class KeptLists {
  #state = -1
  /** What was asked for lately; the others go when these fill half of the room. */
  #recent = new Map<number, readonly PostingRow[]>()
  #earlier = new Map<number, readonly PostingRow[]>()
  #recentBytes = 0

  rowsOf(state: number, key: number): readonly PostingRow[] | undefined {
    if (state !== this.#state) return undefined
    const recent = this.#recent.get(key)
    if (recent) return recent
    const earlier = this.#earlier.get(key)
    if (earlier) this.#add(key, earlier)
    return earlier
  }

  keep(state: number, key: number, rows: readonly PostingRow[]): void {
    // A replica may be behind: what it says is true of its own state and not kept.
    if (state < this.#state) return
    if (state > this.#state) {
      this.#state = state
      this.#earlier.clear()
      this.#recent.clear()
      this.#recentBytes = 0
    }
    // A driver's bytes may be a part of a larger piece of memory, which would be kept with them.
    this.#add(
      key,
      rows.map((row) => ({ ...row, docs: row.docs.slice() })),
    )
  }

  #add(key: number, rows: readonly PostingRow[]): void {
    this.#recent.set(key, rows)
    this.#recentBytes += bytesOf(rows)
    if (this.#recentBytes <= MOST_BYTES / 2) return
    this.#earlier = this.#recent
    this.#recent = new Map()
    this.#recentBytes = 0
  }
}

const kept = new WeakMap<Database, KeptLists>()

/** Those of a process and its database. */
export function keptLists(database: Database): KeptLists {
  const known = kept.get(database) ?? new KeptLists()
  kept.set(database, known)
  return known
}
