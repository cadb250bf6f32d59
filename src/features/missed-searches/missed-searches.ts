import { type Ctx, contextFor, inTx, type UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { policyOf } from '../permissions/policy.ts'
import {
  countUp,
  deleteBefore,
  deleteOf,
  dropAllBut,
  missedIn,
  onlyTeamOf,
  type Period,
} from './missed-searches.store.ts'
import { plainWords } from './plain-words.ts'

/** The limit for one workspace. */
const MOST_KEPT = 200
const KEPT_MS = 30 * DAY_MS

type Searched = { query: string; scope: string; workspaceIds: readonly string[] }

async function teamThatKeeps(ctx: UserCtx, workspaceIds: readonly string[]): Promise<string | undefined> {
  const team = await onlyTeamOf(ctx.db, ctx.viewer.userId, workspaceIds)
  return team && policyOf(team).keepMissedSearches ? team.workspace_id : undefined
}

/**
 * Notes that a member found nothing among the cards of a team: the words, and not who asked. Searches of one's own cards
 * and of the library are never noted. A failure here must not fail the search: with an Idempotency-Key the search is in a
 * transaction, so it is noted after that.
 */
export async function noteMissedSearch(ctx: UserCtx, searched: Searched): Promise<void> {
  const { query, scope, workspaceIds } = searched
  if (scope !== 'workspace') return
  if (ctx.transacting) {
    const afterwards = { ...contextFor(ctx, ctx), viewer: ctx.viewer }
    return ctx.afterCommit(() => void noteMissedSearch(afterwards, searched))
  }
  const words = plainWords(query)
  if (words === null) return
  try {
    if ((await teamThatKeeps(ctx, workspaceIds)) === undefined) return
    await inTx(ctx, async (ctx) => {
      // Asked again, and in a serialisable transaction: a team that switches it off meanwhile has deleted its words already.
      const team = await teamThatKeeps(ctx, workspaceIds)
      if (team === undefined) return
      await countUp(ctx.db, team, words, ctx.now().toISOString())
      await dropAllBut(ctx.db, team, MOST_KEPT)
    })
  } catch (error) {
    ctx.log.warn({ err: error }, 'a search without a hit could not be noted')
  }
}

/** For members of the workspace; the caller checks that. */
export const missedSearches = (ctx: Ctx, workspaceId: string, period: Period, limit: number) =>
  missedIn(ctx.db, workspaceId, period, limit)

/** For a workspace that no longer wants them, or that is deleted. */
export const forgetMissedSearches = (ctx: Ctx, workspaceId: string): Promise<void> =>
  deleteOf(ctx.db, workspaceId)

/** Housekeeping: drops searches that are too old. */
export const dropOldMissedSearches = (ctx: Ctx): Promise<void> =>
  inTx(ctx, (ctx) => deleteBefore(ctx.db, new Date(ctx.now().getTime() - KEPT_MS).toISOString()))
