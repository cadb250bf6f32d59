import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../core/context.ts'
import type { Database, Db } from '../../db/db.ts'

type Kept = { others: boolean; until: number }

const kept = new WeakMap<Database, LRUCache<string, Kept>>()
const MAX_PEOPLE = 10_000
/** In ms. Others seldom take their cards back, but their first one brings the prices. */
const KEPT_MS = { some: 600_000, none: 15_000 }

/** Further public workspaces are not looked at; the library is the first. */
const MAX_WORKSPACES = 100

/** Returns a workspace from which cards in `target` were published, other than those before; by index, whatever their number. */
async function nextOrigin(db: Db, target: string, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cards')
    .select('origin_workspace_id')
    .where('workspace_id', '=', target)
    .where('origin_workspace_id', '>', after)
    // Written out, so that they match the index.
    .where(sql<boolean>`status = 'published' and review_status = 'passed'`)
    .where(sql<boolean>`hidden_at is null and deleted_at is null`)
    .orderBy('origin_workspace_id')
    .limit(1)
    .executeTakeFirst()
  return row?.origin_workspace_id
}

/** Returns whether a public search could find a card of others: one that no workspace of the person has published. */
async function findCardOfOthers({ db }: Ctx, userId: string): Promise<boolean> {
  const memberships = await db
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', userId)
    .execute()
  const mine = new Set(memberships.map((row) => row.workspace_id))
  const targets = await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('visibility', '=', 'public')
    .orderBy('created_at')
    .limit(MAX_WORKSPACES)
    .execute()
  for (const { workspace_id } of targets.filter((row) => !mine.has(row.workspace_id))) {
    let origin = await nextOrigin(db, workspace_id, '')
    while (origin !== undefined && mine.has(origin)) origin = await nextOrigin(db, workspace_id, origin)
    if (origin !== undefined) return true
  }
  return false
}

async function hasCardsOfOthers(ctx: Ctx, userId: string): Promise<boolean> {
  const people = kept.get(ctx.database) ?? new LRUCache<string, Kept>({ max: MAX_PEOPLE })
  kept.set(ctx.database, people)
  const now = ctx.now().getTime()
  const before = people.get(userId)
  if (before && now < before.until) return before.others
  const others = await findCardOfOthers(ctx, userId)
  people.set(userId, { others, until: now + (others ? KEPT_MS.some : KEPT_MS.none) })
  return others
}

/** A customer has at least opened a checkout. */
async function isCustomer({ db }: Ctx, userId: string): Promise<boolean> {
  const customer = await db
    .selectFrom('billing_customers')
    .select('customer_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return customer !== undefined
}

/** Returns whether the app speaks of credits, prices and plans to this person. */
export async function showsCredits(ctx: Ctx, user: { user_id: string; plan: string }): Promise<boolean> {
  if (user.plan !== 'free' || (await isCustomer(ctx, user.user_id))) return true
  return ctx.serverSettings.credits && (await hasCardsOfOthers(ctx, user.user_id))
}
