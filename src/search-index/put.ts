import type { Ctx } from '../core/context.ts'
import { addToIndex, type Entry, putBack, takeFromIndex } from './index.store.ts'
import { noteChange, noteOtherFilters } from './vocabulary.ts'

/**
 * Puts documents in as they are now, and replaces what was there under the same id. Call it in the transaction of the
 * write that changes them: the next request then finds them so.
 */
export async function putDocuments(ctx: Ctx, entries: readonly Entry[]): Promise<void> {
  requireTransaction(ctx)
  // New documents are inserted without looking for them first: on PostgreSQL that read would make all writers of new
  // ones conflict.
  const known = await addToIndex(ctx, entries)
  const before = await takeFromIndex(
    ctx,
    known.map(({ documentId }) => documentId),
  )
  if (known.length > 0) await addToIndex(ctx, known)
  await noteChange(
    ctx,
    before,
    entries.map(({ document }) => document),
  )
}

/**
 * Gives documents other filters, for a write that leaves their texts as they are. Returns the ids of those that are in the
 * index.
 */
export async function refilterDocuments(
  ctx: Ctx,
  filters: ReadonlyMap<string, readonly number[]>,
): Promise<Set<string>> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, [...filters.keys()])
  const after = before.map((document) => ({
    ...document,
    filters: filters.get(document.documentId) ?? document.filters,
  }))
  await putBack(ctx, after)
  await noteOtherFilters(ctx, before, after)
  return new Set(before.map(({ documentId }) => documentId))
}

/** Takes documents out, in the transaction that deletes them. */
export async function removeDocuments(ctx: Ctx, documentIds: readonly string[]): Promise<void> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, documentIds)
  if (before.length > 0) await noteChange(ctx, before, [])
}

function requireTransaction(ctx: Ctx): void {
  if (!ctx.transacting) throw new Error('The index is written in the transaction of what it describes')
}
