import type { Ctx } from '../../core/context.ts'
import { untellAny } from '../notices/tell.ts'
import { leftOn, ownerOf, removeCommentsOf } from './comments.store.ts'
import { mentionedIn } from './mentions.ts'

type Removed = { card_id: string; body: string }

/** An unread notice that leads to no comment of somebody else is taken back. */
async function untellAbout(ctx: Ctx, cardId: string, bodies: readonly string[]): Promise<void> {
  const { speakers, mentioning } = await leftOn(ctx.db, cardId)
  const stillMentions = (userId: string) =>
    mentioning.some((left) => left.user_id !== userId && mentionedIn(left.body).includes(userId))
  for (const userId of new Set(bodies.flatMap(mentionedIn)))
    if (!stillMentions(userId)) await untellAny(ctx, { userId, kind: 'card.mentioned', subjectId: cardId })
  const owner = await ownerOf(ctx.db, cardId)
  for (const userId of new Set([...(owner ? [owner.owner_id] : []), ...speakers]))
    if (speakers.every((one) => one === userId))
      await untellAny(ctx, { userId, kind: 'card.commented', subjectId: cardId })
}

/** Runs in the transaction that removes the comments. */
export async function commentsAreGone(ctx: Ctx, removed: readonly Removed[]): Promise<void> {
  for (const [cardId, rows] of Map.groupBy(removed, (row) => row.card_id))
    await untellAbout(
      ctx,
      cardId,
      rows.map((row) => row.body),
    )
}

/** With the account of their author. */
export const forgetComments = async (ctx: Ctx, userId: string): Promise<void> =>
  commentsAreGone(ctx, await removeCommentsOf(ctx.db, userId))
