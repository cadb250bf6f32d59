import { type Ctx, inTx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { FeedbackKind } from '../../db/knowledge-schema.ts'
import type { UsersTable } from '../../db/schema.ts'
import { localNumber, localTime } from '../../shared/language.ts'
import { DAY_MS } from '../../shared/time.ts'
import { beginningOf } from '../../text/unicode.ts'
import { findUser, settingsOf } from '../identity/index.ts'
import {
  enqueueMail,
  lastMailAt,
  mailbox,
  mailWithButton,
  type WaitingMail,
  type Words,
} from '../mail/index.ts'

async function ownersToTell(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('card_feedback')
    .innerJoin('cards', 'cards.card_id', 'card_feedback.card_id')
    .select('cards.owner_id')
    .distinct()
    .where('card_feedback.told_at', 'is', null)
    .where('cards.owner_id', '>', after)
    .orderBy('cards.owner_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.owner_id)
}

type Untold = {
  card_id: string
  title: string
  kind: FeedbackKind
  people: number
  first_at: string
  last_at: string
}

async function untoldOf(db: Db, ownerId: string): Promise<Untold[]> {
  return db
    .selectFrom('card_feedback')
    .innerJoin('cards', 'cards.card_id', 'card_feedback.card_id')
    .select((eb) => [
      'cards.card_id',
      'cards.title',
      'card_feedback.kind',
      eb.fn.countAll<number>().as('people'),
      eb.fn.min('card_feedback.created_at').as('first_at'),
      eb.fn.max('card_feedback.created_at').as('last_at'),
    ])
    .where('card_feedback.told_at', 'is', null)
    .where('cards.owner_id', '=', ownerId)
    .where('card_feedback.withdrawn_at', 'is', null)
    .where('cards.deleted_at', 'is', null)
    .groupBy(['cards.card_id', 'cards.title', 'card_feedback.kind'])
    .orderBy('people', 'desc')
    .orderBy('cards.card_id')
    .orderBy('card_feedback.kind')
    .execute()
}

async function markTold(db: Db, ownerId: string, now: string): Promise<void> {
  await db
    .updateTable('card_feedback')
    .set({ told_at: now })
    .where('told_at', 'is', null)
    .where('card_id', 'in', (eb) =>
      eb.selectFrom('cards').select('cards.card_id').where('cards.owner_id', '=', ownerId),
    )
    .execute()
}

/** Sends at most one mail a day about new feedback. */

const OWNERS_AT_ONCE = 100
const MAX_CARDS = 20
const MAX_TITLE_LENGTH = 100

const KIND_WORDS = { useful: 'worked', not_applicable: 'failed', outdated: 'outdated' } as const

function shortTitle(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim()
  return beginningOf(line, MAX_TITLE_LENGTH)
}

function cardLine(rows: readonly Untold[], language: string): Words {
  return [
    `“${shortTitle(rows[0]?.title ?? '')}”: `,
    ...rows.flatMap(({ kind, people }, index) => [
      index > 0 ? ', ' : '',
      localNumber(language, people),
      ` × ${KIND_WORDS[kind]}`,
    ]),
  ]
}

/** Makes the mail, with counts only: a mail in our name must not carry a comment of another person. */
function digestMail(untold: readonly Untold[], { language, baseUrl }: { language: string; baseUrl: string }) {
  const byCard = Map.groupBy(untold, (row) => row.card_id)
  const cards = [...byCard.values()]
  const first = untold.reduce((at, row) => (row.first_at < at ? row.first_at : at), untold[0]?.first_at ?? '')
  const last = untold.reduce((at, row) => (row.last_at > at ? row.last_at : at), '')
  const subject = cards.length === 1 ? 'Feedback on your card' : 'Feedback on your cards'
  const when: Words =
    first === last
      ? ['On ', localTime(language, first), ':']
      : ['From ', localTime(language, first), ' to ', localTime(language, last), ':']
  const left = cards.length - MAX_CARDS
  const more: Words[] =
    left > 0 ? [['… and ', localNumber(language, left), left === 1 ? ' more card.' : ' more cards.']] : []
  return {
    subject,
    ...mailWithButton({
      heading: subject,
      lines: [when, ...cards.slice(0, MAX_CARDS).map((rows) => cardLine(rows, language)), ...more],
      button: { label: 'See your cards', url: `${baseUrl}/cards` },
      footer: `You get at most one such mail a day. To stop them, turn off e-mail notifications: ${baseUrl}/settings`,
    }),
  }
}

/** Requires a confirmed address, because anybody can register another person's address. */
const wantsMail = (user: UsersTable | undefined): user is UsersTable & { email: string } =>
  user !== undefined &&
  user.email !== null &&
  user.email_verified === 1 &&
  settingsOf(user).email_notifications

/** Contains the day, so that there is at most one mail a day. */
const stateKey = (ownerId: string, day: Date) => `feedback:${ownerId}:${day.toISOString().slice(0, 10)}`

/** Runs in one transaction, so that parallel processes neither repeat nor lose feedback. */
const tell = (ctx: Ctx, ownerId: string): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const now = ctx.now()
    const user = await findUser(ctx.db, ownerId)
    const today = stateKey(ownerId, now)
    if (wantsMail(user)) {
      const yesterday = stateKey(ownerId, new Date(now.getTime() - DAY_MS))
      const last = await lastMailAt(ctx, [today, yesterday])
      if (last !== undefined && now.getTime() - Date.parse(last) < DAY_MS) return
      const untold = await untoldOf(ctx.db, ownerId)
      const { language } = settingsOf(user)
      if (untold.length > 0)
        await enqueueMail(ctx, today, {
          to: user.email,
          ...digestMail(untold, { language, baseUrl: ctx.config.baseUrl }),
        })
    }
    await markTold(ctx.db, ownerId, now.toISOString())
  })

export async function feedbackMailNow(ctx: Ctx, mail: WaitingMail): Promise<WaitingMail | null> {
  const user = await findUser(ctx.db, mail.stateKey.split(':')[1] ?? '')
  return wantsMail(user) && mailbox(user.email) === mail.to ? mail : null
}

/** Mails new feedback in a job. Feedback that came while a person wanted no mail is not mailed later. */
export async function mailFeedback(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  if (!ctx.adapters.mail) return
  for (let after = ''; !stopping.aborted; ) {
    const owners = await ownersToTell(ctx.db, after, OWNERS_AT_ONCE)
    for (const ownerId of owners) {
      if (stopping.aborted) return
      await tell(ctx, ownerId)
    }
    if (owners.length < OWNERS_AT_ONCE) return
    after = owners.at(-1) ?? after
  }
}
