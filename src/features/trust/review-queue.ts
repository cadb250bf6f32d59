import { sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import type { CardStatus, ReviewStatus } from '../../db/knowledge-schema.ts'
import { daysBefore, jsonNumber } from '../../db/sql-values.ts'
import {
  AT_HOME,
  CardId,
  editableUnmerged,
  Home,
  isCurrent,
  isListed,
  knownSince,
  mayRead,
  mayUpdate,
  presentHomes,
  presentTrust,
  Readers,
  Trust,
  teamOf,
  trustSeenBy,
} from '../cards/index.ts'
import { tellAgainAfter } from '../notices/index.ts'
import { requireRole } from '../permissions/index.ts'
import { stands } from './refresh.ts'

const lastSure = sql<string>`case when confirmed_at > edited_at then confirmed_at else edited_at end`

const HEAD = [
  'cards.card_id',
  'cards.title',
  'cards.workspace_id',
  'cards.owner_id',
  'cards.status',
  'cards.review_status',
  'cards.hidden_at',
  'cards.seen_since',
] as const

/** Without `workspaceId` the viewer's own cards. In a workspace, viewers see only what is doubted. */
type Reviewed = { viewerId: string; workspaceId: string | undefined; isEditor: boolean }

/** Includes cards that the workspace has published for everybody, whoever may edit them there. */
const queued = (db: Db, { viewerId, workspaceId }: Reviewed) =>
  db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .select(HEAD)
    .select([trustSeenBy(viewerId).as('trust'), teamOf(viewerId).as('team_id')])
    .select((eb) => eb.case().when(mayUpdate(viewerId)).then(1).else(0).end().as('may_update'))
    .where(
      workspaceId === undefined
        ? isListed(db, viewerId, 'personal')
        : isListed(db, viewerId, 'workspace', [workspaceId]),
    )
    .where(isCurrent())

const editable = (db: Db, asked: Reviewed) => queued(db, asked).where(mayUpdate(asked.viewerId))

function pastInterval(db: Db, asked: Reviewed, now: string, limit: number) {
  const ofPolicy = jsonNumber(db, 'workspaces.policy_json', 'review_after_days')
  const days = sql<number | null>`coalesce(cards.review_after_days, ${ofPolicy})`
  return editable(db, asked)
    .select(lastSure.as('last_sure'))
    .where(lastSure, '<', daysBefore(db, now, days))
    .orderBy(lastSure)
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()
}

/** Holds until somebody edits the card or dismisses the doubt. A confirmation clears `doubted_at`. */
const isDoubted = sql<boolean>`cards.doubted_at > cards.edited_at
  and (cards.doubts_dismissed_at is null or cards.doubted_at > cards.doubts_dismissed_at)`

const doubted = (db: Db, asked: Reviewed, limit: number) =>
  queued(db, asked)
    .select(['cards.doubted_at', knownSince(asked.viewerId).time.as('known_since')])
    .where('cards.doubted_at', 'is not', null)
    .where(isDoubted)
    .orderBy('cards.doubted_at', 'desc')
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

type DoubtedCard = { card_id: string; owner_id: string; known_since: string | null; may_update: number }

const MAX_DOUBTS_READ = 1000

/**
 * Returns the newest doubt of each card, unless it was said before the card came into its workspace. Names are for
 * people who may edit the card; editors of the team that published it see those of members.
 */
async function newestDoubts(
  db: Db,
  { viewerId, workspaceId, isEditor }: Reviewed,
  cards: readonly DoubtedCard[],
) {
  if (cards.length === 0) return new Map<string, Doubt>()
  const doubted = new Map(cards.map((card) => [card.card_id, card]))
  const rows = await db
    .selectFrom('card_verdicts')
    .innerJoin('users', 'users.user_id', 'card_verdicts.user_id')
    .leftJoin('memberships', (join) =>
      join
        .on('memberships.workspace_id', '=', workspaceId ?? '')
        .onRef('memberships.user_id', '=', 'card_verdicts.user_id'),
    )
    .select(['card_verdicts.card_id', 'card_verdicts.outcome', 'card_verdicts.note'])
    .select(['card_verdicts.created_at as at', 'users.display_name as user_name'])
    .select('memberships.role as role_here')
    .where('card_verdicts.card_id', 'in', [...doubted.keys()])
    .where('card_verdicts.outcome', 'in', ['failed', 'stale'])
    .where(stands)
    .orderBy('card_verdicts.created_at', 'desc')
    .orderBy('card_verdicts.verdict_id', 'desc')
    .limit(MAX_DOUBTS_READ)
    .execute()
  const newest = new Map<string, Doubt>()
  for (const { card_id, outcome, role_here, user_name, ...row } of rows) {
    const card = doubted.get(card_id)
    if (!card || newest.has(card_id)) continue
    if (card.owner_id !== viewerId && row.at < (card.known_since ?? '')) continue
    const isNamed = card.may_update === 1 || (isEditor && role_here !== null)
    newest.set(card_id, {
      ...row,
      outcome: outcome === 'stale' ? 'stale' : 'failed',
      user_name: isNamed ? user_name : null,
    })
  }
  return newest
}

/** Uses two reads, because the cards may be in different shards. */
async function contradictions(db: Db, asked: Reviewed, limit: number) {
  const linked = await editable(db, asked)
    .innerJoin('card_links', 'card_links.from_card_id', 'cards.card_id')
    .select(['card_links.created_at as since', 'card_links.to_card_id as other_card_id'])
    .where('card_links.kind', '=', 'contradicts')
    .orderBy('card_links.created_at')
    .limit(limit)
    .execute()
  if (linked.length === 0) return []
  const others = await db
    .selectFrom('cards')
    .select(['card_id', 'title', 'workspace_id', 'owner_id', 'status', 'review_status', 'hidden_at'])
    .select(teamOf(asked.viewerId).as('team_id'))
    .where(
      'card_id',
      'in',
      linked.map((row) => row.other_card_id),
    )
    .where(mayRead(asked.viewerId))
    .where(isCurrent())
    .execute()
  const otherOf = new Map(others.map((other) => [`${other.workspace_id} ${other.card_id}`, other]))
  return linked.flatMap((row) => {
    const other = otherOf.get(`${row.workspace_id} ${row.other_card_id}`)
    return other ? [{ ...row, other }] : []
  })
}

/** Returns people who have an account and cards with an interval, by id after `after`. */
async function ownersWithIntervals(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select('cards.owner_id')
    .distinct()
    .where('cards.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('cards.review_after_days', 'is not', null),
        eb('workspaces.policy_json', 'like', '%"review_after_days"%'),
      ]),
    )
    .where('cards.owner_id', '>', after)
    .orderBy('cards.owner_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.owner_id)
}

async function dismissUntil(db: Db, cardId: string, at: string | null): Promise<void> {
  await db.updateTable('cards').set({ doubts_dismissed_at: at }).where('card_id', '=', cardId).execute()
}

async function setReviewDays(db: Db, cardId: string, days: number | null): Promise<void> {
  await db.updateTable('cards').set({ review_after_days: days }).where('card_id', '=', cardId).execute()
}

const MIN_DAYS = 7
const MAX_DAYS = 3650
const MAX_SHOWN = 50
const MAX_EXAMINED = 1000

const Doubt = z.object({
  outcome: z.enum(['failed', 'stale']),
  user_name: z.string().nullable().describe('For those who may edit the card, and editors of the team'),
  note: z.string().nullable(),
  at: Time,
})

type Doubt = z.input<typeof Doubt>

export const QueueItem = z
  .object({
    reason: z
      .enum(['doubted', 'due', 'contradiction'])
      .describe(
        'doubted: somebody said that it failed or is outdated; due: its review interval is over; contradiction: another card with the same symptom has another fix',
      ),
    card_id: AnswerId,
    title: z.string(),
    workspace_id: AnswerId,
    ...AT_HOME,
    since: Time.nullable().describe('When it was last confirmed, or since when the reason is known'),
    trust: Trust.nullable(),
    can_edit: z.boolean().describe('Whether the caller may edit the card, and dismiss its doubts'),
    doubt: Doubt.nullable().describe('The newest one, where the reason is doubted'),
    other_card_id: AnswerId.nullable(),
    other_title: z.string().nullable(),
    other_home: Home.nullable(),
    other_readers: Readers.nullable(),
  })
  .meta({ id: 'ReviewQueueItem' })

type Item = z.input<typeof QueueItem>

type Other = {
  card_id: string
  title: string
  owner_id: string
  status: CardStatus
  review_status: ReviewStatus
  hidden_at: string | null
  team_id: string | null
}

type ReviewEntry = Pick<
  Item,
  'reason' | 'card_id' | 'title' | 'workspace_id' | 'since' | 'trust' | 'doubt' | 'can_edit'
> &
  Omit<Other, 'card_id' | 'title'> & { other: Other | null }

async function dueCards(ctx: Ctx, asked: Reviewed): Promise<ReviewEntry[]> {
  const now = ctx.now()
  const rows = await pastInterval(ctx.db, asked, now.toISOString(), MAX_SHOWN)
  return rows.map((row) => ({
    ...row,
    reason: 'due',
    since: row.last_sure,
    trust: presentTrust(row, now),
    can_edit: true,
    doubt: null,
    other: null,
  }))
}

async function doubtedCards(ctx: Ctx, asked: Reviewed): Promise<ReviewEntry[]> {
  const rows = await doubted(ctx.db, asked, MAX_SHOWN)
  const doubts = await newestDoubts(ctx.db, asked, rows)
  return rows.map((row) => ({
    ...row,
    reason: 'doubted',
    since: row.doubted_at,
    trust: presentTrust(row, ctx.now()),
    can_edit: row.may_update === 1,
    doubt: doubts.get(row.card_id) ?? null,
    other: null,
  }))
}

async function contradictingCards(ctx: Ctx, asked: Reviewed): Promise<ReviewEntry[]> {
  const rows = await contradictions(ctx.db, asked, MAX_EXAMINED)
  return rows.map((row) => ({
    ...row,
    reason: 'contradiction',
    trust: presentTrust(row, ctx.now()),
    can_edit: true,
    doubt: null,
  }))
}

/** All reasons together, of each at most `MAX_SHOWN`. A doubted card that is also due is listed once. */
export async function cardsToReview(ctx: Ctx, asked: Reviewed): Promise<Item[]> {
  const reasons = asked.isEditor ? [doubtedCards, dueCards, contradictingCards] : [doubtedCards]
  const [doubts = [], due = [], contradicting = []] = await Promise.all(
    reasons.map((reason) => reason(ctx, asked)),
  )
  const isDoubtful = new Set(doubts.map(({ card_id }) => card_id))
  return withHomes(ctx, asked.viewerId, [
    ...doubts,
    ...due.filter(({ card_id }) => !isDoubtful.has(card_id)),
    ...contradicting.slice(0, MAX_SHOWN),
  ])
}

async function withHomes(ctx: Ctx, viewerId: string, found: readonly ReviewEntry[]): Promise<Item[]> {
  const cards = found.flatMap(({ other, ...card }) =>
    other ? [card, { ...other, workspace_id: card.workspace_id }] : [card],
  )
  const homes = await presentHomes(ctx.db, viewerId, cards)
  return found.flatMap(({ other, ...card }) => {
    const at = homes.get(card.card_id)
    const otherAt = other && homes.get(other.card_id)
    if (!at || (other && !otherAt)) return []
    return [
      {
        ...card,
        ...at,
        other_card_id: other?.card_id ?? null,
        other_title: other?.title ?? null,
        other_home: otherAt?.home ?? null,
        other_readers: otherAt?.readers ?? null,
      },
    ]
  })
}

export const reviewQueue = capability({
  name: 'cards.review_queue',
  summary: 'Cards that somebody should look at again',
  description: `Mine, or with workspace_id those of a workspace for its editors and admins, also where it has published them: called failed or outdated by anybody, due for a review, or contradicting another. At most ${MAX_SHOWN} of each. A verdict worked of somebody who may edit the card settles what is doubted or due; so does an edit, and a doubt can be dismissed.`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/review-queue'],
  input: z.object({ workspace_id: Id.optional() }),
  output: z.object({ items: z.array(QueueItem) }).meta({ id: 'ReviewQueue' }),
  errors: [404],
  run: async (ctx, { workspace_id }) => {
    if (workspace_id !== undefined) await requireRole(ctx, workspace_id, 'editor')
    const asked = { viewerId: ctx.viewer.userId, workspaceId: workspace_id, isEditor: true }
    return { items: await cardsToReview(ctx, asked) }
  },
})

export const setReviewInterval = capability({
  name: 'cards.set_review_interval',
  summary: 'Set after how many days a card is due for a review',
  description: 'null: as the policy of its workspace says (review_after_days), which is never by default.',
  scopes: ['record', 'case:write'],
  rest: ['PUT /api/v1/cards/{card_id}/review-interval'],
  status: 204,
  input: CardId.extend({
    review_after_days: z.int().min(MIN_DAYS).max(MAX_DAYS).nullable(),
  }).meta({ id: 'ReviewInterval' }),
  output: z.void(),
  errors: [404, 409, 412],
  run: (ctx, { card_id, review_after_days }) =>
    inTx(ctx, async (ctx) => {
      await editableUnmerged(ctx, card_id)
      await setReviewDays(ctx.db, card_id, review_after_days)
    }),
})

export const dismissDoubts = capability({
  name: 'cards.dismiss_doubts',
  summary: 'Take a card off the review queue although somebody doubts it',
  description:
    'The verdicts stay and count. A later one brings the card back, and dismissed=false undoes it.',
  scopes: ['record', 'case:write'],
  rest: ['PUT /api/v1/cards/{card_id}/doubts'],
  status: 204,
  input: CardId.extend({ dismissed: z.boolean() }).meta({ id: 'DoubtsDismissed' }),
  output: z.void(),
  errors: [404, 409, 412],
  run: (ctx, { card_id, dismissed }) =>
    inTx(ctx, async (ctx) => {
      await editableUnmerged(ctx, card_id)
      await dismissUntil(ctx.db, card_id, dismissed ? ctx.now().toISOString() : null)
    }),
})

const OWNERS_AT_ONCE = 100
const TOLD_EVERY_DAYS = 7

export async function tellOwners(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let after = ''; !stopping.aborted; ) {
    const owners = await ownersWithIntervals(ctx.db, after, OWNERS_AT_ONCE)
    for (const userId of owners) {
      if (stopping.aborted) return
      const due = await dueCards(ctx, { viewerId: userId, workspaceId: undefined, isEditor: true })
      if (due.length > 0)
        await inTx(ctx, (ctx) => tellAgainAfter(ctx, TOLD_EVERY_DAYS, { userId, kind: 'cards.review_due' }))
    }
    if (owners.length < OWNERS_AT_ONCE) return
    after = owners.at(-1) ?? after
  }
}
