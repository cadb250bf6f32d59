import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type {
  SupportAttachmentsTable,
  SupportRepliesTable,
  SupportTicketsTable,
} from '../../db/tables/support.ts'
import { PLANS } from '../billing/plans.ts'
import type { Attachment } from './upload.ts'

export type TicketRow = Selectable<SupportTicketsTable>
export type AttachmentRow = Selectable<SupportAttachmentsTable>

export async function insertTicket(db: Db, row: TicketRow, attachments: Attachment[]): Promise<void> {
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

export function findTicket(db: Db, ticketId: string): Promise<TicketRow | undefined> {
  return db.selectFrom('support_tickets').selectAll().where('ticket_id', '=', ticketId).executeTakeFirst()
}

/** In the order of the catalogue. A plan that is no longer offered counts as Free. */
const planRank = sql<number>`case ${sql.join(
  PLANS.map(({ plan_id }, rank) => sql`when plan = ${sql.lit(plan_id)} then ${sql.lit(rank)}`),
  sql` `,
)} else 0 end`

type Status = TicketRow['status']

export function listTicketRows(
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

/** Newest first. */
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

export function listReplies(db: Db, ticketId: string): Promise<SupportRepliesTable[]> {
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

export async function countTickets(db: Db, status: Status | undefined): Promise<number> {
  const { count } = await db
    .selectFrom('support_tickets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'open'))
    .executeTakeFirstOrThrow()
  return count
}

export async function closeTicketRow(
  db: Db,
  close: { ticketId: string; by: string; now: string },
): Promise<void> {
  await db
    .updateTable('support_tickets')
    .set({ status: 'closed', closed_at: close.now, closed_by: close.by })
    .where('ticket_id', '=', close.ticketId)
    .execute()
}

export function listAttachments(db: Db, ticketId: string): Promise<AttachmentRow[]> {
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

export async function existingTickets(db: Db, ids: string[]): Promise<Set<string>> {
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

/** Of one person, or of everybody who was not signed in. */
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
