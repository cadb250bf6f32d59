import type { Ctx } from '../../core/context.ts'
import type { Match } from '../../search-index/match.ts'
import {
  askedEnvironmentFilter,
  ownerFilter,
  ownerInFilter,
  publicFilter,
  tagFilter,
  trackFilter,
  workspaceFilter,
} from '../cards/indexing/filters.ts'
import { type CardScope, isListed } from '../cards/visibility.ts'

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

const largeKeptMs = 60_000
const mostKept = 10_000
const largeUntil = new Map<string, number>()

const nameOf = ({ viewerId, scope, workspaceIds }: SearchScope, cards: number) =>
  `${cards} ${scope === 'public' ? '' : viewerId} ${scope} ${workspaceIds.join()}`

/**
 * Whether a scope had more than so many cards a moment ago. Plans depend on it, answers do not, so it may be a little
 * old. Small scopes are not remembered: they may grow past the bound at any moment.
 */
export const isKnownLarger = (scope: SearchScope, cards: number): boolean =>
  (largeUntil.get(nameOf(scope, cards)) ?? 0) > Date.now()

export function rememberLarger(scope: SearchScope, cards: number): void {
  if (largeUntil.size >= mostKept) largeUntil.clear()
  largeUntil.set(nameOf(scope, cards), Date.now() + largeKeptMs)
}
