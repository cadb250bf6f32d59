import type { UserCtx } from '../../core/context.ts'
import { forbidden, invalid } from '../../core/errors.ts'
import type { CardRow } from '../cards/access.ts'
import { tell } from '../notices/tell.ts'
import { type Audience, mayReadCard, membersAmong, speakersIn, workspacesAmong } from './comments.store.ts'
import { mentionedIn } from './mentions.ts'
import { MAX_MENTIONS } from './schemas.ts'

/** At most this many earlier speakers are notified, the latest first. */
const MOST_TOLD = 20

/**
 * Who reads a comment of the viewer: the workspace that the card is in, or the one that it was published from. Readers of
 * the library are not members of either; they use feedback to say whether a card helped.
 */
export async function audienceOf(ctx: UserCtx, card: CardRow): Promise<Audience | null> {
  const ids = [card.workspace_id, card.origin_workspace_id]
  const mine = await workspacesAmong(ctx.db, ctx.viewer.userId, ids)
  return mine.find((one) => one.workspace_id === card.workspace_id) ?? mine[0] ?? null
}

export async function requireAudience(ctx: UserCtx, card: CardRow): Promise<Audience> {
  const audience = await audienceOf(ctx, card)
  if (!audience)
    throw forbidden(
      'Comments are for members of the card’s workspace. Use feedback to say whether it helped.',
    )
  return audience
}

type Mentioning = { cardId: string; workspaceId: string; body: string; former?: string }

/**
 * The people whom the text mentions and its former one did not. Each must be a member there and able to read the card;
 * those who were mentioned before may have left since.
 */
export async function requireReaders(
  ctx: UserCtx,
  { cardId, workspaceId, body, former = '' }: Mentioning,
): Promise<string[]> {
  const all = mentionedIn(body)
  if (all.length > MAX_MENTIONS) throw invalid('body', `A comment mentions at most ${MAX_MENTIONS} people`)
  const before = new Set(mentionedIn(former))
  const ids = all.filter((id) => !before.has(id))
  if (ids.length === 0) return []
  const known = new Set(await membersAmong(ctx.db, workspaceId, ids))
  for (const id of ids)
    if (!known.has(id) || !(await mayReadCard(ctx.db, cardId, id)))
      throw invalid('body', `<@${id}> is not a member who can read this card`)
  return ids
}

/** Notifies everybody who is mentioned, except the viewer. */
export async function tellMentioned(ctx: UserCtx, cardId: string, userIds: readonly string[]): Promise<void> {
  for (const userId of userIds)
    if (userId !== ctx.viewer.userId) await tell(ctx, { userId, kind: 'card.mentioned', subjectId: cardId })
}

type Said = { card: CardRow; workspaceId: string; mentioned: readonly string[] }

/** Notifies the mentioned people, the owner of the card and earlier speakers. */
export async function tellAudience(ctx: UserCtx, said: Said): Promise<void> {
  const { card, workspaceId, mentioned } = said
  const { card_id: cardId, owner_id: ownerId } = card
  await tellMentioned(ctx, cardId, mentioned)
  const speakers = await speakersIn(ctx.db, { cardId, workspaceId, limit: MOST_TOLD })
  const members = await membersAmong(ctx.db, workspaceId, [ownerId, ...speakers])
  // The owner of a card that was published from there need not be a member.
  const others = new Set(card.owner_deleted_at === null ? [ownerId, ...members] : members)
  for (const userId of others) {
    const knows = userId === ctx.viewer.userId || mentioned.includes(userId)
    if (!knows && (await mayReadCard(ctx.db, cardId, userId)))
      await tell(ctx, { userId, kind: 'card.commented', subjectId: cardId })
  }
}
