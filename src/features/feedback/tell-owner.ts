import type { UserCtx } from '../../core/context.ts'
import type { CardRow } from '../cards/access.ts'
import type { Said } from '../notices/notice-kinds.ts'
import { tell, tellOf, unreadSince, untell } from '../notices/tell.ts'
import { newestSaid } from './feedback.store.ts'

type Judged = Pick<CardRow, 'card_id' | 'owner_id'>

const about = ({ card_id, owner_id }: Judged) =>
  ({ userId: owner_id, kind: 'card.feedback', subjectId: card_id }) as const

/** At most one unread notice for each card, however much feedback and however many verdicts come. */
export async function tellOwner(ctx: UserCtx, card: CardRow, said: Said): Promise<void> {
  if (card.owner_id === ctx.viewer.userId || card.owner_deleted_at !== null) return
  await tell(ctx, { ...about(card), details: { said } })
}

/**
 * After the viewer has taken back what they said. The notice names only who spoke last, so it stays if the owner has not
 * read what somebody else says still.
 */
export async function untellOwner(ctx: UserCtx, card: Judged): Promise<void> {
  if (!(await untell(ctx, about(card)))) return
  const left = await newestSaid(ctx.db, card, await unreadSince(ctx, about(card)))
  if (!left) return
  const { said, user_id: actorId, created_at: at } = left
  await tellOf(ctx, { ...about(card), details: { said } }, { actorId, at })
}
