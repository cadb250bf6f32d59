/** The weekly mail about a person's teams, for those who asked for it. */
import { type Ctx, inTx } from '../../core/context.ts'
import { localDay, localNumber } from '../../core/language.ts'
import { withoutLinks } from '../../core/names.ts'
import type { UsersTable } from '../../db/tables/accounts.ts'
import { settingsOf } from '../identity/users/user-settings.ts'
import { findUser } from '../identity/users/users.ts'
import { enqueueMail, lastMailAt, mailbox } from '../mail/outbox.ts'
import type { WaitingMail } from '../mail/sender.ts'
import { type MailSection, mailWithButton, type Words } from '../mail/template.ts'
import { readersAfter, type Team, teamsOf } from './week.store.ts'
import { type TeamWeekAnswer, weekOf } from './week.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** 1970-01-05 was a Monday. Mails go out on Mondays from six o'clock UTC, within a day. */
const FIRST_MONDAY_MS = 4 * DAY_MS + 6 * HOUR_MS
const READERS_AT_ONCE = 100
const MOST_TEAMS = 10
const MOST_LINES = 5
const LONGEST_TITLE = 100

/** The last Monday, six o'clock UTC. */
const weekBegan = (now: Date): Date => new Date(now.getTime() - ((now.getTime() - FIRST_MONDAY_MS) % WEEK_MS))

/** The week is part of the key, so there is only one mail a week, even if several processes make it at once. */
const stateKey = (userId: string, now: Date) => `team:${userId}:${weekBegan(now).toISOString().slice(0, 10)}`

type Reader = { language: string; baseUrl: string }

/** Titles are other people's text, so nothing in them may become a link. */
function titleLine(title: string): string {
  const line = withoutLinks(title)
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE).toWellFormed().trimEnd()}…`
}

type List = MailSection['lists'][number]

const listOf = (heading: string, items: readonly Words[], hasMore: boolean): List[] =>
  items.length === 0
    ? []
    : [{ heading, items: hasMore ? [...items, '… and more on the team’s page'] : items }]

function listsFor(week: TeamWeekAnswer, { language, baseUrl }: Reader): List[] {
  const card = ({ card_id, title }: { card_id: string; title: string }) => ({
    text: titleLine(title),
    url: `${baseUrl}/cards/${card_id}`,
  })
  const by = (name: string | null) => (name === null ? '' : `, by ${withoutLinks(name)}`)
  const { cards, helped, missed_searches: missed, doubted, review, drafts } = week
  return [
    ...listOf(
      'New and changed cards',
      cards.items.map((one): Words => [card(one), ` · ${one.change}${by(one.by_name)}`]),
      cards.has_more,
    ),
    ...listOf(
      'What helped whom',
      helped.items.map(
        (one): Words => [
          card(one),
          one.said === 'worked'
            ? ` worked for ${withoutLinks(one.user_name)}`
            : ` was useful to ${withoutLinks(one.user_name)}`,
        ],
      ),
      helped.has_more,
    ),
    ...listOf(
      'Searches that found nothing',
      missed?.items.map((one): Words => [one.words, ' · ', localNumber(language, one.times), ' ×']) ?? [],
      missed?.has_more ?? false,
    ),
    ...listOf(
      'Called outdated',
      doubted.items.map((one): Words => [card(one), ' · ', localNumber(language, one.times), ' ×']),
      doubted.has_more,
    ),
    ...listOf('Waiting for review', review?.items.map((one) => [card(one)]) ?? [], review?.has_more ?? false),
    ...listOf(
      'Drafts by agents',
      drafts.items.map((one) => [card(one), `, of ${withoutLinks(one.owner_name)}`]),
      drafts.has_more,
    ),
  ]
}

type Told = { team: Pick<Team, 'workspace_id' | 'name'>; week: TeamWeekAnswer }

/** Null if nothing happened in any team. */
function teamMail(teams: readonly Told[], { since, now, ...reader }: Reader & { since: Date; now: Date }) {
  const sections = teams.flatMap(({ team, week }): MailSection[] => {
    const lists = listsFor(week, reader)
    const url = `${reader.baseUrl}/workspaces/${team.workspace_id}`
    return lists.length > 0 ? [{ heading: { text: withoutLinks(team.name), url }, lists }] : []
  })
  const [first] = sections
  if (!first) return null
  const subject = sections.length === 1 ? `This week in ${first.heading.text}` : 'This week in your teams'
  const { language, baseUrl } = reader
  return {
    subject,
    ...mailWithButton({
      heading: subject,
      lines: [['From ', localDay(language, since), ' to ', localDay(language, now), '.']],
      sections,
      button: {
        label: sections.length === 1 ? 'Open the team’s page' : 'Open your teams',
        url: sections.length === 1 ? first.heading.url : `${baseUrl}/workspaces`,
      },
      footer: `You asked for this mail, once a week. To stop it, open your settings: ${baseUrl}/settings`,
    }),
  }
}

/** Only to a confirmed address: anybody could have registered another one. */
const wantsMail = (user: UsersTable | undefined): user is UsersTable & { email: string } => {
  if (!user || user.email === null || user.email_verified !== 1) return false
  const { weekly_digest, email_notifications } = settingsOf(user)
  return weekly_digest && email_notifications
}

/** The mail about the week before `now`, or null if nothing happened in the teams of its reader. */
async function mailFor(ctx: Ctx, user: UsersTable, now: Date) {
  // From Monday to Monday, so that nothing is lost between two mails or told in both, whatever the hour.
  const until = weekBegan(now)
  const since = new Date(until.getTime() - WEEK_MS)
  const period = { since: since.toISOString(), until: until.toISOString() }
  const told: Told[] = []
  for (const team of await teamsOf(ctx.db, user.user_id, MOST_TEAMS)) {
    const member = { viewerId: user.user_id, role: team.role }
    told.push({
      team,
      week: await weekOf(ctx, team, member, { ...period, limit: MOST_LINES }),
    })
  }
  const { language } = settingsOf(user)
  return teamMail(told, { language, baseUrl: ctx.config.baseUrl, since, now })
}

async function tellReader(ctx: Ctx, userId: string): Promise<void> {
  const now = ctx.now()
  const state = stateKey(userId, now)
  const user = await findUser(ctx.db, userId)
  if (!wantsMail(user) || (await lastMailAt(ctx, [state])) !== undefined) return
  const mail = await mailFor(ctx, user, now)
  if (mail) await inTx(ctx, (ctx) => enqueueMail(ctx, state, { to: user.email, ...mail }))
}

/** Written anew when it is sent: its reader may have left a team meanwhile, or a card may be gone. */
export async function teamMailNow(ctx: Ctx, { stateKey, to, createdAt }: WaitingMail) {
  const user = await findUser(ctx.db, stateKey.split(':')[1] ?? '')
  return wantsMail(user) && mailbox(user.email) === to ? mailFor(ctx, user, new Date(createdAt)) : null
}

/** The job. Outside its hours there is nothing to do. */
export async function mailTeams(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  const now = ctx.now()
  if (!ctx.adapters.mail || now.getTime() - weekBegan(now).getTime() >= DAY_MS) return
  for (let after = ''; !stopping.aborted; ) {
    const readers = await readersAfter(ctx.db, after, READERS_AT_ONCE)
    for (const userId of readers) {
      if (stopping.aborted) return
      await tellReader(ctx, userId)
    }
    if (readers.length < READERS_AT_ONCE) return
    after = readers.at(-1) ?? after
  }
}
