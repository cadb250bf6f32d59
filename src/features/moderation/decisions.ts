import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { addressHash } from '../../core/crypto.ts'
import { conflict, forbidden, invalid, notFound } from '../../core/errors.ts'
import { Id, Page } from '../../core/schemas.ts'
import { flag } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { ModerationDecision } from '../../db/knowledge-schema.ts'
import { acquireLockOf } from '../../db/locks.ts'
import { cleanText, Findings } from '../../redaction/redact.ts'
import { audit } from '../audit/index.ts'
import {
  findCardOrDeleted,
  hideCard,
  lockAnyCard,
  type ModeratedCard,
  showCard,
  takeCardOut,
} from '../cards/index.ts'
import { findUser } from '../identity/index.ts'
import { isProven } from '../permissions/index.ts'
import {
  findBanFor,
  findBanIn,
  insertBan,
  isAtMatter,
  isHeldBeside,
  liftBanRow,
  liftBansOfMatter,
  listBans,
  lockMatter,
  type MatterRow,
  updateMatter,
} from './matters.ts'
import { moderatorOf, tellOwner, tellUnbanned } from './moderators.ts'
import { requireMatter, wholeMatter } from './queue.ts'
import { BanList, BanResponse, Decide, Reason, WholeMatter } from './schemas.ts'

function whatChanged({ status, decision, reason, appeal_note }: MatterRow): string {
  if (status === 'appealed') return `Its owner has appealed: ${appeal_note}`
  return decision === null
    ? 'The card was hidden by reports meanwhile.'
    : `It was decided: ${decision}. Reason: ${reason}`
}

/** The second of two simultaneous decisions is refused with the first decision. */
function requireRevision(row: MatterRow, revision: number): void {
  if (row.revision === revision) return
  throw conflict(
    'matter_changed',
    `This matter has changed since you read it. ${whatChanged(row)} Read it again before you decide.`,
    {
      revision: row.revision,
      status: row.status,
      decision: row.decision,
      reason: row.reason,
      decided_by_name: row.decided_by_name,
      decided_at: row.decided_at,
    },
  )
}

/** Locks the card first, then the matter: the same order as a report, to avoid a deadlock. */
async function heldMatter(ctx: UserCtx, matterId: string): Promise<MatterRow> {
  const { card_id } = await requireMatter(ctx, matterId)
  await lockAnyCard(ctx, card_id)
  if (ctx.database.engine === 'postgres') await lockMatter(ctx.db, matterId)
  return requireMatter(ctx, matterId)
}

/** Where strangers read, a service moderator decides for the service, even as the workspace's admin. */
const speaksForService = async (ctx: UserCtx, row: MatterRow): Promise<boolean> =>
  row.visibility !== 'private' && (await moderatorOf(ctx)).isService

async function requireSay(ctx: UserCtx, row: MatterRow, decision: ModerationDecision): Promise<void> {
  if ((await moderatorOf(ctx)).isService) return
  if (row.cause === 'blocked' && decision === 'keep' && row.visibility !== 'private')
    throw forbidden(
      'Strangers would read it, so only moderators of the service let a card pass that the review refuses.',
    )
  if (row.decided_by_service === 1)
    throw forbidden('Moderators of the service have decided this matter. Only they decide it anew.')
}

/** After a card has moved, admins of its former workspace cannot decide about it. */
async function isWithin(ctx: UserCtx, row: MatterRow, card: ModeratedCard): Promise<boolean> {
  if (card.workspace_id === row.workspace_id || card.status !== 'published') return true
  return speaksForService(ctx, row)
}

async function changeCard(
  ctx: UserCtx,
  row: MatterRow,
  decision: ModerationDecision,
): Promise<number | null> {
  const card = await findCardOrDeleted(ctx, row.card_id)
  if (!card) return null
  const isThere = isAtMatter(card, row)
  if (decision === 'keep') {
    if (!(await isHeldBeside(ctx.db, card, row.matter_id))) await showCard(ctx, card)
  } else if (isThere && decision === 'remove') await takeCardOut(ctx, card)
  else if (isThere) await hideCard(ctx, card)
  else if (row.cause === 'reports') {
    if (!(await isWithin(ctx, row, card)))
      throw conflict('card_elsewhere', 'The card has left this workspace, and others decide about it now.')
    await hideCard(ctx, card)
  }
  return isThere ? card.version : row.card_version
}

/** One ban per person and place, because a second ban would remain after the first is lifted. */
async function ban(ctx: UserCtx, row: MatterRow, reason: string): Promise<void> {
  const workspace_id = (await speaksForService(ctx, row)) ? null : row.workspace_id
  await acquireLockOf(ctx.db, ctx.database.engine, 'bans', row.owner_id)
  const before = await findBanIn(ctx.db, row.owner_id, workspace_id)
  if (before?.matter_id === row.matter_id) return
  if (before)
    throw conflict(
      'already_banned',
      `This publisher is banned already, since ${before.created_at}. Reason: ${before.reason} Decide without ban_publisher, or lift that ban first.`,
      { ban_id: before.ban_id, reason: before.reason },
    )
  const owner = await findUser(ctx.db, row.owner_id)
  const ban_id = newId()
  await insertBan(ctx.db, {
    ban_id,
    user_id: row.owner_id,
    // Only a proven address is hashed: anybody can register with another person's address.
    email_hash:
      owner?.email_normal && isProven(ctx, owner) ? addressHash(ctx, 'ban', owner.email_normal) : null,
    workspace_id,
    matter_id: row.matter_id,
    reason,
    banned_by: ctx.viewer.userId,
    created_at: ctx.now().toISOString(),
    lifted_by: null,
    lifted_at: null,
    lift_reason: null,
  })
  await audit(ctx, {
    action: 'publisher.banned',
    subject: { type: 'user', id: row.owner_id },
    workspaceId: row.workspace_id,
    details: { ban_id, matter_id: row.matter_id, everywhere: workspace_id === null },
  })
}

async function liftThoseOf(ctx: UserCtx, row: MatterRow, reason: string): Promise<boolean> {
  const lifting = {
    lifted_by: ctx.viewer.userId,
    lifted_at: ctx.now().toISOString(),
    lift_reason: reason,
  }
  const banIds = await liftBansOfMatter(ctx.db, row.matter_id, lifting)
  for (const ban_id of banIds)
    await audit(ctx, {
      action: 'publisher.ban_lifted',
      subject: { type: 'user', id: row.owner_id },
      workspaceId: row.workspace_id,
      details: { ban_id, matter_id: row.matter_id },
    })
  return banIds.length > 0
}

export const decideMatter = capability({
  name: 'moderation.decide',
  summary: 'Decide about a reported card, a blocked draft or an appeal',
  description:
    'keep shows the card again, or lets a blocked draft be published unchanged. hide leaves the card where it is, readable by its owner alone. remove also moves it back to the workspace that it came from. ban_publisher bans its publisher from publishing. Nothing is deleted, and no credits are taken back. The owner is told your reason but not your name, and can appeal once. The decision on the appeal is final unless a moderator decides again.',
  scopes: ['account'],
  rest: ['POST /api/v1/moderation/matters/{matter_id}/decision'],
  input: Decide,
  output: WholeMatter,
  errors: [403, 404, 409],
  run: (ctx, { matter_id, revision, decision, reason: given, ban_publisher }) => {
    if (ban_publisher && decision === 'keep')
      throw invalid('ban_publisher', 'You cannot ban a publisher and keep the card. Choose hide or remove')
    const reason = cleanText(given, new Findings())
    return inTx(
      ctx,
      async (ctx) => {
        const row = await heldMatter(ctx, matter_id)
        requireRevision(row, revision)
        await requireSay(ctx, row, decision)
        const decided_version = await changeCard(ctx, row, decision)
        const isAppeal = row.status === 'appealed'
        const now = ctx.now().toISOString()
        await updateMatter(ctx.db, matter_id, {
          status: 'decided',
          revision: row.revision + 1,
          decision,
          reason,
          decided_by: ctx.viewer.userId,
          decided_at: now,
          decided_version,
          decided_by_service: flag(await speaksForService(ctx, row)),
          hidden_by_reports: 0,
          was_open: flag(row.visibility !== 'private'),
          can_appeal: !isAppeal && decision !== 'keep' ? 1 : 0,
          updated_at: now,
        })
        const isUnbanned = !ban_publisher && (await liftThoseOf(ctx, row, reason))
        if (ban_publisher) await ban(ctx, row, reason)
        await tellOwner(ctx, row, decision, { reason, isBanned: ban_publisher, isUnbanned })
        await audit(ctx, {
          action: isAppeal ? 'moderation.appeal_decided' : 'moderation.decided',
          subject: { type: 'card', id: row.card_id },
          workspaceId: row.workspace_id,
          details: { matter_id, decision, reason, ban_publisher },
        })
        return wholeMatter(ctx, await requireMatter(ctx, matter_id))
      },
      SELF_GUARDED,
    )
  },
})

export const listPublishingBans = capability({
  name: 'moderation.bans',
  summary: 'People who are or were banned from publishing, newest first; for those who may lift the ban',
  scopes: ['account'],
  rest: ['GET /api/v1/moderation/bans'],
  input: z.object(Page),
  output: BanList,
  run: async (ctx, { page, page_size }) => {
    const { rows, total } = await listBans(ctx.db, await moderatorOf(ctx), {
      limit: page_size,
      offset: (page - 1) * page_size,
    })
    return { items: rows, total, page, page_size }
  },
})

export const liftBan = capability({
  name: 'moderation.lift_ban',
  summary: 'Let a banned person publish again',
  description: 'They are told your reason. Cards that are hidden or removed stay hidden or removed.',
  scopes: ['account'],
  rest: ['POST /api/v1/moderation/bans/{ban_id}/lift'],
  input: z.object({ ban_id: Id, reason: Reason }).meta({ id: 'LiftBan' }),
  output: BanResponse,
  errors: [404, 409],
  run: (ctx, { ban_id, reason: given }) => {
    const reason = cleanText(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const moderator = await moderatorOf(ctx)
      const row = await findBanFor(ctx.db, moderator, ban_id)
      if (!row) throw notFound('Ban')
      if (row.lifted_at !== null)
        throw conflict('ban_lifted', `This ban was lifted at ${row.lifted_at}: ${row.lift_reason}`)
      const now = ctx.now().toISOString()
      await liftBanRow(ctx.db, ban_id, {
        lifted_by: ctx.viewer.userId,
        lifted_at: now,
        lift_reason: reason,
      })
      await audit(ctx, {
        action: 'publisher.ban_lifted',
        subject: { type: 'user', id: row.user_id },
        ...(row.workspace_id === null ? {} : { workspaceId: row.workspace_id }),
        details: { ban_id, matter_id: row.matter_id, reason },
      })
      await tellUnbanned(ctx, row, reason)
      ctx.mustSee(row.user_id)
      return { ...row, lifted_at: now, lift_reason: reason }
    })
  },
})
