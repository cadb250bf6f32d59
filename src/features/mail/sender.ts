import type { Delivery, MailTransport } from '../../adapters/mail.ts'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { fingerprintOf, unseal } from '../../core/crypto.ts'
import { type UntilAvailable, untilAvailable } from '../../db/db.ts'
import type { OutboxTable } from '../../db/schema.ts'
import { DAY_MS, MAX_SILENCE_MS } from '../../shared/time.ts'
import { type Mail, subjectOf } from './outbox.ts'

export const MAX_TRIES = 10
const FIRST_WAIT_MS = 60_000
const MAX_WAIT_TIME_MS = 4 * 3_600_000
/** Longer than a delivery takes: a claim expires only if its process died. */
const CLAIM_MS = MAX_SILENCE_MS + 5 * 60_000
const BATCH = 20
const KEPT_MS = 30 * DAY_MS
const STUCK_MS = 15 * 60_000
/** The links in a mail have expired by then. Only a server without mail keeps a mail for so long. */
const MAX_WAITING_MS = 7 * DAY_MS

/** Returns the wait in ms: a minute after the first failure, then doubled, four hours at most. */
export const waitAfter = (tries: number): number =>
  Math.min(MAX_WAIT_TIME_MS, FIRST_WAIT_MS * 2 ** (tries - 1))

const inMs = (ctx: Ctx, ms: number) => new Date(ctx.now().getTime() + ms).toISOString()

const dueIds = (ctx: Ctx) =>
  ctx.db
    .selectFrom('outbox')
    .select('mail_id')
    .where('status', '=', 'pending')
    .where('next_attempt_at', '<=', ctx.now().toISOString())
    .where('created_at', '>=', inMs(ctx, -MAX_WAITING_MS))
    .where('sealed_with', '=', fingerprintOf(ctx.secret))
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<', inMs(ctx, 0))]))
    .orderBy('next_attempt_at')
    .orderBy('mail_id')
    .limit(BATCH)
    .execute()

/** Claims a mail for one process. The update repeats the condition, which others may have changed. */
const claim = (ctx: Ctx, mailId: string): Promise<OutboxTable | undefined> =>
  inTx(
    ctx,
    (ctx) =>
      ctx.db
        .updateTable('outbox')
        .set((eb) => ({ claimed_until: inMs(ctx, CLAIM_MS), attempts: eb('attempts', '+', 1) }))
        .where('mail_id', '=', mailId)
        .where('status', '=', 'pending')
        .where('next_attempt_at', '<=', inMs(ctx, 0))
        .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<', inMs(ctx, 0))]))
        .returningAll()
        .executeTakeFirst(),
    SELF_GUARDED,
  )

function changeAfter(ctx: Ctx, mail: OutboxTable, delivery: Outcome): Partial<OutboxTable> {
  const blank = { text_body: '', html_body: '' }
  if (delivery.outcome === 'accepted')
    return { status: 'sent', sent_at: inMs(ctx, 0), last_error: null, ...blank }
  if (delivery.outcome === 'unwanted') return { status: 'cancelled', last_error: null, ...blank }
  const over = delivery.outcome === 'refused' || mail.attempts >= MAX_TRIES
  if (over) return { status: 'failed', last_error: delivery.error, ...blank }
  return { next_attempt_at: inMs(ctx, waitAfter(mail.attempts)), last_error: delivery.error }
}

/**
 * Stores the outcome. The number of tries identifies the claim, so that an outcome after the end of the claim
 * changes nothing.
 */
const settle = (ctx: Ctx, mail: OutboxTable, delivery: Outcome): Promise<unknown> =>
  inTx(
    ctx,
    (ctx) =>
      ctx.db
        .updateTable('outbox')
        .set({ claimed_until: null, ...changeAfter(ctx, mail, delivery) })
        .where('mail_id', '=', mail.mail_id)
        .where('status', '=', 'pending')
        .where('attempts', '=', mail.attempts)
        .execute(),
    SELF_GUARDED,
  )

/** Stores the outcome with retries: an accepted mail that is not noted as sent would be sent again. */
const settleSurely = (
  ctx: Ctx,
  mail: OutboxTable,
  delivery: Outcome,
  until: UntilAvailable,
): Promise<unknown> =>
  untilAvailable(ctx.database, () => settle(ctx, mail, delivery), {
    ...until,
    mayGoOn: () => inMs(ctx, 0) < (mail.claimed_until ?? ''),
  })

export type WaitingMail = Mail & { stateKey: string; createdAt: string }

/**
 * Kinds of mail, by the first part of the state key, that are updated when they are sent. Returns the current
 * content, or null if the reader should not get the mail any more.
 */
export type LookAgain = Record<string, (ctx: Ctx, mail: WaitingMail) => Promise<Omit<Mail, 'to'> | null>>

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

/**
 * Sends due mails, one by one. Every process runs several of these at once, so that one slow mail server does
 * not delay other mails. Each mail is sent by the process that claims it.
 */
export async function sendDueMails(
  ctx: Ctx,
  stopping: AbortSignal,
  lookAgain: LookAgain = {},
  until: Omit<UntilAvailable, 'stopping'> = {},
): Promise<void> {
  const transport = ctx.adapters.mail
  if (!transport) return
  for (;;) {
    const due = await dueIds(ctx)
    for (const { mail_id } of due) {
      if (stopping.aborted) return
      const mail = await claim(ctx, mail_id)
      if (!mail) continue
      const delivery = await deliver(ctx, transport, mail, lookAgain)
      await settleSurely(ctx, mail, delivery, { ...until, stopping })
      if (delivery.outcome === 'accepted' || delivery.outcome === 'unwanted') continue
      const error = withoutAddress(delivery.error, mail.to_address)
      ctx.log.warn({ mail_id, tries: mail.attempts, ...delivery, error }, 'a mail was not delivered')
      if (delivery.outcome === 'failed' && delivery.serverDown) return
    }
    if (due.length < BATCH) return
  }
}

/**
 * Gives up old mails, also without a mail server, so that they are not sent when there is one again. Mails
 * sealed with another SECRET_KEY have waited for a process with that key, which is lost.
 */
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
        text_body: '',
        html_body: '',
      }))
      .where('status', '=', 'pending')
      .where('created_at', '<', inMs(ctx, -MAX_WAITING_MS))
      .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<', inMs(ctx, 0))]))
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
