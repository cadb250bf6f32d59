import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { Id, Page } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { cleanText, Findings } from '../redaction/stored.ts'
import { findBanFor, liftBanRow, listBans } from './bans.store.ts'
import { moderatorOf } from './moderators.ts'
import { BanList, BanResponse, Reason } from './schemas.ts'
import { tellUnbanned } from './tell-people.ts'

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
