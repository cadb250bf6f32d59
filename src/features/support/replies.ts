import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { Page, pageOf } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import { sanitise } from '../../redaction/redact.ts'
import { requiredText } from '../../redaction/required-text.ts'
import { findUser } from '../identity/index.ts'
import { enqueueMail, mailWithButton } from '../mail/index.ts'
import { tell } from '../notices/index.ts'
import {
  ByTicket,
  countReplies,
  countTicketsOf,
  insertReply,
  listTicketsOf,
  presentList,
  presentWhole,
  readableTicket,
  reopenTicketRow,
  TicketResponse,
  type TicketRow,
  TicketWithReplies,
} from './tickets.ts'

const MAX_REPLIES = 200

export const listMyTickets = capability({
  name: 'support.my_tickets',
  summary: 'The support tickets that you have opened, newest first',
  scopes: ['account'],
  rest: ['GET /api/v1/support/my-tickets'],
  input: z.object(Page),
  output: pageOf(TicketResponse),
  run: async (ctx, { page, page_size }) => {
    const { userId } = ctx.viewer
    const rows = await listTicketsOf(ctx.db, userId, { limit: page_size, offset: (page - 1) * page_size })
    return {
      items: await presentList(ctx, rows),
      total: await countTicketsOf(ctx.db, userId),
      page,
      page_size,
    }
  },
})

type Said = { replyId: string; message: string }

async function tellAuthor(ctx: Ctx, ticket: TicketRow, { replyId, message }: Said): Promise<void> {
  const author = ticket.user_id === null ? undefined : await findUser(ctx.db, ticket.user_id)
  if (author) {
    const unnamed = { ...ctx, viewer: null }
    await tell(unnamed, { userId: author.user_id, kind: 'ticket.answered', subjectId: ticket.ticket_id })
  }
  await enqueueMail(ctx, `ticket:${ticket.ticket_id}:reply:${replyId}`, {
    to: ticket.email,
    subject: `Re: ${ticket.subject}`,
    ...mailWithButton({
      heading: `Re: ${ticket.subject}`,
      lines: [message],
      button: author
        ? { label: 'Open the ticket', url: `${ctx.config.baseUrl}/support/tickets/${ticket.ticket_id}` }
        : { label: 'Write to us again', url: `${ctx.config.baseUrl}/help?tab=ticket` },
      footer: `Ticket ${ticket.ticket_id}. You asked ${ctx.config.baseUrl} for help.`,
    }),
  })
}

async function tellSupport(ctx: Ctx, ticket: TicketRow, { replyId, message }: Said): Promise<void> {
  const { supportEmail, baseUrl } = ctx.config
  if (!supportEmail) return
  await enqueueMail(ctx, `ticket:${ticket.ticket_id}:reply:${replyId}`, {
    to: supportEmail,
    subject: `[ticket] Re: ${ticket.subject}`,
    ...mailWithButton({
      heading: `Re: ${ticket.subject}`,
      lines: [`From ${ticket.email}`, message],
      button: { label: 'Open the ticket', url: `${baseUrl}/admin/tickets/${ticket.ticket_id}` },
      footer: `Ticket ${ticket.ticket_id}, ${baseUrl}`,
    }),
  })
}

export const replyToTicket = capability({
  name: 'support.reply',
  summary: 'Reply to a support ticket, by its author or an administrator',
  description:
    'Secrets are replaced before it is stored. A reply of the author opens a closed ticket again. A reply of an administrator goes to the author by mail, and to their inbox where they have an account.',
  scopes: ['account'],
  rest: ['POST /api/v1/support/tickets/{ticket_id}/replies'],
  status: 201,
  limit: 'support',
  errors: [404, 409],
  input: ByTicket.extend({ message: requiredText(1, 20_000) }).meta({
    id: 'SupportReplyCreate',
  }),
  output: TicketWithReplies,
  run: (ctx, { ticket_id, message: given }) => {
    const message = sanitise(given).text
    return inTx(ctx, async (ctx) => {
      const ticket = await readableTicket(ctx, ticket_id)
      const replies = (await countReplies(ctx.db, [ticket_id])).get(ticket_id) ?? 0
      if (replies >= MAX_REPLIES)
        throw conflict('ticket_full', `A ticket takes ${MAX_REPLIES} replies. Open a new one.`)
      const isAuthor = ticket.user_id === ctx.viewer.userId
      const replyId = newId()
      await insertReply(ctx.db, {
        reply_id: replyId,
        ticket_id,
        author_id: ctx.viewer.userId,
        from_support: isAuthor ? 0 : 1,
        message,
        created_at: ctx.now().toISOString(),
      })
      if (isAuthor && ticket.status === 'closed') await reopenTicketRow(ctx.db, ticket_id)
      await (isAuthor ? tellSupport : tellAuthor)(ctx, ticket, { replyId, message })
      return presentWhole(ctx, await readableTicket(ctx, ticket_id))
    })
  },
})
