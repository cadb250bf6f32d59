import type { Ctx } from '../core/context.ts'
import { deadCards, freshDocuments, postingsOf } from './index.store.ts'
import type { Candidate } from './packing.ts'
import { bundleOf, type PostingRow } from './postings.ts'

/**
 * The index as one search sees it. Fresh documents are read before any list: a document that is put into the lists in between
 * is then seen twice rather than never. Each list is read once, however often it is asked for.
 */
export type IndexView = {
  fresh: readonly Candidate[]
  /** Documents that are gone, by block, though lists may still have them. */
  dead: ReadonlyMap<number, Uint8Array>
  /** The rows that have the lists of these words and filters; other lists may share a row with them. */
  rowsOf: (hashes: Iterable<number>) => Promise<PostingRow[]>
}

const keysOf = (hashes: Iterable<number>): Set<number> =>
  new Set(Array.from(hashes, (hash) => [hash, bundleOf(hash)]).flat())

export async function viewIndex(ctx: Ctx): Promise<IndexView> {
  const fresh = await freshDocuments(ctx, ctx.searchTuning.freshRead)
  const dead = new Map((await deadCards(ctx)).map(({ block, docs }) => [block, docs]))
  const known = new Map<number, PostingRow[]>()
  const rowsOf = async (hashes: Iterable<number>) => {
    const keys = keysOf(hashes)
    const unread = [...keys].filter((key) => !known.has(key))
    for (const key of unread) known.set(key, [])
    if (unread.length > 0) for (const row of await postingsOf(ctx, unread)) known.get(row.key)?.push(row)
    return Array.from(keys, (key) => known.get(key) ?? []).flat()
  }
  return { fresh, dead, rowsOf }
}
