import { sql } from 'kysely'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { sha256 } from '../../core/crypto.ts'
import { conflict, missingScope, notAuthenticated, notFound, rateLimited } from '../../core/errors.ts'
import { flag } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardReportsTable, ModerationMattersTable } from '../../db/knowledge-schema.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { audit } from '../audit/index.ts'
import {
  CardId,
  hideCard,
  isListed,
  lockAnyCard,
  type ModeratedCard,
  mayRead,
  trustCounts,
} from '../cards/index.ts'
import { accountAge, factorOfAge } from '../identity/index.ts'
import { isEveryAddressProven } from '../mail/index.ts'
import { endTeamMatters, insertMatter, updateMatter, waitingMatter, wasKept } from './matters.ts'
import { hasNoModerator, tellModerators, tellOwner } from './moderators.ts'
import { CardReport, CardReported, ReportableCard } from './schemas.ts'

/** The viewer id of a signed-out reader; the public scope ignores it. */
const NOBODY = ''

const reportableCard = (db: Db, cardId: string, viewerId: string | null) =>
  db
    .selectFrom('cards')
    .selectAll()
    .where('card_id', '=', cardId)
    .where(viewerId === null ? isListed(db, NOBODY, 'public') : mayRead(viewerId))
    .executeTakeFirst()

async function isOpenNow(db: Db, workspaceId: string): Promise<boolean> {
  const { visibility } = await db
    .selectFrom('workspaces')
    .select('visibility')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return visibility !== 'private'
}

async function countAnonymous(db: Db, matterId: string): Promise<number> {
  const { count } = await db
    .selectFrom('card_reports')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('matter_id', '=', matterId)
    .where('user_id', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

async function isReported(db: Db, matterId: string, reporterKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('card_reports')
    .select('report_id')
    .where('matter_id', '=', matterId)
    .where('reporter_key', '=', reporterKey)
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps a report in another matter: a dismissed report must still count against its author. */
async function putReport(db: Db, row: CardReportsTable): Promise<void> {
  const { kind, note, card_version, created_at } = row
  await db
    .updateTable('card_reports')
    .set({ reporter_key: sql<string>`'former:' || report_id` })
    .where('card_id', '=', row.card_id)
    .where('reporter_key', '=', row.reporter_key)
    .where('matter_id', '!=', row.matter_id)
    .execute()
  await db
    .insertInto('card_reports')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['card_id', 'reporter_key']).doUpdateSet({ kind, note, card_version, created_at }),
    )
    .execute()
}

export const reportsOf = (db: Db, matterId: string, limit: number) =>
  db
    .selectFrom('card_reports')
    .selectAll()
    .where('matter_id', '=', matterId)
    .orderBy('created_at', 'desc')
    .orderBy('report_id', 'desc')
    .limit(limit)
    .execute()

export async function firstReportedVersion(db: Db, matterId: string): Promise<number | null> {
  const { first } = await db
    .selectFrom('card_reports')
    .select((eb) => eb.fn.min('card_version').as('first'))
    .where('matter_id', '=', matterId)
    .executeTakeFirstOrThrow()
  return first
}

const MAX_WEIGHED = 200

const decidedReports = (decision: 'for' | 'against') =>
  sql<number>`(select count(*) from card_reports as former
    join moderation_matters on moderation_matters.matter_id = former.matter_id
    where former.user_id = ${sql.ref('users.user_id')} and moderation_matters.decision is not null
      and moderation_matters.decision ${sql.raw(decision === 'for' ? '<>' : '=')} 'keep')`

/** Queried separately: cards and reports are on different nodes of a cluster. */
async function trustedAmong(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('card_verdicts')
    .select('owner_id')
    .distinct()
    .where('owner_id', 'in', userIds)
    .whereRef('user_id', '!=', 'owner_id')
    .where('outcome', '=', 'worked')
    .execute()
  return new Set(rows.map((row) => row.owner_id))
}

async function reportersOf(db: Db, matterId: string, everybodyIsProven: boolean): Promise<Reporter[]> {
  const rows = await db
    .selectFrom('card_reports')
    .innerJoin('users', 'users.user_id', 'card_reports.user_id')
    .select([
      'users.user_id',
      'users.created_at',
      'users.email_verified',
      decidedReports('for').as('upheld'),
      decidedReports('against').as('dismissed'),
    ])
    .where('card_reports.matter_id', '=', matterId)
    .where('users.deleted_at', 'is', null)
    .orderBy('users.created_at')
    .limit(MAX_WEIGHED)
    .execute()
  const trusted = await trustedAmong(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({
    userId: row.user_id,
    since: row.created_at,
    isProven: everybodyIsProven || row.email_verified === 1,
    upheld: row.upheld,
    dismissed: row.dismissed,
    isTrusted: trusted.has(row.user_id),
  }))
}

async function bondsAmong(db: Db, userIds: readonly string[]): Promise<Bond[]> {
  if (userIds.length < 2) return []
  const teams = await db
    .selectFrom('memberships as one')
    .innerJoin('memberships as other', 'other.workspace_id', 'one.workspace_id')
    .select(['one.user_id as a', 'other.user_id as b'])
    .distinct()
    .where('one.user_id', 'in', userIds)
    .where('other.user_id', 'in', userIds)
    .whereRef('one.user_id', '<', 'other.user_id')
    .execute()
  const praise = await db
    .selectFrom('card_verdicts')
    .select(['user_id as a', 'owner_id as b'])
    .distinct()
    .where('user_id', 'in', userIds)
    .where('owner_id', 'in', userIds)
    .whereRef('user_id', '!=', 'owner_id')
    .where('outcome', '=', 'worked')
    .execute()
  return [...teams, ...praise].map(({ a, b }) => ({ a, b }))
}

async function forgetReporter(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('card_reports')
    .set({ user_id: null, reporter_key: sql<string>`'left:' || report_id` })
    .where('user_id', '=', userId)
    .execute()
}

async function forgetWords(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable('moderation_matters')
    .set({ ask_note: null, appeal_note: null })
    .where('owner_id', '=', ownerId)
    .execute()
}

export type Reporter = {
  userId: string
  since: string
  /** The e-mail address is proven, or the server sends no mail and nobody can prove an address. */
  isProven: boolean
  upheld: number
  dismissed: number
  /** Somebody else has used a card of this person successfully. */
  isTrusted: boolean
}

/** Two people who share a team or praise each other's cards. Their reports count as one. */
type Bond = { a: string; b: string }

type Reports = { reporters: readonly Reporter[]; bonds: readonly Bond[]; anonymous: number }

/** docs/guide/moderation.md explains these numbers. */
const REPORT_WEIGHTS = {
  person: 1,
  trusted: 1.5,
  unproven: 0.1,
  anonymous: 0.05,
  /** Limits the sum of unknown reporters, because anybody can create accounts in bulk. */
  mostUnknown: 0.5,
  threshold: 3,
  /** Each person for whom the card worked raises the threshold, up to this much. */
  perConfirmation: 0.5,
  mostForConfirmations: 5,
  /** The reports must come from this many unconnected groups of established people. */
  leastGroups: 3,
} as const

type Standing = { weight: number; isUnknown: boolean; isEstablished: boolean }

function standingOf(reporter: Reporter, now: Date): Standing {
  const { unproven, trusted, person } = REPORT_WEIGHTS
  const age = accountAge(reporter.since, now)
  const byRecord = (reporter.upheld + 2) / (reporter.upheld + 2 * reporter.dismissed + 2)
  const byAddress = reporter.isProven ? 1 : unproven
  return {
    weight: (reporter.isTrusted ? trusted : person) * factorOfAge(age) * byRecord * byAddress,
    isUnknown: age === 'young' || !reporter.isProven,
    isEstablished: age === 'established' && reporter.isProven,
  }
}

function groupsOf({ reporters, bonds }: Reports): Map<string, string> {
  const leader = new Map(reporters.map(({ userId }) => [userId, userId]))
  const find = (id: string): string => {
    let at = id
    while (leader.get(at) !== at) at = leader.get(at) ?? at
    return at
  }
  for (const { a, b } of bonds) if (leader.has(a) && leader.has(b)) leader.set(find(a), find(b))
  return new Map(reporters.map(({ userId }) => [userId, find(userId)]))
}

type Weighed = { weight: number; groups: number }

const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0)

export function weighReports(reports: Reports, now: Date): Weighed {
  const groups = groupsOf(reports)
  const heaviest = new Map<string, Standing>()
  for (const reporter of reports.reporters) {
    const group = groups.get(reporter.userId) ?? reporter.userId
    const standing = standingOf(reporter, now)
    if (standing.weight > (heaviest.get(group)?.weight ?? 0)) heaviest.set(group, standing)
  }
  const all = [...heaviest.values()]
  const known = all.filter(({ isUnknown }) => !isUnknown).map(({ weight }) => weight)
  const unknown = all.filter(({ isUnknown }) => isUnknown).map(({ weight }) => weight)
  const { anonymous, mostUnknown } = REPORT_WEIGHTS
  const ofUnknown = Math.min(mostUnknown, sumOf(unknown) + anonymous * reports.anonymous)
  return {
    weight: Math.round((sumOf(known) + ofUnknown) * 100) / 100,
    groups: all.filter(({ isEstablished }) => isEstablished).length,
  }
}

export const thresholdFor = (peopleWhoConfirmed: number): number =>
  REPORT_WEIGHTS.threshold +
  Math.min(REPORT_WEIGHTS.mostForConfirmations, REPORT_WEIGHTS.perConfirmation * peopleWhoConfirmed)

export const hidesCard = ({ weight, groups }: Weighed, threshold: number): boolean =>
  weight >= threshold && groups >= REPORT_WEIGHTS.leastGroups

const REPORTS_A_MINUTE = 10
const ANONYMOUS_A_MINUTE = 5
/** The limit per matter: anonymous reports weigh little, and more would only fill the disk. */
const MAX_ANONYMOUS = 50

/** Hashed, so that the stored key does not reveal an IP address. */
const reporterKey = ({ viewer, hashKey, ip }: Ctx): string =>
  viewer ? viewer.userId : `address:${sha256(`report\n${hashKey}\n${ip}`)}`

function requireReporter(ctx: Ctx): void {
  if (ctx.viewer && !ctx.viewer.scopes.has('record')) throw missingScope(['record'])
  if (!ctx.viewer && !ctx.config.publicPages)
    throw notAuthenticated(
      'Sign in to report a card. This server shows cards only to people who are signed in.',
    )
}

function requireModestReporter(ctx: Ctx): void {
  requireReporter(ctx)
  if (!ctx.config.rateLimit) return
  const state = ctx.viewer
    ? ctx.limits.hit(`report:${ctx.viewer.userId}`, REPORTS_A_MINUTE)
    : ctx.limits.hit(`report-from:${ctx.ip}`, ANONYMOUS_A_MINUTE)
  if (state.exceeded) throw rateLimited(state, 'Too many reports.')
}

export const newMatter = (
  ctx: Ctx,
  card: Pick<ModeratedCard, 'card_id' | 'owner_id' | 'version'>,
  more: Pick<ModerationMattersTable, 'cause' | 'workspace_id' | 'ask_note' | 'was_open'>,
): ModerationMattersTable => {
  const now = ctx.now().toISOString()
  return {
    matter_id: newId(),
    card_id: card.card_id,
    owner_id: card.owner_id,
    status: 'open',
    revision: 1,
    card_version: card.version,
    hidden_by_reports: 0,
    decision: null,
    reason: null,
    decided_by: null,
    decided_at: null,
    decided_version: null,
    decided_by_service: 0,
    can_appeal: 0,
    appeal_note: null,
    appealed_at: null,
    created_at: now,
    updated_at: now,
    ...more,
  }
}

const isCrowded = async (ctx: Ctx, matterId: string): Promise<boolean> =>
  (await countAnonymous(ctx.db, matterId)) >= MAX_ANONYMOUS

async function matterFor(
  ctx: Ctx,
  card: ModeratedCard,
  waiting: ModerationMattersTable | undefined,
): Promise<ModerationMattersTable> {
  const { workspace_id } = card
  const was_open = flag(await isOpenNow(ctx.db, workspace_id))
  if (waiting) {
    await updateMatter(ctx.db, waiting.matter_id, {
      card_version: card.version,
      was_open,
      updated_at: ctx.now().toISOString(),
    })
    return waiting
  }
  const made = newMatter(ctx, card, { cause: 'reports', workspace_id, ask_note: null, was_open })
  await insertMatter(ctx.db, made)
  await tellModerators(ctx, made)
  return made
}

export async function weightOf(ctx: Ctx, matterId: string, card: Pick<ModeratedCard, 'trust'>) {
  const reporters = await reportersOf(ctx.db, matterId, isEveryAddressProven(ctx))
  const bonds = await bondsAmong(
    ctx.db,
    reporters.map(({ userId }) => userId),
  )
  const anonymous = await countAnonymous(ctx.db, matterId)
  const weighed = weighReports({ reporters, bonds, anonymous }, ctx.now())
  return { ...weighed, threshold: thresholdFor(trustCounts(card.trust)?.worked ?? 0) }
}

/** Hides the card until a moderator looks at it. A version that moderators have kept is not hidden again. */
async function hideIfHeavy(ctx: Ctx, found: ModerationMattersTable, card: ModeratedCard): Promise<void> {
  if (card.hidden_at !== null || (await wasKept(ctx.db, card))) return
  const { threshold, ...weighed } = await weightOf(ctx, found.matter_id, card)
  if (!hidesCard(weighed, threshold)) return
  await hideCard(ctx, card)
  await updateMatter(ctx.db, found.matter_id, { hidden_by_reports: 1, revision: found.revision + 1 })
  await tellOwner(ctx, found, 'hidden_by_reports')
  await audit(
    { ...ctx, viewer: null },
    {
      action: 'card.hidden_by_reports',
      subject: { type: 'card', id: card.card_id },
      workspaceId: found.workspace_id,
      details: { matter_id: found.matter_id, weight: weighed.weight, threshold },
    },
  )
}

async function cardToReport(ctx: Ctx, cardId: string): Promise<ModeratedCard> {
  const card = await reportableCard(ctx.db, cardId, ctx.viewer?.userId ?? null)
  if (!card) throw notFound('Card')
  if (card.owner_id === ctx.viewer?.userId)
    throw conflict('own_card', 'This is your own card. Change it, take it back or delete it.')
  // Moderators of the service see only what strangers could read, not a draft that a colleague reports.
  if (card.status !== 'published')
    throw conflict('not_shared', 'This card is not shared yet. Talk to its owner.')
  // A report that no moderator may read is refused.
  if (await hasNoModerator(ctx.db, card))
    throw conflict(
      'no_moderator',
      'Only admins of this private team decide about its cards, and nobody but the owner of this card is one. Talk to them.',
    )
  return card
}

export const readReportable = capability({
  name: 'cards.reportable',
  summary: 'The card that a report would be about',
  description:
    'Says beforehand whether you can report it, with the errors that the report would have. A key also needs the scope search, as for every title.',
  scopes: 'public',
  rest: ['GET /api/v1/cards/{card_id}/report'],
  input: CardId,
  output: ReportableCard,
  errors: [401, 403, 404, 409],
  run: async (ctx, { card_id }) => {
    requireReporter(ctx)
    if (ctx.viewer && !ctx.viewer.scopes.has('search')) throw missingScope(['search'])
    const { title } = await cardToReport(ctx, card_id)
    return { card_id, title }
  },
})

export const reportCard = capability({
  name: 'cards.report',
  summary: 'Report a card to its moderators',
  description:
    'For every card that you may read; without an account for the cards of the public pages, few a minute from one address. One report for each person and card: until it is decided, a new one replaces the former. Moderators see what you write, and not who you are. Enough reports of people who have nothing to do with each other hide a card until a moderator has looked. Secrets in the note are replaced by placeholders.',
  scopes: 'public',
  hasAuthor: true,
  rest: ['POST /api/v1/cards/{card_id}/report', 'POST /api/v1/cases/{case_id}/report'],
  aliases: { case_id: 'card_id' },
  status: 201,
  input: CardReport,
  output: CardReported,
  errors: [401, 403, 404, 409, 429],
  run: async (ctx, { card_id, kind, note: given }) => {
    requireModestReporter(ctx)
    const note = cleanOptional(given, new Findings())
    const reporter_key = reporterKey(ctx)
    return inTx(
      ctx,
      async (ctx) => {
        await lockAnyCard(ctx, card_id)
        const card = await cardToReport(ctx, card_id)
        const waiting = await waitingMatter(ctx.db, card_id, card.workspace_id)
        const replaced = waiting !== undefined && (await isReported(ctx.db, waiting.matter_id, reporter_key))
        const answer = { card_id, kind, replaced }
        if (!ctx.viewer && !replaced && waiting && (await isCrowded(ctx, waiting.matter_id))) return answer
        const found = await matterFor(ctx, card, waiting)
        const now = ctx.now().toISOString()
        await putReport(ctx.db, {
          report_id: newId(),
          card_id,
          matter_id: found.matter_id,
          user_id: ctx.viewer?.userId ?? null,
          reporter_key,
          kind,
          note,
          card_version: card.version,
          created_at: now,
        })
        // Recorded without a workspace, so that its admins do not learn who reported.
        if (!replaced)
          await audit(ctx, {
            action: 'card.reported',
            subject: { type: 'card', id: card_id },
            details: { matter_id: found.matter_id, kind },
          })
        await hideIfHeavy(ctx, found, card)
        return answer
      },
      SELF_GUARDED,
    )
  },
})

/** Removes the author from reports and deletes what the person wrote to moderators. Decisions and bans stay. */
export async function forgetReportsOf(ctx: Ctx, userId: string): Promise<void> {
  await forgetReporter(ctx.db, userId)
  await forgetWords(ctx.db, userId)
}

export const endModerationIn = (ctx: Ctx, workspaceId: string): Promise<void> =>
  endTeamMatters(ctx.db, workspaceId, ctx.now().toISOString())
