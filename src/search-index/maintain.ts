import type { Ctx } from '../core/context.ts'
import { foldCards } from './fold-documents.ts'
import { joinRuns } from './merge-runs.ts'
import { foldChanges } from './vocabulary.ts'

/** What card writes leave to be done: counting words, and putting cards into posting lists. */
export async function tendIndex(ctx: Ctx, stopping?: AbortSignal): Promise<void> {
  await foldChanges(ctx)
  if ((await foldCards(ctx, stopping)) > 0) await joinRuns(ctx, stopping)
}
