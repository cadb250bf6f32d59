import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import type { Subscribers } from '../../core/events.ts'
import type { Database } from '../../db/db.ts'
import { refreshTrust } from './refresh.ts'
import { lockCard, markDue, settleDue, withTakers } from './trust.store.ts'

/**
 * Refreshes that have not begun yet, and the last one of each card: two hundred verdicts at once need only a few
 * refreshes.
 */
type Queue = { waiting: Map<string, Promise<void>>; last: Map<string, Promise<void>> }
const QUEUES = new WeakMap<Database, Queue>()

function queueOf(database: Database): Queue {
  const known = QUEUES.get(database)
  if (known) return known
  const made = { waiting: new Map(), last: new Map() }
  QUEUES.set(database, made)
  return made
}

/** The card may have been merged into another since the judgement was read: it counts there too. */
const compute = (ctx: UserCtx, cardId: string): Promise<void> =>
  inTx(
    ctx,
    async (ctx) => {
      await settleDue(ctx.db, [cardId])
      const counting = await withTakers(ctx.db, [cardId])
      for (const id of counting) await lockCard(ctx, id)
      for (const id of counting) await refreshTrust(ctx, [id])
    },
    SELF_GUARDED,
  )

/**
 * Call it in the transaction that writes a judgement, before it refers to a card or locks one: a refresh takes the mark and
 * then the card. If the process ends before the refresh, a job does it.
 */
export const refreshIsDue = (ctx: Ctx, ...cardIds: readonly string[]): Promise<void> =>
  markDue(ctx.db, ...cardIds)

/** Call it after that transaction. Resolves when the card's trust includes everything from before the call. */
export function refreshSoon(ctx: UserCtx, cardId: string): Promise<void> {
  if (ctx.transacting) return refreshTrust(ctx, [cardId])
  const { waiting, last } = queueOf(ctx.database)
  const joined = waiting.get(cardId)
  if (joined) return joined
  const begin = () => {
    waiting.delete(cardId)
    return compute(ctx, cardId)
  }
  const next = (last.get(cardId) ?? Promise.resolve()).then(begin, begin)
  waiting.set(cardId, next)
  last.set(cardId, next)
  const forget = () => {
    if (last.get(cardId) === next) last.delete(cardId)
  }
  next.then(forget, forget)
  return next
}

/** Refreshes a judged card: strangers learn nothing said about a draft, and earlier verdicts were about another fix. */
const refreshJudged = async (ctx: Ctx, { cardId, isJudged }: { cardId: string; isJudged: boolean }) => {
  if (isJudged) await refreshTrust(ctx, [cardId])
}

/** Keeps the trust of cards in step with what other features do to cards. */
export const trustSubscribers: Subscribers<Ctx> = {
  'card.audience_changed': [refreshJudged],
  'card.fix_changed': [refreshJudged],
  'card.judgements_removed': [(ctx, { cardIds }) => refreshIsDue(ctx, ...cardIds)],
}
