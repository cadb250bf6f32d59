import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type CardScope, isListed } from '../cards/visibility.ts'
import {
  askedEnvironmentFilter,
  ownerFilter,
  ownerInFilter,
  publicFilter,
  tagFilter,
  trackFilter,
  workspaceFilter,
} from './filters.ts'
import type { Match } from './match.ts'

/** Where somebody searches. */
export type SearchScope = {
  viewerId: string
  scope: CardScope
  workspaceIds: readonly string[]
  tags: readonly string[]
  environment: Readonly<Record<string, string>>
  track: 'debug' | 'build' | undefined
}

/** Somebody in more workspaces than this searches the ones joined last. */
const mostWorkspaces = 1000

/** What the viewer may look into at all; the rule is that of `isListed`. */
async function openWorkspaces(ctx: Ctx, { viewerId, scope, workspaceIds }: SearchScope): Promise<string[]> {
  const named = workspaceIds.length > 0
  let query = ctx.db.selectFrom('workspaces').select('workspaces.workspace_id')
  if (named) query = query.where('workspaces.workspace_id', 'in', workspaceIds)
  if (scope === 'public') query = query.where('workspaces.visibility', '=', 'public')
  if (scope === 'workspace') {
    query = query
      .leftJoin('memberships', (join) =>
        join
          .onRef('memberships.workspace_id', '=', 'workspaces.workspace_id')
          .on('memberships.user_id', '=', viewerId),
      )
      .where((eb) => {
        const isMember = eb('memberships.user_id', 'is not', null)
        return named ? eb.or([isMember, eb('workspaces.visibility', 'in', ['public', 'unlisted'])]) : isMember
      })
      .orderBy('memberships.created_at', 'desc')
  }
  return (await query.limit(mostWorkspaces).execute()).map((row) => row.workspace_id)
}

/** Whose cards: the tenancy part of a match. */
async function tenancy(ctx: Ctx, asked: SearchScope): Promise<number[][]> {
  const { viewerId, scope, workspaceIds } = asked
  const named = workspaceIds.length > 0
  if (scope === 'personal')
    return [named ? workspaceIds.map((id) => ownerInFilter(viewerId, id)) : [ownerFilter(viewerId)]]
  if (scope === 'public' && !named) return [[publicFilter]]
  const open = await openWorkspaces(ctx, asked)
  if (scope === 'public') return [[publicFilter], open.map(workspaceFilter)]
  return [open.flatMap((id) => [workspaceFilter(id), ownerInFilter(viewerId, id)])]
}

/** What narrows the search besides tenancy. */
export const filtersAsked = ({ tags, environment, track }: SearchScope): Match => [
  ...tags.map((tag) => [tagFilter(tag)]),
  ...Object.entries(environment).map(([name, value]) => [askedEnvironmentFilter(name, value)]),
  ...(track ? [[trackFilter(track)]] : []),
]

/** All that narrows the search, as terms of the index: tenancy, tags, environment and track. */
export const narrowing = async (ctx: Ctx, asked: SearchScope): Promise<Match> => [
  ...(await tenancy(ctx, asked)),
  ...filtersAsked(asked),
]

export const listedIn = ({ viewerId, scope, workspaceIds }: SearchScope) =>
  isListed(viewerId, scope, workspaceIds)

const mostCounted = 20_000
const countKeptMs = 60_000
const mostCountsKept = 10_000
const counts = new Map<string, { cards: number; until: number }>()

/**
 * About how many cards a scope has, counted up to a bound and remembered for a minute. Plans depend on it, answers do
 * not, so it may be a little old.
 */
export async function scopeSize(ctx: Ctx, asked: SearchScope): Promise<number> {
  const key = `${asked.scope === 'public' ? '' : asked.viewerId} ${asked.scope} ${asked.workspaceIds.join()}`
  const known = counts.get(key)
  if (known && known.until > Date.now()) return known.cards
  const counted = await sql<{ cards: number }>`
    select count(*) as cards from (select 1 from cards where ${listedIn(asked)} limit ${sql.lit(mostCounted)}) as listed`.execute(
    ctx.db,
  )
  const cards = counted.rows[0]?.cards ?? 0
  if (counts.size >= mostCountsKept) counts.clear()
  // A small scope may grow past the bound at any moment, and counting it again costs little.
  if (cards === mostCounted) counts.set(key, { cards, until: Date.now() + countKeptMs })
  return cards
}
