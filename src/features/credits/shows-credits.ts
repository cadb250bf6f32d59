import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../core/context.ts'
import type { Database } from '../../db/db.ts'

type Kept = { others: boolean; until: number }

const kept = new WeakMap<Database, LRUCache<string, Kept>>()
const MAX_PEOPLE = 10_000
/** In ms. Others seldom take their cards back, but their first one brings the prices. */
const KEPT_MS = { some: 600_000, none: 15_000 }

/** Returns whether a public search could find a card that is neither the person's nor of a team of theirs. */
async function findCardOfOthers({ db }: Ctx, userId: string): Promise<boolean> {
  const card = await db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .select('cards.card_id')
    .where('workspaces.visibility', '=', 'public')
    .where('cards.status', '=', 'published')
    .where('cards.review_status', '=', 'passed')
    .where('cards.hidden_at', 'is', null)
    .where('cards.deleted_at', 'is', null)
    .where('cards.owner_id', '<>', userId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships')
            .select('memberships.user_id')
            .where('memberships.user_id', '=', userId)
            .where((eb) =>
              eb('memberships.workspace_id', 'in', [
                eb.ref('cards.workspace_id'),
                eb.ref('cards.origin_workspace_id'),
              ]),
            ),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return card !== undefined
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
