import type { UserCtx } from '../../core/context.ts'

/** For transactions that begin with `holdCard`. */
export const HOLDING = { isolation: 'read committed' } as const

/**
 * Locks what a change of a card relies on: the card, and in the card's workspace the caller's role. So changes of one card
 * go one after the other, and those of different cards never meet. Serialisable transactions of a young vault run into each
 * other all the time, since PostgreSQL watches small tables and short indexes as a whole. It comes before the card is read.
 *
 * It is for changes that show a card to nobody new. Sharing, moving and bringing a card back rely on more, and stay
 * serialisable.
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
