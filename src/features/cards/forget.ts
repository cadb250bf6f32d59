import type { Ctx } from '../../core/context.ts'
import { markDeleted, removeCard } from './cards.store.ts'
import { recountAfter } from './feedback-counts.ts'
import { holdAround } from './hold-card.ts'
import { forgetLooseImages } from './images/attach.ts'
import { unindexCard } from './indexing/index-card.ts'
import { markSuccession } from './succession-mark.ts'

/**
 * Removes for good what only its owner could see: unpublished cards, and cards shared in workspaces without any other
 * member. Cards that others read stay, under the name of a deleted user. Returns how many cards went. `since` leaves out
 * cards that were made before it.
 */
export async function forgetPrivateCards(ctx: Ctx, ownerId: string, since = ''): Promise<number> {
  const own = ctx.db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .select('cards.card_id')
    .where('cards.owner_id', '=', ownerId)
    .where('cards.created_at', '>=', since)
  // Two queries, because live and deleted cards have an index each.
  const deleted = await own.where('cards.deleted_at', 'is not', null).execute()
  const unseen = await own
    .where('cards.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('cards.status', '=', 'unpublished'),
        eb.and([
          eb('workspaces.visibility', '=', 'private'),
          eb.not(
            eb.exists(
              eb
                .selectFrom('memberships')
                .select('memberships.user_id')
                .whereRef('memberships.workspace_id', '=', 'cards.workspace_id')
                .where('memberships.user_id', '!=', ownerId),
            ),
          ),
        ]),
      ]),
    )
    .execute()
  const ids = [...deleted, ...unseen].map(({ card_id }) => card_id)
  await recountAfter(ctx, ids, async () => {
    await holdAround(ctx, ids)
    const now = ctx.now().toISOString()
    for (const card_id of ids) {
      await unindexCard(ctx, card_id)
      await markDeleted(ctx.db, card_id, { deleted_at: now })
      await markSuccession(ctx.db, card_id)
      await removeCard(ctx.db, card_id)
    }
  })
  await forgetLooseImages(ctx, ownerId)
  return ids.length
}
