import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import multipart from '@fastify/multipart'
import type { Config } from '../../config.ts'
import type { RawRoute } from '../../core/capability.ts'
import { type Ctx, contextFor, inTx, type Services } from '../../core/context.ts'
import { hasFreeDisk } from '../../core/disk.ts'
import { AppError, notAuthenticated, notFound } from '../../core/errors.ts'
import { contextOfRequest, credentialOf } from '../../core/http.ts'
import { onceOnly } from '../../core/idempotency.ts'
import { parseInput } from '../../core/invoke.ts'
import { Id, jsonSchemaOf } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import { DAY_MS } from '../../shared/time.ts'
import {
  attachmentBytesOf,
  ByTicket,
  deleteAttachmentRows,
  findAttachment,
  NewTicket,
  openTicket,
  openTicketsOfNobody,
  readableTicket,
  ticketFolder,
  ticketsWithOldAttachments,
} from './tickets.ts'
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS, MAX_TOTAL_BYTES, receiveUpload } from './upload.ts'

/** Limits the disk space of uploads, which anybody may send. */

const MIB = 1024 * 1024
const MAX_OPEN_TICKETS_OF_NOBODY = 10_000
/** In milliseconds. The text of a closed ticket stays. */
const KEPT_AFTER_CLOSING_MS = 90 * DAY_MS

const noRoom = (detail: string) => new AppError(507, 'insufficient_storage', detail)

/** Refuses a file while the disk is nearly full: the rest is reserved for the database. */
async function requireFreeDisk(config: Config): Promise<void> {
  if (!(await hasFreeDisk(config)))
    throw noRoom('There is too little space on the disk for attachments now. Send the ticket without them.')
}

async function requireRoom(ctx: Ctx, bytes: number): Promise<void> {
  if (ctx.viewer) return requireRoomOfPerson(ctx, ctx.viewer.userId, bytes)
  if ((await openTicketsOfNobody(ctx.db)) >= MAX_OPEN_TICKETS_OF_NOBODY)
    throw noRoom('There are too many open tickets. Sign in to open one.')
  if (bytes === 0) return
  if ((await attachmentBytesOf(ctx.db, null)) + bytes > ctx.config.anonymousUploadsMb * MIB)
    throw noRoom(
      'There is no more space for attachments of people who are not signed in. Sign in, or send the ticket without them.',
    )
}

/** Limits each account, because anybody can create one and fill the disk for all. */
async function requireRoomOfPerson(ctx: Ctx, userId: string, bytes: number): Promise<void> {
  const { attachmentsMbPerPerson } = ctx.config
  if (bytes === 0 || (await attachmentBytesOf(ctx.db, userId)) + bytes <= attachmentsMbPerPerson * MIB) return
  throw noRoom(
    `The attachments of your tickets take up all of your ${attachmentsMbPerPerson} MiB. Send the ticket without them.`,
  )
}

const TICKETS_AT_ONCE = 100

/** Deletes files before rows: a row without a file is found the next time, a file without a row is not. */
export async function dropOldAttachments(services: Services): Promise<void> {
  const ctx = contextFor(services)
  const before = new Date(ctx.now().getTime() - KEPT_AFTER_CLOSING_MS).toISOString()
  for (const ticketId of await ticketsWithOldAttachments(services.database.read, before, TICKETS_AT_ONCE)) {
    await rm(ticketFolder(services.config, ticketId), { recursive: true, force: true })
    await inTx(ctx, (ctx) => deleteAttachmentRows(ctx.db, ticketId))
  }
}

const json = (schema: object) => ({ 'application/json': { schema } })
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const FILE = { type: 'string', contentMediaType: 'application/octet-stream' }

const { $schema: _, properties, ...form } = jsonSchemaOf(NewTicket)

const TICKET_FORM = {
  ...form,
  properties: {
    ...properties,
    attachments: {
      type: 'array',
      maxItems: MAX_ATTACHMENTS,
      description: 'Files of at most 10 MiB each; a form with more is refused as a whole.',
      items: FILE,
    },
  },
}

const TICKET_OPENED = {
  type: 'object',
  required: ['ticket_id', 'status', 'created_at'],
  properties: {
    ticket_id: { type: 'string', format: 'uuid' },
    status: { type: 'string', enum: ['open'] },
    created_at: { type: 'string', format: 'date-time' },
  },
}

export const createTicket: RawRoute = {
  name: 'support.create_ticket',
  summary: 'Open a support ticket, with up to 5 attachments of 10 MiB',
  route: 'POST /api/v1/support/tickets',
  scopes: 'public',
  hasAuthor: true,
  limit: 'support',
  bodyLimit: MAX_ATTACHMENT_BYTES,
  uploadBytes: MAX_TOTAL_BYTES,
  openapi: {
    schemas: { Body_create_support_ticket: TICKET_FORM, SupportTicketOpened: TICKET_OPENED },
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: named('Body_create_support_ticket') } },
    },
    responses: { 200: { description: 'The ticket is open', content: json(named('SupportTicketOpened')) } },
    errors: [400, 401, 413, 415, 507],
    takesKey: true,
  },
  prepare: async (app) => {
    await app.register(multipart)
  },
  handle: async (services, request, reply) => {
    const ticketId = newId()
    const ctx = contextOfRequest(services, request)
    const folder = ticketFolder(services.config, ticketId)
    await requireRoom(ctx, 0)
    const beforeFile = async () => {
      await requireFreeDisk(services.config)
      await requireRoom(ctx, 1)
    }
    // A commit whose answer was lost may have happened; else `dropOrphanedUploads` removes the folder.
    const mayBeKept = (error: unknown) => services.database.isUnavailable(error)
    return receiveUpload(request, reply, { folder, beforeFile, mayBeKept }, async (upload) => {
      const ticket = parseInput(NewTicket, upload.fields)
      const given = { ticketId, ticket, attachments: upload.attachments }
      const key = request.headers['idempotency-key']
      if (typeof key !== 'string' || key === '') return open(ctx, given)
      const once = await onceOnly(
        createTicket,
        ctx,
        {
          key,
          credential: credentialOf(request, services.config.baseUrl)?.value,
          input: {
            ...given.ticket,
            attachments: given.attachments.map(({ attachmentId: _, ...file }) => file),
          },
        },
        async () => (ctx) => open(ctx, given),
      )
      if (once.replayed) {
        reply.header('Idempotency-Replayed', 'true')
        await rm(folder, { recursive: true, force: true })
      }
      return once.output
    })
  },
}

type TicketInput = Parameters<typeof openTicket>[1]

/** Checks the space again in the writing transaction: others may have used it meanwhile. */
const open = (ctx: Ctx, given: TicketInput) =>
  inTx(ctx, async (ctx) => {
    await requireRoom(
      ctx,
      given.attachments.reduce((sum, file) => sum + file.sizeBytes, 0),
    )
    return openTicket(ctx, given)
  })

const AttachmentPath = ByTicket.extend({ attachment_id: Id })

export const readAttachment: RawRoute = {
  name: 'support.attachment',
  summary: 'A file of a ticket, for its author and for administrators',
  route: 'GET /api/v1/support/tickets/{ticket_id}/attachments/{attachment_id}',
  scopes: ['account'],
  openapi: {
    responses: {
      200: { description: 'The file', content: { 'application/octet-stream': { schema: FILE } } },
    },
    errors: [404, 422],
  },
  handle: async (services, request, reply) => {
    const { viewer } = request
    if (!viewer) throw notAuthenticated()
    const { ticket_id, attachment_id } = parseInput(AttachmentPath, request.params)
    await readableTicket({ ...contextOfRequest(services, request), viewer }, ticket_id)
    const found = await findAttachment(services.database.read, ticket_id, attachment_id)
    if (!found) throw notFound('Attachment')
    // Always a download: a stranger's file shown as a page of this server could run scripts (XSS).
    return reply
      .header('content-type', 'application/octet-stream')
      .header('content-length', found.size_bytes)
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(found.file_name)}`)
      .send(createReadStream(join(ticketFolder(services.config, found.ticket_id), found.attachment_id)))
  },
}
