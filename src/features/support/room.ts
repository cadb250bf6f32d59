/** Limits on the disk space of uploads, which anybody may send. */
import { rm } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { type Ctx, contextFor, inTx, type Services } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { AppError } from '../../core/errors.ts'
import { hasFreeDisk } from '../../core/free-disk.ts'
import {
  attachmentBytesOf,
  deleteAttachmentRows,
  openTicketsOfNobody,
  ticketsWithOldAttachments,
} from './tickets.store.ts'
import { ticketFolder } from './tickets.ts'

const MIB = 1024 * 1024
const MAX_OPEN_TICKETS_OF_NOBODY = 10_000
/** How long the files of a closed ticket are kept. Its text stays. */
const KEPT_AFTER_CLOSING_MS = 90 * DAY_MS

const noRoom = (detail: string) => new AppError(507, 'insufficient_storage', detail)

/** Refuses a file while the disk is nearly full: what is left is for the database. */
export async function requireFreeDisk(config: Config): Promise<void> {
  if (!(await hasFreeDisk(config)))
    throw noRoom('There is too little space on the disk for attachments now. Send the ticket without them.')
}

/** Limits the tickets and files of senders without an account, and the files of each person; `bytes` are those of this ticket. */
export async function requireRoom(ctx: Ctx, bytes: number): Promise<void> {
  if (ctx.viewer) return requireRoomOfPerson(ctx, ctx.viewer.userId, bytes)
  if ((await openTicketsOfNobody(ctx.db)) >= MAX_OPEN_TICKETS_OF_NOBODY)
    throw noRoom('There are too many open tickets. Sign in to open one.')
  if (bytes === 0) return
  if ((await attachmentBytesOf(ctx.db, null)) + bytes > ctx.config.anonymousUploadsMb * MIB)
    throw noRoom(
      'There is no more space for attachments of people who are not signed in. Sign in, or send the ticket without them.',
    )
}

/** Anybody may make an account: without a limit for each, one of them could fill the disk for all. */
async function requireRoomOfPerson(ctx: Ctx, userId: string, bytes: number): Promise<void> {
  const { attachmentsMbPerPerson } = ctx.config
  if (bytes === 0 || (await attachmentBytesOf(ctx.db, userId)) + bytes <= attachmentsMbPerPerson * MIB) return
  throw noRoom(
    `The attachments of your tickets take up all of your ${attachmentsMbPerPerson} MiB. Send the ticket without them.`,
  )
}

const TICKETS_AT_ONCE = 100

/** Housekeeping. Files are deleted first: a row without a file is found the next time, a file without a row is not. */
export async function dropOldAttachments(services: Services): Promise<void> {
  const ctx = contextFor(services)
  const before = new Date(ctx.now().getTime() - KEPT_AFTER_CLOSING_MS).toISOString()
  for (const ticketId of await ticketsWithOldAttachments(services.database.read, before, TICKETS_AT_ONCE)) {
    await rm(ticketFolder(services.config, ticketId), { recursive: true, force: true })
    await inTx(ctx, (ctx) => deleteAttachmentRows(ctx.db, ticketId))
  }
}
