/** The checks of moderators' decisions that publishing, sharing and editing make. */
import type { Ctx, UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { sha256 } from '../../core/secrets.ts'
import { addressOf, findBan, hasLeave } from './sanctions.store.ts'

type Target = { workspace_id: string; visibility: 'private' | 'unlisted' | 'public' }

/** The hash hides the address, and nobody can test addresses against it without the server's secret. */
export const addressHash = ({ secret }: Ctx, address: string): string => sha256(`ban\n${secret}\n${address}`)

/** A banned person cannot publish where strangers read. A ban in one workspace holds in that workspace. */
export async function requireMayPublish(ctx: UserCtx, target: Target): Promise<void> {
  const { userId } = ctx.viewer
  const ban = await findBan(ctx.db, {
    userId,
    emailHash: addressHash(ctx, await addressOf(ctx.db, userId)),
    workspaceId: target.workspace_id,
    isOpen: target.visibility !== 'private',
  })
  if (!ban) return
  throw new AppError(
    403,
    'publishing_banned',
    `Moderators have banned you from publishing${ban.workspace_id === null ? '' : ' in this workspace'}. Reason: ${ban.reason} You can appeal once: POST /api/v1/moderation/matters/${ban.matter_id}/appeal, or on the page of the card that it is about.`,
    { ban_id: ban.ban_id, matter_id: ban.matter_id, reason: ban.reason },
  )
}

/** A hidden card cannot be published, shared or moved until moderators show it again. */
export function refuseHidden({ card_id, hidden_at }: { card_id: string; hidden_at: string | null }): void {
  if (hidden_at === null) return
  throw new AppError(
    403,
    'card_hidden',
    `This card is hidden from others. GET /api/v1/cards/${card_id}/moderation says why, and whether you can appeal.`,
  )
}

export const isClearedFor = (
  ctx: Ctx,
  card: { card_id: string; version: number },
  workspaceId: string,
): Promise<boolean> => hasLeave(ctx.db, { cardId: card.card_id, version: card.version, workspaceId })
