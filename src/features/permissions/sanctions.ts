import { sql } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { addressHash } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../../db/db.ts'
import type { CardStatus } from '../../db/knowledge-schema.ts'

type PublishCheck = { userId: string; emailHash: string; workspaceId: string; isOpen: boolean }

/** Returns an active ban of this person, or of a former account with the same address, in this workspace. */
const findBan = (db: Db, { userId, emailHash, workspaceId, isOpen }: PublishCheck) =>
  db
    .selectFrom('publishing_bans')
    .select(['ban_id', 'user_id', 'matter_id', 'workspace_id', 'reason'])
    .where('lifted_at', 'is', null)
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('email_hash', '=', emailHash)]))
    .where((eb) =>
      eb.or([
        eb('workspace_id', '=', workspaceId),
        isOpen ? eb('workspace_id', 'is', null) : sql<boolean>`1 = 0`,
      ]),
    )
    // The person can appeal an own ban, so that ban comes first.
    .orderBy(sql`case when user_id = ${userId} then 0 else 1 end`)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()

async function addressOf(db: Db, userId: string): Promise<string> {
  const row = await db
    .selectFrom('users')
    .select('email_normal')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.email_normal ?? ''
}

/** Returns decisions that allow this exact version in this workspace. */
const approvals = (
  db: Db,
  { cardId, version, workspaceId }: { cardId: string; version: number; workspaceId: string },
) =>
  db
    .selectFrom('moderation_matters')
    .select('decided_by_service')
    .where('card_id', '=', cardId)
    .where('cause', '=', 'blocked')
    .where('status', '=', 'decided')
    .where('decision', '=', 'keep')
    .where('decided_version', '=', version)
    .where('workspace_id', '=', workspaceId)
    .execute()

type Target = { workspace_id: string; visibility: 'private' | 'unlisted' | 'public' }

async function banOf(ctx: UserCtx, target: Target) {
  const { userId } = ctx.viewer
  return findBan(ctx.db, {
    userId,
    emailHash: addressHash(ctx, 'ban', await addressOf(ctx.db, userId)),
    workspaceId: target.workspace_id,
    isOpen: target.visibility !== 'private',
  })
}

export const isBanned = async (ctx: UserCtx, target: Target): Promise<boolean> =>
  (await banOf(ctx, target)) !== undefined

/** Refuses a banned person where strangers read. A ban in one workspace holds in that workspace. */
export async function requireMayPublish(ctx: UserCtx, target: Target): Promise<void> {
  const ban = await banOf(ctx, target)
  if (!ban) return
  const { ban_id, matter_id, reason } = ban
  const where = ban.workspace_id === null ? '' : ' in this workspace'
  if (ban.user_id === ctx.viewer.userId)
    throw new AppError(
      403,
      'publishing_banned',
      `Moderators have banned you from publishing${where}. Reason: ${reason} You can appeal once: POST /api/v1/moderation/matters/${matter_id}/appeal, or on the page of the card that it is about.`,
      { ban_id, matter_id, reason },
    )
  throw new AppError(
    403,
    'publishing_banned',
    `Moderators have banned a former account with your address from publishing${where}. Reason: ${reason} If that was not you, write to support: POST /api/v1/support/tickets, with the ban_id.`,
    { ban_id, reason },
  )
}

type SpokenOf = { status: CardStatus; workspace_id: string; workspace_visibility: Target['visibility'] }

/** Checks text beside cards, such as the note of a verdict, for all readers of these cards. */
export async function requireMaySpeakOf(ctx: UserCtx, cards: readonly SpokenOf[]): Promise<void> {
  const isRead = cards.every((card) => card.status === 'published' && card.workspace_visibility !== 'private')
  if (!isRead) return
  for (const { workspace_id, workspace_visibility: visibility } of cards)
    await requireMayPublish(ctx, { workspace_id, visibility })
}

export function refuseHidden({ card_id, hidden_at }: { card_id: string; hidden_at: string | null }): void {
  if (hidden_at === null) return
  throw new AppError(
    403,
    'card_hidden',
    `This card is hidden from others. GET /api/v1/cards/${card_id}/moderation says why, and whether you can appeal.`,
  )
}

/** Where strangers read, only service moderators count: an owner may be admin by a second account. */
export async function isClearedFor(
  ctx: Ctx,
  card: { card_id: string; version: number },
  { workspace_id, visibility }: Target,
): Promise<boolean> {
  const given = await approvals(ctx.db, {
    cardId: card.card_id,
    version: card.version,
    workspaceId: workspace_id,
  })
  return visibility === 'private'
    ? given.length > 0
    : given.some(({ decided_by_service }) => decided_by_service === 1)
}
