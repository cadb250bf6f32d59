import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { reindexWorkspaceSoon } from './indexing/reindex.ts'
import { markAll, successorsAround } from './succession-mark.ts'

export type CardsInWorkspace = {
  own: number
  ofOthers: number
  /** Among them: cards that members, or everybody, can read today. */
  published: number
  /** Deleted cards that can still be brought back. */
  deleted: number
}

const countWhen = (condition: ReturnType<typeof sql<boolean>>) =>
  sql<number>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`

export async function countCardsIn(
  ctx: Ctx,
  workspaceId: string,
  viewerId: string,
): Promise<CardsInWorkspace> {
  const isHere = ctx.db.selectFrom('cards').where('workspace_id', '=', workspaceId)
  // Two queries, because live and deleted cards have an index each.
  const there = await isHere
    .select([
      countWhen(sql`owner_id = ${viewerId}`).as('own'),
      countWhen(sql`owner_id <> ${viewerId}`).as('ofOthers'),
      countWhen(sql`status = 'published'`).as('published'),
    ])
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { deleted } = await isHere
    .select(({ fn }) => fn.countAll<number>().as('deleted'))
    .where('deleted_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return {
    own: Number(there.own),
    ofOthers: Number(there.ofOthers),
    published: Number(there.published),
    deleted,
  }
}

/** How many cards of each person are in a workspace. */
export async function cardsByOwner(ctx: Ctx, workspaceId: string): Promise<Map<string, number>> {
  const rows = await ctx.db
    .selectFrom('cards')
    .select(['owner_id', ({ fn }) => fn.countAll<number>().as('cards')])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .groupBy('owner_id')
    .execute()
  return new Map(rows.map((row) => [row.owner_id, row.cards]))
}

const homeOfOwner = sql<string>`(select personal_workspace_id from users where users.user_id = cards.owner_id)`

/**
 * Empties a workspace that is about to go, inside the caller's transaction. Each card goes to the personal workspace of
 * its owner, unpublished; one that was published here from another workspace returns there. Cards of people who have
 * deleted their account go to `heirWorkspaceId`, else nobody could find them any more; so do those that would return to
 * where nobody is left. Deleted cards go the same ways, so that their owners can still bring them back.
 */
export async function sendCardsHome(ctx: Ctx, workspaceId: string, heirWorkspaceId: string): Promise<void> {
  await reindexWorkspaceSoon(ctx, workspaceId)
  const successors = await successorsAround(ctx.db, workspaceId)
  const now = ctx.now().toISOString()
  const gone = ctx.db.selectFrom('users').select('user_id').where('deleted_at', 'is not', null)
  const returns = sql<boolean>`cards.origin_workspace_id <> ${workspaceId}`
  const returnsToSomebody = sql<boolean>`${returns} and exists (select 1 from memberships
    where memberships.workspace_id = cards.origin_workspace_id)`
  for (const isDeleted of ['is', 'is not'] as const) {
    const leave = ctx.db
      .updateTable('cards')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', isDeleted, null)
    await leave
      .set({
        workspace_id: sql<string>`case when ${returns} then cards.origin_workspace_id else ${homeOfOwner} end`,
        origin_workspace_id: sql<string>`case when ${returns} then cards.origin_workspace_id else ${homeOfOwner} end`,
        status: 'unpublished',
        published_at: null,
        updated_at: now,
      })
      .where('owner_id', 'not in', gone)
      .execute()
    // Cards without an owner stay published where they arrive: unpublished, nobody there could find them.
    await leave
      .set({
        workspace_id: sql<string>`case when ${returnsToSomebody} then cards.origin_workspace_id else ${heirWorkspaceId} end`,
        origin_workspace_id: sql<string>`case when ${returnsToSomebody} then cards.origin_workspace_id else ${heirWorkspaceId} end`,
        updated_at: now,
      })
      .execute()
  }
  // Cards that are published elsewhere stay there. Once unpublished, they go to their owner.
  await ctx.db
    .updateTable('cards')
    .set({ origin_workspace_id: homeOfOwner })
    .where('origin_workspace_id', '=', workspaceId)
    .whereRef('workspace_id', '<>', 'origin_workspace_id')
    .execute()
  await markAll(ctx, successors)
}
