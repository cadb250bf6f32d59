import { type Ctx, inTx } from '../../core/context.ts'
import { toJsonOrNull } from '../../db/columns.ts'
import { gatherJudgements } from './gather.ts'
import { trustFrom } from './stored-trust.ts'
import { dueCards, judgedCards, saveTrust, settleDue } from './trust.store.ts'

/** Computes the trust of these cards from all that was said, and writes it where it has changed. In the caller's transaction. */
export async function refreshTrust(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  if (cardIds.length === 0) return
  for (const { card, judgements, facts } of await gatherJudgements(ctx, cardIds)) {
    const trust = trustFrom(judgements, facts)
    const stored = toJsonOrNull(trust)
    if (stored !== card.trust)
      await saveTrust(ctx.db, card.card_id, {
        trust: stored,
        confirmed_at: trust?.last_confirmed_at ?? null,
      })
  }
}

const AT_ONCE = 200
const INSIDE = { isolation: 'read committed' } as const

/** The job: cards that something said elsewhere has touched. */
export async function refreshDueTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let full = true; full && !stopping.aborted; ) {
    const due = await dueCards(ctx.db, AT_ONCE)
    full = due.length === AT_ONCE
    if (due.length === 0) return
    await inTx(
      ctx,
      async (ctx) => {
        // Marked first as done: what is marked again meanwhile stays marked.
        await settleDue(ctx.db, due)
        await refreshTrust(ctx, due)
      },
      INSIDE,
    )
  }
}

/** The job: verdicts grow old, and people prove their addresses, without anybody saying anything. */
export async function refreshAllTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let after = ''; !stopping.aborted; ) {
    const some = await judgedCards(ctx.db, after, AT_ONCE)
    await inTx(ctx, (ctx) => refreshTrust(ctx, some), INSIDE)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}
