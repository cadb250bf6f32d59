import type { Ctx } from '../core/context.ts'
import { foldDocuments } from './fold-documents.ts'
import { mergeRuns } from './merge-runs.ts'
import { foldChanges } from './vocabulary.ts'

/** What card writes leave to be done: counting words, and putting cards into posting lists. */
export async function maintainIndex(ctx: Ctx, stopping?: AbortSignal): Promise<void> {
  await foldChanges(ctx)
  if ((await foldDocuments(ctx, stopping)) > 0) await mergeRuns(ctx, stopping)
}
