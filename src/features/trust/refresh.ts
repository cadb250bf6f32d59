import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { toJsonOrNull } from '../../db/columns.ts'
import { gatherJudgements } from './gather.ts'
import { lastConfirmedAt, trustFrom } from './stored-trust.ts'
import { dueCards, judgedCards, lockCard, saveTrust, settleDue, withTakers } from './trust.store.ts'

/** Computes the trust of these cards from all judgements, and returns what has changed. */
async function changesOf(ctx: Ctx, cardIds: readonly string[]) {
  if (cardIds.length === 0) return []
  return (await gatherJudgements(ctx, cardIds)).flatMap(({ card, judgements, facts, hasTeam }) => {
    const trust = toJsonOrNull(trustFrom(judgements, facts))
    const forTeam = hasTeam ? toJsonOrNull(trustFrom(judgements, { ...facts, isForMembers: true })) : trust
    const change = {
      trust,
      team_trust: forTeam === trust ? null : forTeam,
      confirmed_at: lastConfirmedAt(judgements),
    }
    const names = ['trust', 'team_trust', 'confirmed_at'] as const
    return names.every((name) => change[name] === card[name]) ? [] : [{ cardId: card.card_id, change }]
  })
}

/** Writes what has changed, in the caller's transaction. */
export async function refreshTrust(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  for (const { cardId, change } of await changesOf(ctx, cardIds)) await saveTrust(ctx.db, cardId, change)
}

/**
 * The same for a job. A verdict may be given and counted while the others are read, so a change is computed again with its
 * card locked. The cards are locked in one order, as several processes run the job.
 */
async function refreshLocked(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  const changed = (await changesOf(ctx, cardIds)).map(({ cardId }) => cardId)
  for (const cardId of changed.sort()) {
    await lockCard(ctx, cardId)
    await refreshTrust(ctx, [cardId])
  }
}

const AT_ONCE = 200
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
        await refreshLocked(ctx, await withTakers(ctx.db, due))
      },
      SELF_GUARDED,
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
    await inTx(ctx, (ctx) => refreshLocked(ctx, some), SELF_GUARDED)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}
