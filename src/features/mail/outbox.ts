import { type Expression, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { fingerprintOf, reseal, seal } from '../../core/crypto.ts'
import { rateLimited } from '../../core/errors.ts'
import { withoutLinks } from '../../core/untrusted-text.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { DEFAULT_LANGUAGE, type Localised } from '../../shared/language.ts'
import { DAY_MS } from '../../shared/time.ts'
import { escapeHtml } from '../../text/unicode.ts'

export type Mail = { to: string; subject: string; text: string; html: string }

export const MAIL_JOB = 'mail'

/** The database lowers only ASCII letters, so other letters are lowered here (Kelvin sign: k). */
export const mailbox = (address: string): string =>
  address.replace(/[^\0-\x7f]+/g, (letters) => letters.toLowerCase())

const isTo = (address: string) => sql<SqlBool>`lower(to_address) = lower(${mailbox(address)})`

const MAX_SUBJECT = 150

/** Returns a subject: one short line without links, because strangers choose the names in it. */
export const subjectOf = (text: string) => {
  const line = withoutLinks(text)
  return line.length <= MAX_SUBJECT ? line : `${line.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`
}

/**
 * `stateKey` is `<what>:<id>:<state>`, so that no state is mailed twice. Call this in the transaction that
 * causes the mail.
 */
export async function enqueueMail(ctx: Ctx, stateKey: string, mail: Mail): Promise<boolean> {
  if (!ctx.transacting) throw new Error('enqueueMail() belongs in the transaction of its cause')
  if (!ctx.adapters.mail) return false
  const now = ctx.now().toISOString()
  await ctx.db
    .insertInto('outbox')
    .values({
      mail_id: newId(),
      state_key: stateKey,
      to_address: mailbox(mail.to),
      subject: subjectOf(mail.subject),
      text_body: seal(mail.text, ctx.secret),
      html_body: seal(mail.html, ctx.secret),
      sealed_with: fingerprintOf(ctx.secret),
      status: 'pending',
      next_attempt_at: now,
      created_at: now,
      attempts: 0,
      claimed_until: null,
      last_error: null,
      sent_at: null,
    })
    .onConflict((conflict) => conflict.column('state_key').doNothing())
    .execute()
  ctx.afterCommit(() => ctx.wakeups.emit(MAIL_JOB))
  return true
}

/** Daily limit of mails to an address, for kinds that anybody can cause by registering with it. */
const MAX_PER_DAY = {
  invite: { most: 20, states: 'invite:%' },
  change_email: { most: 10, states: 'change_email:%' },
  email_changed: { most: 10, states: 'email_changed:%' },
  verify_email: { most: 10, states: 'verify_email:%' },
  reset_password: { most: 10, states: 'reset_password:%' },
  added: { most: 20, states: 'notice:%:workspace.added:%' },
  workspace_deleted: { most: 20, states: 'workspace_deleted:%' },
}

/** Limits of a caller do not protect a mailbox from several callers or from many days. */
export async function hasRoomInMailbox(
  ctx: Ctx,
  kind: keyof typeof MAX_PER_DAY,
  address: string,
): Promise<boolean> {
  if (!ctx.config.rateLimit) return true
  const { most, states } = MAX_PER_DAY[kind]
  const { mails } = await ctx.db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('mails'))
    .where(isTo(address))
    .where('created_at', '>', new Date(ctx.now().getTime() - DAY_MS).toISOString())
    .where('state_key', 'like', states)
    .where('status', '!=', 'cancelled')
    .executeTakeFirstOrThrow()
  return Number(mails) < most
}

const TRY_AGAIN_SECONDS = 3600

/** Throws if the mailbox is full, for calls that are useless without their mail. */
export async function requireRoomInMailbox(
  ctx: Ctx,
  kind: keyof typeof MAX_PER_DAY,
  address: string,
): Promise<void> {
  if (!(await hasRoomInMailbox(ctx, kind, address)))
    throw rateLimited(
      { limit: MAX_PER_DAY[kind].most, resetSeconds: TRY_AGAIN_SECONDS },
      'This address has got too many such mails today.',
    )
}

/** Returns when the newest mail about one of these states was written. Mails are kept for a month. */
export async function lastMailAt(ctx: Ctx, stateKeys: readonly string[]): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('created_at').as('at'))
    .where('state_key', 'in', stateKeys)
    .executeTakeFirst()
  return row?.at ?? undefined
}

export async function lastFingerprint(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select('sealed_with')
    .orderBy('mail_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sealed_with
}

export async function countMailsOfOtherKeys(db: Db, fingerprint: string): Promise<number> {
  const { waiting } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('status', '=', 'pending')
    .where('sealed_with', '!=', fingerprint)
    .executeTakeFirstOrThrow()
  return Number(waiting)
}

/** Seals the waiting mails with the new secret; returns how many. Mails of a third secret stay unchanged. */
export async function resealMails(db: Db, from: string, to: string): Promise<number> {
  const waiting = await db
    .selectFrom('outbox')
    .select(['mail_id', 'text_body', 'html_body'])
    .where('status', '=', 'pending')
    .where('sealed_with', '=', fingerprintOf(from))
    .execute()
  let resealed = 0
  for (const { mail_id, ...bodies } of waiting) {
    const [text_body, html_body] = [reseal(bodies.text_body, from, to), reseal(bodies.html_body, from, to)]
    if (text_body === null || html_body === null) continue
    const change = { text_body, html_body, sealed_with: fingerprintOf(to) }
    await db.updateTable('outbox').set(change).where('mail_id', '=', mail_id).execute()
    resealed += 1
  }
  return resealed
}

const cancelWaiting = (ctx: Ctx, isMeant: Expression<SqlBool>) =>
  ctx.db
    .updateTable('outbox')
    .set({ status: 'cancelled', text_body: '', html_body: '' })
    .where('status', '=', 'pending')
    .where(isMeant)
    .execute()

/** Cancels the waiting mails about `<what>:<id>`, whose link no longer works. */
export async function cancelMails(ctx: Ctx, about: string): Promise<void> {
  await cancelWaiting(ctx, sql`state_key like ${`${about}:%`}`)
}

export async function cancelMail(ctx: Ctx, stateKey: string): Promise<void> {
  await cancelWaiting(ctx, sql`state_key = ${stateKey}`)
}

/** Cancels the waiting mails to an address, in upper or lower case. */
export async function cancelMailsTo(ctx: Ctx, address: string): Promise<void> {
  await cancelWaiting(ctx, isTo(address))
}

type MailLink = { text: string; url: string }

export type Words = string | readonly (string | Localised | MailLink)[]

export type MailSection = {
  heading: MailLink
  lists: readonly { heading: string; items: readonly Words[] }[]
}

type MailContent = {
  heading: string
  lines: readonly Words[]
  sections?: readonly MailSection[]
  button: { label: string; url: string }
  footer: Words
}

const partsOf = (words: Words) => (typeof words === 'string' ? [words] : words)

const textOf = (words: Words): string =>
  partsOf(words)
    .map((part) => {
      if (typeof part === 'string') return part
      return 'url' in part ? `${part.text} (${part.url})` : part.text
    })
    .join('')

const linkHtml = ({ text, url }: MailLink): string =>
  `<a href="${escapeHtml(url)}" style="color:#4338ca">${escapeHtml(text)}</a>`

const htmlOf = (words: Words): string =>
  partsOf(words)
    .map((part) => {
      if (typeof part === 'string') return escapeHtml(part)
      const text = escapeHtml(part.text)
      if ('url' in part) return linkHtml(part)
      return part.language === DEFAULT_LANGUAGE
        ? text
        : `<span lang="${escapeHtml(part.language)}">${text}</span>`
    })
    .join('')

const sectionText = ({ heading, lists }: MailSection): string[] => [
  '',
  textOf([heading]),
  ...lists.flatMap((list) => ['', `${list.heading}:`, ...list.items.map((item) => `- ${textOf(item)}`)]),
]

const sectionHtml = ({ heading, lists }: MailSection): string =>
  `<h2 style="font-size:15px;margin:24px 0 0;border-top:1px solid #e3e6ec;padding-top:16px">${linkHtml(heading)}</h2>${lists
    .map(
      (list) =>
        `<h3 style="font-size:13px;margin:12px 0 4px;color:#5b6472">${escapeHtml(list.heading)}</h3><ul style="margin:0;padding-left:20px">${list.items
          .map((item) => `<li style="margin:0 0 4px;overflow-wrap:anywhere">${htmlOf(item)}</li>`)
          .join('')}</ul>`,
    )
    .join('')}`

export function mailWithButton({ heading, lines, sections = [], button, footer }: MailContent): {
  text: string
  html: string
} {
  const text = [
    heading,
    '',
    ...lines.map(textOf),
    ...sections.flatMap(sectionText),
    '',
    `${button.label}: ${button.url}`,
    '',
    textOf(footer),
    '',
  ].join('\n')
  const paragraphs = lines.map((line) => `<p>${htmlOf(line)}</p>`).join('')
  const html = `<!doctype html><html lang="en"><body style="font:15px/1.5 system-ui,sans-serif;color:#1c2330;max-width:480px;margin:24px auto;padding:0 16px">
<h1 style="font-size:20px">${escapeHtml(heading)}</h1>${paragraphs}${sections.map(sectionHtml).join('')}
<p style="margin-top:24px"><a href="${escapeHtml(button.url)}" style="display:inline-block;background:#4f46e5;color:#fff;padding:8px 16px;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="font-size:12px;color:#5b6472">${htmlOf(footer)}<br>${escapeHtml(button.url)}</p></body></html>`
  return { text, html }
}

/** Reads the configuration: a restore has no transport, and its vault may still send mail. */
export const isEveryAddressProven = ({ config }: Pick<Ctx, 'config'>): boolean =>
  config.mail.smtpUrl === undefined
