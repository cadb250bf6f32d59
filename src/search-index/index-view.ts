import type { Ctx } from '../core/context.ts'
import { deadCards, freshDocuments, postingsOf, removedLately, stateOfLists } from './index.store.ts'
import { keptIndex } from './kept-index.ts'
import type { Candidate } from './packing.ts'
import { bundleOf } from './postings.ts'
import { type ReadRow, readRow } from './read-lists.ts'

/**
 * The index as one search sees it. Fresh documents are read before any list: a document that is put into the lists in between
 * is then seen twice rather than never. For the same reason the state of the lists is read after them: what this process has kept
 * of that state has every document that is no longer fresh. And what is gone is read before both: a document that gets another
 * number in between is then seen under both. Each list is read once, however often it is asked for.
 */
export type IndexView = {
  fresh: readonly Candidate[]
  /** Documents that went a moment ago and have no tombstone yet. */
  gone: ReadonlySet<number>
  /** Documents that are gone, by block, though lists may still have them. */
  dead: ReadonlyMap<number, Uint8Array>
  /** Grows with every change of posting lists; what was read may already be of a later state. */
  state: number
  /** The rows that have the lists of these words and filters; other lists may share a row with them. */
  rowsOf: (hashes: Iterable<number>) => Promise<ReadRow[]>
}

const keysOf = (hashes: Iterable<number>): Set<number> =>
  new Set(Array.from(hashes, (hash) => [hash, bundleOf(hash)]).flat())

export async function viewIndex(ctx: Ctx): Promise<IndexView> {
  const gone = await removedLately(ctx)
  const fresh = await freshDocuments(ctx, ctx.searchTuning.freshRead)
  const dead = new Map((await deadCards(ctx)).map(({ block, docs }) => [block, docs]))
  const state = await stateOfLists(ctx)
  const kept = keptIndex(ctx).lists
  const known = new Map<number, readonly ReadRow[]>()
  const rowsOf = async (hashes: Iterable<number>) => {
    const keys = keysOf(hashes)
    const unread: number[] = []
    for (const key of keys) {
      if (known.has(key)) continue
      const rows = kept.rowsOf(state, key)
      if (rows) known.set(key, rows)
      else unread.push(key)
    }
    if (unread.length > 0) {
      const { state: stateRead, rows } = await postingsOf(ctx, unread)
      const read = Map.groupBy(rows, ({ key }) => key)
      for (const key of unread) {
        const lists = (read.get(key) ?? []).map(readRow)
        known.set(key, lists)
        // A transaction may see lists of its own that are never committed.
        if (!ctx.transacting) kept.keep(stateRead, key, lists)
      }
    }
    return Array.from(keys, (key) => known.get(key) ?? []).flat()
  }
  return { fresh, gone, dead, state, rowsOf }
}
