import type { UserCtx } from '../../core/context.ts'

/**
 * Locks what a change of a card relies on: the card, and the caller's role in its workspace. So changes of one card
 * run one after the other, and changes of different cards never wait for each other. In a young vault, serialisable
 * transactions conflict all the time, since PostgreSQL watches small tables and short indexes as a whole. Call it
 * before the card is read, in a `SELF_GUARDED` transaction.
 *
 * Use it for changes that give no new reader to a card. Sharing a card, moving it and bringing a deleted one back rely on
 * more, and stay serialisable.
 */
export async function holdCard({ db, database, viewer }: UserCtx, cardId: string): Promise<void> {
  if (database.engine !== 'postgres') return
  const card = await db
    .selectFrom('cards')
    .select('workspace_id')
    .where('card_id', '=', cardId)
    .forUpdate()
    .executeTakeFirst()
  if (!card) return
  await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', card.workspace_id)
    .where('user_id', '=', viewer.userId)
    .forShare()
    .execute()
}
