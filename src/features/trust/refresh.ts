import { type Ctx, inTx } from '../../core/context.ts'
import { toJsonOrNull } from '../../db/columns.ts'
import { gatherJudgements } from './gather.ts'
import { trustFrom } from './stored-trust.ts'
import { dueCards, judgedCards, saveTrust, settleDue } from './trust.store.ts'

/** Computes the trust of these cards from all judgements and writes what has changed, in the caller's transaction. */
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

/** The job: refreshes the trust of cards that a judgement of another card has changed. */
export async function refreshDueTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let full = true; full && !stopping.aborted; ) {
    const due = await dueCards(ctx.db, AT_ONCE)
    full = due.length === AT_ONCE
    if (due.length === 0) return
    await inTx(
      ctx,
      async (ctx) => {
        // Marked as done first, so that a card that is marked again meanwhile stays marked.
        await settleDue(ctx.db, due)
        await refreshTrust(ctx, due)
      },
      INSIDE,
    )
  }
}

/** After a workspace was opened: its new readers learn nothing of what was said before. */
export async function refreshTrustIn(ctx: Ctx, workspaceId: string): Promise<void> {
  for (let after = ''; ; ) {
    const some = await judgedCards(ctx.db, after, AT_ONCE, workspaceId)
    await refreshTrust(ctx, some)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}

/** The job: refreshes all cards, because verdicts age and people confirm their addresses. */
export async function refreshAllTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let after = ''; !stopping.aborted; ) {
    const some = await judgedCards(ctx.db, after, AT_ONCE)
    await inTx(ctx, (ctx) => refreshTrust(ctx, some), INSIDE)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}
