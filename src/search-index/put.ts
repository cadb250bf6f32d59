import type { Ctx } from '../core/context.ts'
import { addToIndex, type Entry, takeFromIndex } from './index.store.ts'
import { noteChange } from './vocabulary.ts'

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

/** Takes documents out, in the transaction that deletes them. */
export async function removeDocuments(ctx: Ctx, documentIds: readonly string[]): Promise<void> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, documentIds)
  if (before.length > 0) await noteChange(ctx, before, [])
}

function requireTransaction(ctx: Ctx): void {
  if (!ctx.transacting) throw new Error('The index is written in the transaction of what it describes')
}
