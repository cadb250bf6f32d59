import type { Ctx } from '../../core/context.ts'
import type { CardType } from '../../db/tables/cards.ts'
import { type Match, PUBLIC_FILTER, type Without } from '../../search-index/index.ts'
import {
  askedEnvironmentFilter,
  ownerFilter,
  ownerInFilter,
  publishedFromFilter,
  tagFilter,
  trackFilter,
  typeFilter,
  workspaceFilter,
} from '../cards/indexing/filters.ts'
import { normalName } from '../cards/tags.ts'
import { isListed, type SearchedScope } from '../cards/visibility.ts'

/** Where a person searches. */
export type SearchScope = {
  viewerId: string
  scope: SearchedScope
  workspaceIds: readonly string[]
  tags: readonly string[]
  environment: Readonly<Record<string, string>>
  track: 'debug' | 'build' | undefined
  /** Also superseded cards. */
  includeSuperseded?: boolean
  type?: CardType | undefined
  /** Hashes of words that a card must have, and what it must not have. */
  required?: readonly number[]
  without?: Without
}

/** A person in more workspaces than this searches those that they joined last. */
const MOST_WORKSPACES = 1000

/** The workspaces that the viewer may search, by the same rule as `isListed`. */
async function openWorkspaces(ctx: Ctx, { viewerId, scope, workspaceIds }: SearchScope): Promise<string[]> {
  const named = workspaceIds.length > 0
  let query = ctx.db.selectFrom('workspaces').select('workspaces.workspace_id')
  if (named) query = query.where('workspaces.workspace_id', 'in', workspaceIds)
  if (scope === 'public') query = query.where('workspaces.visibility', '=', 'public')
  if (scope !== 'personal' && scope !== 'public') {
    query = query
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.workspace_id', '=', 'workspaces.workspace_id')
          .on('memberships.user_id', '=', viewerId),
      )
      .orderBy('memberships.created_at', 'desc')
  }
  return (await query.limit(MOST_WORKSPACES).execute()).map((row) => row.workspace_id)
}

/** The tenancy part of a match: whose cards are searched. */
export async function tenancy(ctx: Ctx, asked: SearchScope): Promise<Match> {
  const { viewerId, scope, workspaceIds } = asked
  const named = workspaceIds.length > 0
  if (scope === 'personal')
    return [named ? workspaceIds.map((id) => ownerInFilter(viewerId, id)) : [ownerFilter(viewerId)]]
  if (scope === 'public' && !named) return [[PUBLIC_FILTER]]
  const open = await openWorkspaces(ctx, asked)
  if (scope === 'public') return [[PUBLIC_FILTER], open.map(workspaceFilter)]
  if (scope === 'team') return [open.map(workspaceFilter)]
  const ofTeam = open.flatMap((id) => [workspaceFilter(id), ownerInFilter(viewerId, id)])
  if (scope === 'workspace') return [ofTeam]
  const own = named ? workspaceIds.map((id) => ownerInFilter(viewerId, id)) : [ownerFilter(viewerId)]
  const published = scope === 'known' ? open.map(publishedFromFilter) : []
  return [[...new Set([...own, ...ofTeam, ...published])]]
}

/** The filters of the search, without tenancy. */
export const filtersAsked = ({ tags, environment, track, type, required }: SearchScope): Match => [
  ...tags.map((tag) => [tagFilter(tag)]),
  ...Object.entries(environment).map(([name, value]) => [askedEnvironmentFilter(name, value)]),
  ...(track ? [[trackFilter(track)]] : []),
  ...(type ? [[typeFilter(type)]] : []),
  ...(required ?? []).map((hash) => [hash]),
]

/** Which of these names are tags of a card in scope. */
export async function tagsInScope(ctx: Ctx, scope: SearchScope, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of new Set(names)) {
    const card = await ctx.db
      .selectFrom('card_tags')
      .innerJoin('cards', 'cards.card_id', 'card_tags.card_id')
      .select('card_tags.card_id')
      .where('card_tags.tag_normal', '=', normalName(name))
      .where(listedIn(scope))
      .limit(1)
      .executeTakeFirst()
    if (card) found.push(name)
  }
  return found
}

export const listedIn = ({ viewerId, scope, workspaceIds }: SearchScope) =>
  isListed(viewerId, scope, workspaceIds)

const LARGE_KEPT_MS = 60_000
const MOST_KEPT = 10_000
type Large = { until: number; averageLength: number | undefined }
const LARGE = new Map<string, Large>()

const nameOf = ({ viewerId, scope, workspaceIds }: SearchScope, cards: number) =>
  `${cards} ${scope === 'public' ? '' : viewerId} ${scope} ${workspaceIds.join()}`

/**
 * Whether a scope had more than `cards` cards, or too many words, a moment ago, and how long the cards were. It affects plans more than answers, so it
 * may be a little old. Small scopes are not remembered: they may grow past the bound at any moment.
 */
export function knownLarger(scope: SearchScope, cards: number): Large | undefined {
  const known = LARGE.get(nameOf(scope, cards))
  return known && known.until > performance.now() ? known : undefined
}

export function rememberLarger(scope: SearchScope, cards: number, averageLength?: number): Large {
  if (LARGE.size >= MOST_KEPT) LARGE.clear()
  const known = { until: performance.now() + LARGE_KEPT_MS, averageLength }
  LARGE.set(nameOf(scope, cards), known)
  return known
}
