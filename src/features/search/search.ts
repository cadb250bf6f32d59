import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { newId } from '../../db/ids.ts'
import { queryTerms } from '../../text/analyse.ts'
import { balanceOf, book } from '../credits/ledger.ts'
import { PUBLIC_SEARCH_COST } from '../credits/policy.ts'
import { actionCardFor } from './action-card.ts'
import { type Loaded, loadHits, presentHit } from './results.ts'
import { type Retrieved, retrieve } from './retrieve.ts'
import {
  type SearchAnswer,
  type SearchInput,
  SearchRequest,
  SearchResponse,
  type SearchResultAnswer,
  SearchTool,
  SearchToolResponse,
} from './schemas.ts'
import type { SearchScope } from './scope.ts'
import { thinSearch } from './thin.ts'

const scopeOf = (ctx: UserCtx, input: SearchInput): SearchScope => ({
  viewerId: ctx.viewer.userId,
  scope: input.include_workspaces ? 'own_and_team' : input.scope,
  workspaceIds: [...new Set(input.workspace_ids ?? [])],
  tags: input.tags ?? [],
  environment: input.environment ?? {},
  track: input.track,
})

type Outcome = { hits: Loaded[]; charged: number; balance: number }

/**
 * Results and their price come together or not at all: the hits are read again in the transaction that charges for
 * them, so nobody pays for a card that has just vanished or sees one without paying.
 */
function chargedSearch(ctx: UserCtx, scope: SearchScope, found: Retrieved, limit: number): Promise<Outcome> {
  const searchId = newId()
  const userId = ctx.viewer.userId
  // The charge is one conditional update of one row: waiting for that row beats running again.
  return inTx(
    ctx,
    async (ctx) => {
      const hits = await loadHits(ctx, scope, found, limit)
      const isFree = hits.every(({ row }) => row.owner_id === userId)
      if (isFree) return { hits, charged: 0, balance: await balanceOf(ctx, userId) }
      const { balance } = await book(ctx, {
        userId,
        delta: -PUBLIC_SEARCH_COST,
        reason: 'public_search',
        cause: `search:${searchId}`,
        ref: { type: 'search', id: searchId },
      })
      return { hits, charged: PUBLIC_SEARCH_COST, balance }
    },
    { isolation: 'read committed' },
  )
}

async function freeSearch(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  limit: number,
): Promise<Outcome> {
  const hits = await loadHits(ctx, scope, found, limit)
  return { hits, charged: 0, balance: await balanceOf(ctx, ctx.viewer.userId) }
}

function hitReason(ctx: UserCtx, { scope }: SearchScope, { row }: Loaded): SearchResultAnswer['hit_reason'] {
  if (scope === 'personal') return 'free_personal_scope'
  const isOwn = row.owner_id === ctx.viewer.userId
  if (scope === 'own_and_team') return isOwn ? 'free_personal_scope' : 'free_workspace_scope'
  if (scope === 'workspace') return 'free_workspace_scope'
  if (isOwn) return 'free_own_card'
  return ctx.config.credits ? 'public_hit_charged' : 'credits_off'
}

async function search(ctx: UserCtx, input: SearchInput): Promise<SearchAnswer> {
  const started = performance.now()
  if (input.include_workspaces && input.scope !== 'personal')
    throw invalid(
      'include_workspaces',
      'It adds the cards of your workspaces to scope personal; leave it out elsewhere',
    )
  const scope = scopeOf(ctx, input)
  const found = await retrieve(ctx, queryTerms(input.query), scope)
  const settle = scope.scope === 'public' && ctx.config.credits ? chargedSearch : freeSearch
  const { hits, charged, balance } = await settle(ctx, scope, found, input.limit)
  return {
    query: input.query,
    scope: input.scope,
    results: hits.map((hit) => presentHit(hit, hitReason(ctx, scope, hit))),
    total: hits.length < input.limit ? hits.length : found.matching,
    credits_charged: charged,
    credits_balance: balance,
    action_card: input.generate_action_card ? await actionCardFor(ctx, input.query, hits) : null,
    took_ms: Math.round((performance.now() - started) * 10) / 10,
  }
}

export const searchCards = capability({
  name: 'search.cards',
  summary: 'Search cards: mine, my teams’, or the public library',
  description:
    'Finds by words and, where a word is unknown, by the words that may be meant. The query is plain text. A public search that finds at least one card of somebody else costs 5 credits; nothing found, or own cards only, costs nothing. With too few credits the answer is 402 and shows no result.',
  scopes: ['search'],
  rest: ['POST /api/v1/search'],
  tool: {
    name: 'search_records',
    description:
      'Search knowledge cards by words or error text before you solve a problem; project memory has search_project_context.',
    readOnly: true,
    input: SearchTool,
    output: SearchToolResponse,
    thin: thinSearch,
  },
  input: SearchRequest,
  output: SearchResponse,
  errors: [402],
  limit: 'search',
  run: search,
})
