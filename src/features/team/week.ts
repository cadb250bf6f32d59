import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { AT_HOME, type HomeAnswer } from '../cards/home.ts'
import { presentHomes, type Shown } from '../cards/homes.ts'
import { CARD_TYPES } from '../cards/schemas.ts'
import { missedSearches } from '../missed-searches/missed-searches.ts'
import { hasRole, requireRole } from '../permissions/permission.ts'
import { policyOf } from '../permissions/policy.ts'
import { cardsToReview, QueueItem } from '../staleness/review-queue.ts'
import { trustCounts } from '../trust/stored-trust.ts'
import { type Asked, draftsOf, foundUseful, judged, newsOf, workedFor } from './week.store.ts'

const DEFAULT_DAYS = 7
const MOST_DAYS = 90
/** The limit for each part; the list of cards has the rest. */
const MOST_SHOWN = 20
const MOST_LOOKED_AT = 1000

const Card = { card_id: AnswerId, title: z.string(), ...AT_HOME }

const partOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), has_more: z.boolean() })

const TeamWeek = z
  .object({
    workspace_id: AnswerId,
    since: Time,
    cards: partOf(
      z.object({
        ...Card,
        card_type: z.enum(CARD_TYPES),
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
        said: z.enum(['useful', 'worked']),
        at: Time,
      }),
    ).describe('What helped which member: feedback useful and verdicts worked on cards of others'),
    missed_searches: partOf(z.object({ words: z.string(), times: z.int(), last_at: Time }))
      .nullable()
      .describe(
        'Words of members’ searches in this team that found nothing; null where the policy keeps none',
      ),
    doubted: partOf(z.object({ ...Card, times: z.int() })).describe(
      'Cards that were reported outdated or stale, and by how many people',
    ),
    review: partOf(QueueItem).nullable().describe('Cards to look at again; null for viewers'),
    drafts: partOf(z.object({ ...Card, owner_name: z.string(), created_at: Time })).describe(
      'Recorded here by an agent or a program and not shared yet: yours, and for editors and admins all',
    ),
  })
  .meta({ id: 'TeamWeek' })

export type TeamWeekAnswer = z.input<typeof TeamWeek>

const part = <T>(rows: readonly T[], limit: number) => ({
  items: rows.slice(0, limit),
  has_more: rows.length > limit,
})

type ItemOf<Part extends 'cards' | 'helped' | 'doubted'> = TeamWeekAnswer[Part]['items'][number]

/** A row of a part, before it is known who reads its card. */
type Found<Item> = Omit<Item, keyof HomeAnswer> & Shown

async function newsFor(ctx: Ctx, asked: Asked): Promise<Found<ItemOf<'cards'>>[]> {
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

/** A person who gave both counts once, with the verdict, which says more. */
async function helpIn(ctx: Ctx, asked: Asked): Promise<Found<ItemOf<'helped'>>[]> {
  const worked = await workedFor(ctx.db, asked)
  const useful = await foundUseful(ctx.db, asked)
  const all = [
    ...worked.map((row) => ({ ...row, said: 'worked' as const })),
    ...useful.map((row) => ({ ...row, said: 'useful' as const })),
  ]
  const once = new Map<string, Found<ItemOf<'helped'>>>()
  for (const { display_name, created_at, ...row } of all) {
    const key = `${row.card_id} ${row.user_id}`
    if (!once.has(key)) once.set(key, { ...row, user_name: display_name, at: created_at })
  }
  return [...once.values()].sort((a, b) => (a.at < b.at ? 1 : -1))
}

async function doubtedIn(ctx: Ctx, asked: Asked): Promise<Found<ItemOf<'doubted'>>[]> {
  const rows = await judged(ctx.db, asked, MOST_LOOKED_AT)
  return rows
    .map(({ trust, ...row }) => ({ ...row, times: trustCounts(trust)?.stale ?? 0 }))
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times)
}

type Part<Item> = { items: Item[]; has_more: boolean }

/** Every card of these parts with its home and its readers. */
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

/** What happened in a workspace, as one of its members may know it. */
export async function weekOf(
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
  const review = hasRole(role, 'editor')
    ? part(await cardsToReview(ctx, { viewerId, workspaceId }), limit)
    : null
  const cards = part(await newsFor(ctx, asked), limit)
  const helped = part(await helpIn(ctx, asked), limit)
  const doubted = part(await doubtedIn(ctx, asked), limit)
  const drafts = part(await draftsOf(ctx.db, asked), limit)
  const withHomes = await housed(ctx, viewerId, [cards, helped, doubted, drafts])
  return {
    workspace_id: workspaceId,
    since,
    cards: withHomes(cards),
    helped: withHomes(helped),
    missed_searches: missed,
    doubted: withHomes(doubted),
    review,
    drafts: withHomes(drafts),
  }
}

export const readTeamWeek = capability({
  name: 'team.week',
  summary: 'What happened recently in a workspace, on one page; members only',
  description: `New and changed cards, what helped whom, searches without a hit, cards that are doubted or wait for review, and drafts by agents. At most ${MOST_SHOWN} of each.`,
  scopes: ['search'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/week'],
  errors: [404],
  input: z.object({ workspace_id: Id, days: z.int().min(1).max(MOST_DAYS).default(DEFAULT_DAYS) }),
  output: TeamWeek,
  run: async (ctx, { workspace_id, days }) => {
    const { workspace, role } = await requireRole(ctx, workspace_id, 'viewer')
    const since = new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
    return weekOf(ctx, workspace, { viewerId: ctx.viewer.userId, role }, { since, limit: MOST_SHOWN })
  },
})
