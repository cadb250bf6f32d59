import { type Expression, sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { withoutLinks } from '../../core/untrusted-text.ts'
import type { Db } from '../../db/db.ts'
import type { Role, UsersTable } from '../../db/schema.ts'
import { localDay, localNumber } from '../../shared/language.ts'
import { DAY_MS } from '../../shared/time.ts'
import {
  AT_HOME,
  answered,
  type HomeAnswer,
  isCurrent,
  isListed,
  knownSince,
  mayRead,
  presentHomes,
  type Shown,
  teamOf,
} from '../cards/index.ts'
import { findUser, settingsOf } from '../identity/index.ts'
import {
  enqueueMail,
  lastMailAt,
  type MailSection,
  mailbox,
  mailWithButton,
  type WaitingMail,
  type Words,
} from '../mail/index.ts'
import { hasRole, policyOf, requireRole } from '../permissions/index.ts'
import { missedByWeek, missedSearches } from '../search/index.ts'
import { cardsToReview, QueueItem, stands } from '../trust/index.ts'

/** The viewer, the workspace, and the period, which excludes `until`. */
type WeekQuery = {
  viewerId: string
  workspaceId: string
  since: string
  until: string | undefined
  limit: number
}

const isBefore = (time: Expression<string>, until: string | undefined) =>
  until === undefined ? sql<boolean>`true` : sql<boolean>`${time} < ${until}`

/** When the card came to the team: by sharing, or by moving as a shared card. */
const cameAt = sql<string>`case when cards.seen_since > cards.published_at then cards.seen_since else cards.published_at end`

const CARD = [
  'cards.card_id',
  'cards.title',
  'cards.workspace_id',
  'cards.owner_id',
  'cards.status',
  'cards.review_status',
  'cards.hidden_at',
] as const

/** Includes cards that the team has published for everybody. */
const shared = (db: Db, { viewerId, workspaceId }: WeekQuery) =>
  db
    .selectFrom('cards')
    .select(teamOf(viewerId).as('team_id'))
    .where(isListed(db, viewerId, 'workspace', [workspaceId]))
    .where('cards.status', '=', 'published')

const newsOf = (db: Db, asked: WeekQuery) =>
  shared(db, asked)
    .leftJoin('memberships', (join) =>
      join
        .on('memberships.workspace_id', '=', asked.workspaceId)
        .onRef('memberships.user_id', '=', 'cards.edited_by'),
    )
    .leftJoin('users', 'users.user_id', 'memberships.user_id')
    .select(CARD)
    .select(['cards.card_type', 'cards.edited_at', cameAt.as('came_at'), 'users.display_name as by_name'])
    .where(isBefore(cameAt, asked.until))
    .where((eb) =>
      eb.or([
        eb.and([eb('cards.edited_at', '>=', asked.since), isBefore(eb.ref('cards.edited_at'), asked.until)]),
        eb(cameAt, '>=', asked.since),
      ]),
    )
    .where(isCurrent())
    .orderBy(sql`case when cards.edited_at > ${cameAt} then cards.edited_at else ${cameAt} end`, 'desc')
    .orderBy('cards.card_id')
    .limit(asked.limit)
    .execute()

/** Only verdicts since the card came to the team: earlier ones were given elsewhere. */
function saidHere({ viewerId }: WeekQuery) {
  const { time } = knownSince(viewerId)
  return sql<boolean>`(${time} is null or card_verdicts.created_at >= ${time})`
}

const workedFor = (db: Db, asked: WeekQuery) =>
  shared(db, asked)
    .innerJoin('card_verdicts', 'card_verdicts.card_id', 'cards.card_id')
    .innerJoin('memberships', (join) =>
      join
        .on('memberships.workspace_id', '=', asked.workspaceId)
        .onRef('memberships.user_id', '=', 'card_verdicts.user_id'),
    )
    .innerJoin('users', 'users.user_id', 'card_verdicts.user_id')
    .select(CARD)
    .select(['card_verdicts.user_id', 'users.display_name as user_name', 'card_verdicts.created_at as at'])
    .where('card_verdicts.outcome', '=', 'worked')
    .where('card_verdicts.created_at', '>=', asked.since)
    .where((eb) => isBefore(eb.ref('card_verdicts.created_at'), asked.until))
    .whereRef('card_verdicts.user_id', '!=', 'cards.owner_id')
    .where(saidHere(asked))
    .where(stands)
    .orderBy('card_verdicts.created_at', 'desc')
    .limit(asked.limit)
    .execute()

const draftsOf = (db: Db, { viewerId, workspaceId, until, limit }: WeekQuery) =>
  db
    .selectFrom('cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select([...CARD, 'users.display_name as owner_name', 'cards.created_at'])
    .select(teamOf(viewerId).as('team_id'))
    .where('cards.workspace_id', '=', workspaceId)
    .where('cards.status', '=', 'unpublished')
    .where('cards.recorded_with', 'in', ['api_key', 'oauth'])
    .where((eb) => isBefore(eb.ref('cards.created_at'), until))
    .where(mayRead(viewerId))
    .orderBy('cards.created_at', 'desc')
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

async function readersAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('user_id')
    .where('settings', 'like', '%"weekly_digest":true%')
    .where('deleted_at', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.user_id)
}

type Team = { workspace_id: string; name: string; policy_json: string | null; role: Role }

const teamsOf = (db: Db, userId: string, limit: number): Promise<Team[]> =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name', 'workspaces.policy_json', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .where('workspaces.type', '!=', 'personal')
    .orderBy('memberships.created_at')
    .orderBy('workspaces.workspace_id')
    .limit(limit)
    .execute()

const DEFAULT_DAYS = 7
const MAX_DAYS = 90
const MAX_SHOWN = 20

const Card = { card_id: AnswerId, title: z.string(), ...AT_HOME }

const partOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), has_more: z.boolean() })

const TeamWeek = z
  .object({
    workspace_id: AnswerId,
    since: Time,
    cards: partOf(
      z.object({
        ...Card,
        card_type: answered.card_type,
        change: z.enum(['new', 'changed']),
        by_name: z.string().nullable().describe('Who wrote this version, while they are a member'),
        at: Time,
      }),
    ).describe('Shared or changed since then, newest first'),
    helped: partOf(
      z.object({
        ...Card,
        user_id: AnswerId,
        user_name: z.string(),
        at: Time,
      }),
    ).describe('Which card of others worked for which member'),
    missed_searches: partOf(z.object({ words: z.string(), times: z.int(), last_at: Time }))
      .nullable()
      .describe(
        'Words of members’ searches in this team that found nothing; null where the policy keeps none',
      ),
    missed_by_week: z
      .array(z.object({ week: z.string().describe('Its Monday'), times: z.int() }))
      .nullable()
      .describe('How many of them there were in each of eight weeks, oldest first'),
    doubted: partOf(QueueItem).describe(
      'Cards that somebody called failed or outdated, as in the review queue',
    ),
    review: partOf(QueueItem).nullable().describe('Others to look at again; null for viewers'),
    drafts: partOf(z.object({ ...Card, owner_name: z.string(), created_at: Time })).describe(
      'Recorded here by an agent or a program and not shared yet: yours, and for editors and admins all',
    ),
  })
  .meta({ id: 'TeamWeek' })

type TeamWeekAnswer = z.input<typeof TeamWeek>

const part = <T>(rows: readonly T[], limit: number) => ({
  items: rows.slice(0, limit),
  has_more: rows.length > limit,
})

type ItemOf<Part extends 'cards' | 'helped'> = TeamWeekAnswer[Part]['items'][number]

type ShownItem<Item> = Omit<Item, keyof HomeAnswer> & Shown

async function newsFor(ctx: Ctx, asked: WeekQuery): Promise<ShownItem<ItemOf<'cards'>>[]> {
  const rows = await newsOf(ctx.db, asked)
  return rows.map(({ edited_at, came_at, ...row }) => {
    const isNew = came_at >= asked.since
    return {
      ...row,
      change: isNew ? 'new' : 'changed',
      at: isNew && came_at > edited_at ? came_at : edited_at,
    }
  })
}

async function helpIn(ctx: Ctx, asked: WeekQuery): Promise<ShownItem<ItemOf<'helped'>>[]> {
  const rows = await workedFor(ctx.db, asked)
  return [...Map.groupBy(rows, ({ card_id, user_id }) => `${card_id} ${user_id}`).values()].flatMap((said) =>
    said.slice(0, 1),
  )
}

type Part<Item> = { items: Item[]; has_more: boolean }

async function housed(ctx: Ctx, viewerId: string, parts: readonly Part<Shown>[]) {
  const cards = parts.flatMap(({ items }) => items)
  const homes = await presentHomes(ctx.db, viewerId, cards)
  return <Item extends Shown>({ items, has_more }: Part<Item>): Part<Item & HomeAnswer> => ({
    items: items.flatMap((item) => {
      const at = homes.get(item.card_id)
      return at ? [{ ...item, ...at }] : []
    }),
    has_more,
  })
}

type Member = { viewerId: string; role: Role }
type Workspace = { workspace_id: string; policy_json: string | null }

/** Returns what happened in a workspace, as far as the member may know. */
async function weekOf(
  ctx: Ctx,
  workspace: Workspace,
  { viewerId, role }: Member,
  { since, until, limit }: { since: string; until?: string; limit: number },
): Promise<TeamWeekAnswer> {
  const workspaceId = workspace.workspace_id
  const asked = { viewerId, workspaceId, since, until, limit: limit + 1 }
  const missed = policyOf(workspace).keepMissedSearches
    ? part(await missedSearches(ctx, workspaceId, { since, until }, limit + 1), limit)
    : null
  const missedWeeks = missed === null ? null : await missedByWeek(ctx, workspaceId)
  const isEditor = hasRole(role, 'editor')
  const queue = await cardsToReview(ctx, { viewerId, workspaceId, isEditor })
  const isDoubted = ({ reason }: (typeof queue)[number]) => reason === 'doubted'
  const cards = part(await newsFor(ctx, asked), limit)
  const helped = part(await helpIn(ctx, asked), limit)
  const drafts = part(await draftsOf(ctx.db, asked), limit)
  const withHomes = await housed(ctx, viewerId, [cards, helped, drafts])
  return {
    workspace_id: workspaceId,
    since,
    cards: withHomes(cards),
    helped: withHomes(helped),
    missed_searches: missed,
    missed_by_week: missedWeeks,
    doubted: part(queue.filter(isDoubted), limit),
    review: isEditor
      ? part(
          queue.filter((item) => !isDoubted(item)),
          limit,
        )
      : null,
    drafts: withHomes(drafts),
  }
}

export const readTeamWeek = capability({
  name: 'team.week',
  summary: 'What happened recently in a workspace, on one page; members only',
  description: `New and changed cards, what helped whom, searches without a hit, cards that are doubted or wait for review, and drafts by agents. At most ${MAX_SHOWN} of each.`,
  scopes: ['search'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/week'],
  errors: [404],
  input: z.object({ workspace_id: Id, days: z.int().min(1).max(MAX_DAYS).default(DEFAULT_DAYS) }),
  output: TeamWeek,
  run: async (ctx, { workspace_id, days }) => {
    const { workspace, role } = await requireRole(ctx, workspace_id, 'viewer')
    const since = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
    return weekOf(ctx, workspace, { viewerId: ctx.viewer.userId, role }, { since, limit: MAX_SHOWN })
  },
})

const HOUR_MS = 3_600_000
const WEEK_MS = 7 * DAY_MS
/** 1970-01-05 was a Monday. Mails go out on Mondays from 06:00 UTC, within a day. */
const FIRST_MONDAY_MS = 4 * DAY_MS + 6 * HOUR_MS
const READERS_AT_ONCE = 100
const MAX_TEAMS = 10
const MAX_LINES = 5
const MAX_TITLE_LENGTH = 100

const weekBegan = (now: Date): Date => new Date(now.getTime() - ((now.getTime() - FIRST_MONDAY_MS) % WEEK_MS))

/** The week is part of the key, so parallel processes send only one mail a week. */
const stateKey = (userId: string, now: Date) => `team:${userId}:${weekBegan(now).toISOString().slice(0, 10)}`

type Reader = { language: string; baseUrl: string }

/** Titles are other people's text, so nothing in them may become a link. */
function titleLine(title: string): string {
  const line = withoutLinks(title)
  return line.length <= MAX_TITLE_LENGTH
    ? line
    : `${line.slice(0, MAX_TITLE_LENGTH).toWellFormed().trimEnd()}…`
}

type List = MailSection['lists'][number]

const listOf = (heading: string, items: readonly Words[], hasMore: boolean): List[] =>
  items.length === 0
    ? []
    : [{ heading, items: hasMore ? [...items, '… and more on the team’s page'] : items }]

function doubtWords(doubt: TeamWeekAnswer['doubted']['items'][number]['doubt']): string {
  if (!doubt) return ''
  const who = doubt.user_name === null ? 'somebody' : withoutLinks(doubt.user_name)
  return doubt.outcome === 'failed' ? ` · failed for ${who}` : ` · called outdated by ${who}`
}

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
      helped.items.map((one): Words => [card(one), ` worked for ${withoutLinks(one.user_name)}`]),
      helped.has_more,
    ),
    ...listOf(
      'Searches that found nothing',
      missed?.items.map((one): Words => [one.words, ' · ', localNumber(language, one.times), ' ×']) ?? [],
      missed?.has_more ?? false,
    ),
    ...listOf(
      'Failed or called outdated',
      doubted.items.map((one): Words => [card(one), doubtWords(one.doubt)]),
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

/** Requires a confirmed address: anybody can register with the address of another person. */
const wantsMail = (user: UsersTable | undefined): user is UsersTable & { email: string } => {
  if (!user || user.email === null || user.email_verified !== 1) return false
  const { weekly_digest, email_notifications } = settingsOf(user)
  return weekly_digest && email_notifications
}

async function mailFor(ctx: Ctx, user: UsersTable, now: Date) {
  // From Monday to Monday, so that no event is lost or mailed twice, whatever the hour.
  const until = weekBegan(now)
  const since = new Date(until.getTime() - WEEK_MS)
  const period = { since: since.toISOString(), until: until.toISOString() }
  const told: Told[] = []
  for (const team of await teamsOf(ctx.db, user.user_id, MAX_TEAMS)) {
    const member = { viewerId: user.user_id, role: team.role }
    told.push({
      team,
      week: await weekOf(ctx, team, member, { ...period, limit: MAX_LINES }),
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

/** Renders the mail when it is sent: its reader may have left a team, or a card may be deleted. */
export async function teamMailNow(ctx: Ctx, { stateKey, to, createdAt }: WaitingMail) {
  const user = await findUser(ctx.db, stateKey.split(':')[1] ?? '')
  return wantsMail(user) && mailbox(user.email) === to ? mailFor(ctx, user, new Date(createdAt)) : null
}

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
