import type { UserCtx } from '../../core/context.ts'
import { type AppError, conflict } from '../../core/errors.ts'
import type { CardRow } from '../cards/access.ts'
import { isReadByAllOf } from '../cards/succession-mark.ts'
import { readableTitles } from '../cards/titles.ts'
import { tell, untell } from '../notices/tell.ts'
import { deleteSuccession, findMerge, isSuccessorGone, setSuccessor, successorsOf } from './links.store.ts'

/** Everybody who could read the former card must be able to read the one that takes its place. */
function requireVisibleToAll(former: CardRow, successor: CardRow): void {
  if (!isReadByAllOf(former, successor))
    throw conflict(
      'successor_hidden',
      'Some readers of this card cannot read the one that takes its place. Share or publish that one first.',
    )
}

const replaced = (ownerId: string, cardId: string) =>
  ({ userId: ownerId, kind: 'card.replaced', subjectId: cardId }) as const

/** The other card is named if the viewer may read it: it may have been taken back since. */
async function alreadySuperseded(ctx: UserCtx, successorId: string): Promise<AppError> {
  const isReadable = (await readableTitles(ctx, [successorId])).has(successorId)
  return conflict(
    'superseded_already',
    'Another card has already taken the place of this one.',
    isReadable ? { superseded_by: successorId } : {},
  )
}

/** A card whose successor its readers cannot read counts as current, so another may take its place: the former link ends. */
async function endFormerSuccession(ctx: UserCtx, formerId: string, successorId: string): Promise<void> {
  if (!(await isSuccessorGone(ctx.db, formerId))) throw await alreadySuperseded(ctx, successorId)
  if (await findMerge(ctx.db, formerId))
    throw conflict('merged_already', 'This card was merged into another. Undo that first.')
  await deleteSuccession(ctx.db, formerId, successorId)
}

/** From now on search shows the successor instead. Somebody else's card does not leave it without a word. */
export async function succeed(ctx: UserCtx, former: CardRow, successor: CardRow): Promise<void> {
  if (former.card_id === successor.card_id) throw conflict('same_card', 'A card cannot take its own place.')
  if (former.superseded_by !== null) await endFormerSuccession(ctx, former.card_id, former.superseded_by)
  if ((await successorsOf(ctx.db, successor.card_id)).includes(former.card_id))
    throw conflict('circular_succession', 'This card has already taken the place of that one.')
  requireVisibleToAll(former, successor)
  await setSuccessor(ctx.db, former.card_id, successor.card_id)
  if (former.owner_id !== ctx.viewer.userId && former.owner_deleted_at === null)
    await tell(ctx, replaced(former.owner_id, former.card_id))
}

/** What follows when a link or a merge ends: another one may still hold, otherwise the card is back in search. */
export async function succeedAnew(ctx: UserCtx, formerId: string, successorId: string | null): Promise<void> {
  const ownerId = await setSuccessor(ctx.db, formerId, successorId)
  if (successorId === null) await untell(ctx, replaced(ownerId, formerId))
}
