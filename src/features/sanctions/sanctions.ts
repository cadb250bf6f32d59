/** What moderators have decided, as publishing, sharing and editing ask for it. */
import type { Ctx, UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { sha256 } from '../../core/secrets.ts'
import { findUser, isServiceModerator } from '../identity/users/users.ts'
import { addressOf, findBan, leaveGivers } from './sanctions.store.ts'

type Target = { workspace_id: string; visibility: 'private' | 'unlisted' | 'public' }

/** Nobody reads an address from it, and nobody without the server's secret can try addresses on it. */
export const addressHash = ({ secret }: Ctx, address: string): string => sha256(`ban\n${secret}\n${address}`)

async function banOf(ctx: UserCtx, target: Target) {
  const { userId } = ctx.viewer
  return findBan(ctx.db, {
    userId,
    emailHash: addressHash(ctx, await addressOf(ctx.db, userId)),
    workspaceId: target.workspace_id,
    isOpen: target.visibility !== 'private',
  })
}

export const isBanned = async (ctx: UserCtx, target: Target): Promise<boolean> =>
  (await banOf(ctx, target)) !== undefined

/** A banned person shows nothing to strangers; who is banned in one workspace shows nothing there. */
export async function requireMayPublish(ctx: UserCtx, target: Target): Promise<void> {
  const ban = await banOf(ctx, target)
  if (!ban) return
  throw new AppError(
    403,
    'publishing_banned',
    `Moderators have banned you from publishing${ban.workspace_id === null ? '' : ' in this workspace'}. Reason: ${ban.reason} You can appeal once: POST /api/v1/moderation/matters/${ban.matter_id}/appeal, or on the page of the card that it is about.`,
    { ban_id: ban.ban_id, matter_id: ban.matter_id, reason: ban.reason },
  )
}

/** A hidden card goes nowhere new, until moderators let it. */
export function refuseHidden({ card_id, hidden_at }: { card_id: string; hidden_at: string | null }): void {
  if (hidden_at === null) return
  throw new AppError(
    403,
    'card_hidden',
    `This card is hidden from others. GET /api/v1/cards/${card_id}/moderation says why, and whether you can appeal.`,
  )
}

/**
 * Whether moderators let this very version pass in the workspace. Where strangers read, only those of the service can: an
 * owner who is admin of a team by a second account would otherwise let anything pass.
 */
export async function isClearedFor(
  ctx: Ctx,
  card: { card_id: string; version: number },
  { workspace_id, visibility }: Target,
): Promise<boolean> {
  const givers = await leaveGivers(ctx.db, {
    cardId: card.card_id,
    version: card.version,
    workspaceId: workspace_id,
  })
  if (visibility === 'private') return givers.length > 0
  for (const userId of givers) {
    const user = await findUser(ctx.db, userId)
    if (user && isServiceModerator(ctx.config, user)) return true
  }
  return false
}
