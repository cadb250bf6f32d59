import { type SqlBool, sql } from 'kysely'
import type { Delivery, MailTransport } from '../../adapters/mail.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { fingerprintOf, unseal } from '../../core/crypto.ts'
import type { UntilAvailable } from '../../db/db.ts'
import { inMs, isFree, type LeasedQueue, type Settled, workOff } from '../../db/queue.ts'
import type { OutboxTable } from '../../db/schema.ts'
import { DAY_MS, MAX_SILENCE_MS } from '../../shared/time.ts'
import { type Mail, subjectOf } from './outbox.ts'

export const MAX_TRIES = 10
const FIRST_WAIT_MS = 60_000
const MAX_WAIT_TIME_MS = 4 * 3_600_000
const KEPT_MS = 30 * DAY_MS
const STUCK_MS = 15 * 60_000
/** The links in a mail have expired by then. Only a server without mail keeps a mail for so long. */
const MAX_WAITING_MS = 7 * DAY_MS

/** Returns the wait in ms: a minute after the first failure, then doubled, four hours at most. */
export const waitAfter = (tries: number): number =>
  Math.min(MAX_WAIT_TIME_MS, FIRST_WAIT_MS * 2 ** (tries - 1))

/** A mail that is done keeps no text, which may hold links. */
const BLANK = { text_body: '', html_body: '' }

const OUTBOX: LeasedQueue<'outbox'> = {
  table: 'outbox',
  key: 'mail_id',
  due: 'next_attempt_at',
  lease: 'claimed_until',
  attempts: 'attempts',
  isOpen: sql`status = 'pending'`,
  size: 20,
  leaseMs: MAX_SILENCE_MS + 5 * 60_000,
  waitMs: waitAfter,
}

export type WaitingMail = Mail & { stateKey: string; createdAt: string }

/** Updates the mail when it is sent; null if the reader should not get the mail any more. */
type LookAgain = Record<string, (ctx: Ctx, mail: WaitingMail) => Promise<Omit<Mail, 'to'> | null>>

type Outcome = Delivery | { outcome: 'unwanted' }

async function deliver(
  ctx: Ctx,
  transport: MailTransport,
  row: OutboxTable,
  lookAgain: LookAgain,
): Promise<Outcome> {
  const [text, html] = [unseal(row.text_body, ctx.secret), unseal(row.html_body, ctx.secret)]
  if (text === null || html === null) return { outcome: 'refused', error: 'The stored mail is damaged' }
  const stored = { to: row.to_address, subject: row.subject, text, html }
  const look = lookAgain[row.state_key.split(':', 1)[0] ?? '']
  let mail: Omit<Mail, 'to'> | null = stored
  try {
    if (look) mail = await look(ctx, { ...stored, stateKey: row.state_key, createdAt: row.created_at })
  } catch (error) {
    // Counts as a try; otherwise this mail would be retried forever and delay others.
    ctx.log.warn({ err: error, mail_id: row.mail_id }, 'a mail could not be looked at again')
    return {
      outcome: 'failed',
      error: error instanceof Error ? error.message : `${error}`,
      serverDown: false,
    }
  }
  if (!mail) return { outcome: 'unwanted' }
  return transport.send({ ...mail, id: row.mail_id, to: stored.to, subject: subjectOf(mail.subject) })
}

/** Removes the address from a mail server's error, in any case of letters. The log names people by ids only. */
const withoutAddress = (error: string, address: string): string =>
  error.replaceAll(new RegExp(address.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'gi'), 'the recipient')

/** Every process runs several of these at once, so that one slow mail server delays no other mails. */
export async function sendDueMails(
  ctx: Ctx,
  stopping: AbortSignal,
  lookAgain: LookAgain = {},
  until: Omit<UntilAvailable, 'stopping'> = {},
): Promise<void> {
  const transport = ctx.adapters.mail
  if (!transport) return
  const where = sql<SqlBool>`created_at >= ${inMs(ctx, -MAX_WAITING_MS)} and sealed_with = ${fingerprintOf(ctx.secret)}`
  await workOff(ctx, OUTBOX, { ...until, stopping, where }, async (mail): Promise<Settled<'outbox'>> => {
    const delivery = await deliver(ctx, transport, mail, lookAgain)
    if (delivery.outcome === 'accepted')
      return { change: { status: 'sent', sent_at: inMs(ctx, 0), last_error: null, ...BLANK } }
    if (delivery.outcome === 'unwanted')
      return { change: { status: 'cancelled', last_error: null, ...BLANK } }
    const error = withoutAddress(delivery.error, mail.to_address)
    ctx.log.warn(
      { mail_id: mail.mail_id, tries: mail.attempts, ...delivery, error },
      'a mail was not delivered',
    )
    const stops = delivery.outcome === 'failed' && delivery.serverDown
    const change = { last_error: delivery.error }
    return delivery.outcome === 'failed' && mail.attempts < MAX_TRIES
      ? { change, triesAgain: true, stops }
      : { change: { status: 'failed', ...change, ...BLANK }, stops }
  })
}

async function giveUpOldMails(ctx: Ctx): Promise<void> {
  const name = fingerprintOf(ctx.secret)
  await inTx(ctx, (ctx) =>
    ctx.db
      .updateTable('outbox')
      .set(({ eb }) => ({
        status: 'failed' as const,
        last_error: eb
          .case()
          .when('sealed_with', '=', name)
          .then('It waited too long')
          .else('It was sealed with another SECRET_KEY')
          .end(),
        ...BLANK,
      }))
      .where(isFree(ctx, OUTBOX))
      .where('created_at', '<', inMs(ctx, -MAX_WAITING_MS))
      .execute(),
  )
}

async function warnOfStrangersMails(ctx: Ctx): Promise<void> {
  const { waiting } = await ctx.db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('status', '=', 'pending')
    .where('next_attempt_at', '<', inMs(ctx, -STUCK_MS))
    .where('sealed_with', '!=', fingerprintOf(ctx.secret))
    .executeTakeFirstOrThrow()
  if (waiting > 0)
    ctx.log.warn(
      { waiting },
      'some mails were sealed with another SECRET_KEY and wait; all processes need the same key',
    )
}

export async function tidyOutbox(ctx: Ctx): Promise<void> {
  await giveUpOldMails(ctx)
  await warnOfStrangersMails(ctx)
  await inTx(ctx, (ctx) =>
    ctx.db
      .deleteFrom('outbox')
      .where('status', '!=', 'pending')
      .where('created_at', '<', inMs(ctx, -KEPT_MS))
      .execute(),
  )
}
