import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type Services, type UserCtx, type Viewer } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { AnswerId, Email, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import type { SupportAttachmentsTable, SupportRepliesTable, SupportTicketsTable } from '../../db/schema.ts'
import { sanitise } from '../../redaction/redact.ts'
import { requiredText } from '../../redaction/required-text.ts'
import { audit } from '../audit/index.ts'
import { PLANS } from '../billing/index.ts'
import { requireUser } from '../identity/index.ts'
import { enqueueMail, mailWithButton } from '../mail/index.ts'
import type { Attachment } from './upload.ts'

export type TicketRow = Selectable<SupportTicketsTable>
type AttachmentRow = Selectable<SupportAttachmentsTable>

async function insertTicket(db: Db, row: TicketRow, attachments: Attachment[]): Promise<void> {
  await db.insertInto('support_tickets').values(row).execute()
  for (const [position, file] of attachments.entries()) {
    await db
      .insertInto('support_attachments')
      .values({
        attachment_id: file.attachmentId,
        ticket_id: row.ticket_id,
        position,
        file_name: file.fileName,
        media_type: file.mediaType,
        size_bytes: file.sizeBytes,
      })
      .execute()
  }
}

function findTicket(db: Db, ticketId: string): Promise<TicketRow | undefined> {
  return db.selectFrom('support_tickets').selectAll().where('ticket_id', '=', ticketId).executeTakeFirst()
}

/** The order of the catalogue. A discontinued plan counts as Free. */
const planRank = sql<number>`case ${sql.join(
  PLANS.map(({ plan_id }, rank) => sql`when plan = ${sql.lit(plan_id)} then ${sql.lit(rank)}`),
  sql` `,
)} else 0 end`

type Status = TicketRow['status']

function listTicketRows(
  db: Db,
  { status, limit, offset }: { status: Status | undefined; limit: number; offset: number },
): Promise<TicketRow[]> {
  return db
    .selectFrom('support_tickets')
    .selectAll()
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'open'))
    .orderBy(planRank, 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('ticket_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

export function listTicketsOf(
  db: Db,
  userId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<TicketRow[]> {
  return db
    .selectFrom('support_tickets')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('ticket_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function countTicketsOf(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('support_tickets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertReply(db: Db, row: SupportRepliesTable): Promise<void> {
  await db.insertInto('support_replies').values(row).execute()
}

function listReplies(db: Db, ticketId: string): Promise<SupportRepliesTable[]> {
  return db
    .selectFrom('support_replies')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .orderBy('created_at')
    .orderBy('reply_id')
    .execute()
}

export async function countReplies(db: Db, ticketIds: readonly string[]): Promise<Map<string, number>> {
  if (ticketIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('support_replies')
    .select((eb) => ['ticket_id', eb.fn.countAll<number>().as('count')])
    .where('ticket_id', 'in', ticketIds)
    .groupBy('ticket_id')
    .execute()
  return new Map(rows.map(({ ticket_id, count }) => [ticket_id, count]))
}

export async function reopenTicketRow(db: Db, ticketId: string): Promise<void> {
  await db
    .updateTable('support_tickets')
    .set({ status: 'open', closed_at: null, closed_by: null })
    .where('ticket_id', '=', ticketId)
    .execute()
}

async function countTickets(db: Db, status: Status | undefined): Promise<number> {
  const { count } = await db
    .selectFrom('support_tickets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'open'))
    .executeTakeFirstOrThrow()
  return count
}

async function closeTicketRow(db: Db, close: { ticketId: string; by: string; now: string }): Promise<void> {
  await db
    .updateTable('support_tickets')
    .set({ status: 'closed', closed_at: close.now, closed_by: close.by })
    .where('ticket_id', '=', close.ticketId)
    .execute()
}

function listAttachments(db: Db, ticketId: string): Promise<AttachmentRow[]> {
  return db
    .selectFrom('support_attachments')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .orderBy('position')
    .execute()
}

export function findAttachment(
  db: Db,
  ticketId: string,
  attachmentId: string,
): Promise<AttachmentRow | undefined> {
  return db
    .selectFrom('support_attachments')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .where('attachment_id', '=', attachmentId)
    .executeTakeFirst()
}

const LOOKED_UP_AT_ONCE = 500

async function existingTickets(db: Db, ids: string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (let from = 0; from < ids.length; from += LOOKED_UP_AT_ONCE) {
    const some = ids.slice(from, from + LOOKED_UP_AT_ONCE)
    const rows = await db
      .selectFrom('support_tickets')
      .select('ticket_id')
      .where('ticket_id', 'in', some)
      .execute()
    for (const row of rows) found.add(row.ticket_id)
  }
  return found
}

export async function openTicketsOfNobody(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('support_tickets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', '=', 'open')
    .where('user_id', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export async function attachmentBytesOf(db: Db, userId: string | null): Promise<number> {
  const { bytes } = await db
    .selectFrom('support_attachments')
    .innerJoin('support_tickets', 'support_tickets.ticket_id', 'support_attachments.ticket_id')
    .select((eb) => eb.fn.sum<number | null>('size_bytes').as('bytes'))
    .where('support_tickets.user_id', userId === null ? 'is' : '=', userId)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

export async function ticketsWithOldAttachments(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('support_tickets')
    .select('ticket_id')
    .where('status', '=', 'closed')
    .where('closed_at', '<', before)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('support_attachments')
          .select('attachment_id')
          .whereRef('support_attachments.ticket_id', '=', 'support_tickets.ticket_id'),
      ),
    )
    .limit(limit)
    .execute()
  return rows.map((row) => row.ticket_id)
}

export async function deleteAttachmentRows(db: Db, ticketId: string): Promise<void> {
  await db.deleteFrom('support_attachments').where('ticket_id', '=', ticketId).execute()
}

export const NewTicket = z.object({
  email: Email,
  subject: requiredText(1, 200),
  message: requiredText(1, 20_000),
  category: z.string().trim().max(50).default(''),
})

const AttachmentResponse = z
  .object({
    attachment_id: AnswerId,
    file_name: z.string(),
    media_type: z.string(),
    size_bytes: z.int(),
    url: z.string(),
  })
  .meta({ id: 'SupportAttachment' })

export const TicketResponse = z
  .object({
    ticket_id: AnswerId,
    status: z.enum(['open', 'closed']),
    email: z.string(),
    subject: z.string(),
    message: z.string(),
    category: z.string(),
    user_id: AnswerId.nullable(),
    plan: z
      .string()
      .nullable()
      .describe('The plan of the author when the ticket was opened; null where nobody was signed in'),
    attachments: z.array(AttachmentResponse),
    reply_count: z.int(),
    created_at: Time,
    closed_at: Time.nullable(),
  })
  .meta({ id: 'SupportTicket' })

const Reply = z
  .object({
    reply_id: AnswerId,
    from_support: z.boolean().describe('By an administrator of this server; otherwise by the author'),
    message: z.string(),
    created_at: Time,
  })
  .meta({ id: 'SupportReply' })

export const TicketWithReplies = TicketResponse.extend({
  replies: z.array(Reply).describe('Oldest first'),
}).meta({ id: 'SupportTicketWithReplies' })

export const ticketFolder = (config: Config, ticketId: string): string =>
  join(config.dataDir, 'tickets', ticketId)

/** Opens a ticket. The e-mail address identifies the author; the account is stored too if signed in. */
export async function openTicket(
  ctx: Ctx,
  given: { ticketId: string; ticket: z.output<typeof NewTicket>; attachments: Attachment[] },
) {
  const { ticketId, ticket, attachments } = given
  const created_at = ctx.now().toISOString()
  const row: Omit<TicketRow, 'plan'> = {
    ticket_id: ticketId,
    user_id: ctx.viewer?.userId ?? null,
    email: ticket.email,
    subject: sanitise(ticket.subject.replace(/\s+/g, ' ')).text,
    message: sanitise(ticket.message).text,
    category: sanitise(ticket.category).text || 'other',
    status: 'open',
    created_at,
    closed_at: null,
    closed_by: null,
  }
  await inTx(ctx, async (ctx) => {
    const plan = ctx.viewer ? (await requireUser(ctx, ctx.viewer.userId)).plan : null
    await insertTicket(ctx.db, { ...row, plan }, attachments)
    await tellSupport(ctx, { ...row, plan }, attachments)
  })
  return { ticket_id: ticketId, status: 'open' as const, created_at }
}

async function tellSupport(ctx: Ctx, row: TicketRow, attachments: Attachment[]): Promise<void> {
  const { supportEmail, baseUrl } = ctx.config
  if (!supportEmail) return
  const files = attachments.map((file) => `${file.fileName} (${file.sizeBytes} bytes)`).join(', ')
  const answerLink = `mailto:${encodeURIComponent(row.email)}?subject=${encodeURIComponent(`Re: ${row.subject}`)}`
  const { text, html } = mailWithButton({
    heading: row.subject,
    lines: [
      `From ${row.email}, ${row.category}, ${row.plan === null ? 'not signed in' : `plan ${row.plan}`}`,
      row.message,
      ...(files ? [`Attachments: ${files}`] : []),
    ],
    button: { label: 'Answer', url: answerLink },
    footer: `Ticket ${row.ticket_id}, ${baseUrl}`,
  })
  await enqueueMail(ctx, `ticket:${row.ticket_id}:opened`, {
    to: supportEmail,
    subject: `[ticket] ${row.subject}`,
    text,
    html,
  })
}

function requireAdmin(viewer: Viewer | null): void {
  if (!viewer?.isAdmin) throw forbidden('Only administrators of this server may see support tickets.')
}

export const listTickets = capability({
  name: 'support.list_tickets',
  summary: 'Support tickets for administrators: by the plan of their authors, then newest first',
  description:
    'Tickets of the highest plan come first. A ticket without an account counts as one of the Free plan.',
  scopes: ['account'],
  rest: ['GET /api/v1/support/tickets'],
  input: z.object({ status: z.enum(['open', 'closed']).optional(), ...Page }),
  output: pageOf(TicketResponse),
  run: async (ctx, { status, page, page_size }) => {
    requireAdmin(ctx.viewer)
    const rows = await listTicketRows(ctx.db, { status, limit: page_size, offset: (page - 1) * page_size })
    return { items: await presentList(ctx, rows), total: await countTickets(ctx.db, status), page, page_size }
  },
})

export const ByTicket = z.object({ ticket_id: Id })

export const getTicket = capability({
  name: 'support.get_ticket',
  summary: 'One support ticket with its replies, for its author and for administrators',
  scopes: ['account'],
  rest: ['GET /api/v1/support/tickets/{ticket_id}'],
  input: ByTicket,
  output: TicketWithReplies,
  errors: [404],
  run: async (ctx, { ticket_id }) => presentWhole(ctx, await readableTicket(ctx, ticket_id)),
})

export const closeTicket = capability({
  name: 'support.close_ticket',
  summary: 'Close a support ticket, for administrators; closing twice changes nothing',
  scopes: ['account'],
  rest: ['POST /api/v1/support/tickets/{ticket_id}/close'],
  input: ByTicket,
  output: TicketWithReplies,
  errors: [404],
  run: async (ctx, { ticket_id }) => {
    requireAdmin(ctx.viewer)
    return inTx(ctx, async (ctx) => {
      const ticket = await requireTicket(ctx, ticket_id)
      if (ticket.status === 'open') {
        await closeTicketRow(ctx.db, {
          ticketId: ticket_id,
          by: ctx.viewer.userId,
          now: ctx.now().toISOString(),
        })
        await audit(ctx, { action: 'ticket.closed', subject: { type: 'ticket', id: ticket_id } })
      }
      return presentWhole(ctx, await requireTicket(ctx, ticket_id))
    })
  },
})

/** Tickets of others are answered like missing ones, so that ids cannot be probed. */
export async function readableTicket(ctx: UserCtx, ticketId: string): Promise<TicketRow> {
  const row = await findTicket(ctx.db, ticketId)
  if (row?.user_id !== ctx.viewer.userId) requireAdmin(ctx.viewer)
  if (!row) throw notFound('Ticket')
  return row
}

async function requireTicket(ctx: Ctx, ticketId: string): Promise<TicketRow> {
  const row = await findTicket(ctx.db, ticketId)
  if (!row) throw notFound('Ticket')
  return row
}

export async function presentList(ctx: Ctx, rows: readonly TicketRow[]) {
  const counts = await countReplies(
    ctx.db,
    rows.map((row) => row.ticket_id),
  )
  return Promise.all(rows.map((row) => present(ctx, row, counts.get(row.ticket_id) ?? 0)))
}

export async function presentWhole(ctx: Ctx, row: TicketRow): Promise<z.input<typeof TicketWithReplies>> {
  const replies = await listReplies(ctx.db, row.ticket_id)
  return {
    ...(await present(ctx, row, replies.length)),
    replies: replies.map(({ reply_id, from_support, message, created_at }) => ({
      reply_id,
      from_support: from_support === 1,
      message,
      created_at,
    })),
  }
}

async function present(
  ctx: Ctx,
  row: TicketRow,
  replyCount: number,
): Promise<z.input<typeof TicketResponse>> {
  const attachments = await listAttachments(ctx.db, row.ticket_id)
  const { closed_by: _, ...shown } = row
  return {
    ...shown,
    reply_count: replyCount,
    attachments: attachments.map(({ attachment_id, file_name, media_type, size_bytes }) => ({
      attachment_id,
      file_name,
      media_type,
      size_bytes,
      url: `/api/v1/support/tickets/${row.ticket_id}/attachments/${attachment_id}`,
    })),
  }
}

const LEFT_ALONE_MS = 60 * 60 * 1000

/** Removes upload folders without a ticket after an hour. A crashed upload or a failed commit leaves one. */
export async function dropOrphanedUploads(services: Services): Promise<void> {
  const folder = join(services.config.dataDir, 'tickets')
  const names = await readdir(folder).catch(() => [])
  const known = await existingTickets(services.database.read, names)
  for (const name of names.filter((one) => !known.has(one))) {
    const { mtimeMs } = await stat(join(folder, name))
    if (services.now().getTime() - mtimeMs > LEFT_ALONE_MS) await rm(join(folder, name), { recursive: true })
  }
}
