import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx, ServerSettings } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { Time } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import { type Named, prepared } from '../../db/prepared.ts'

type BookingReason =
  | 'signup_bonus'
  | 'publish_reward'
  | 'public_search'
  | 'feedback_reward'
  | 'pack_purchase'
  | 'plan_grant'
  | 'invite_redeemed'
  | 'invite_reward'
  | 'refund'
  | 'adjustment'

type Booking = {
  userId: string
  delta: number
  reason: BookingReason
  /** The event of this booking, `feedback:<card_id>:<user_id>`; a repeated event books nothing. */
  cause: string
  ref?: { type: string; id: string }
}

type Booked = { balance: number; booked: boolean }

/** Creates the balance row of an account, which must exist from registration on. */
export async function openBalance(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db
    .insertInto('credit_balances')
    .values({
      user_id: userId,
      balance: 0,
      lifetime_earned: 0,
      lifetime_spent: 0,
      updated_at: ctx.now().toISOString(),
    })
    .execute()
}

const balances = prepared('creditBalances', (db, parameter: Named<{ userId: string }>) =>
  db.selectFrom('credit_balances').select('balance').where('user_id', '=', parameter('userId')),
)

export async function balanceOf(ctx: Ctx, userId: string): Promise<number> {
  const [row] = await balances(ctx.db, { userId })
  return row?.balance ?? 0
}

export async function hasEarned(
  ctx: Ctx,
  { userId, reason, refId }: { userId: string; reason: BookingReason; refId: string },
): Promise<boolean> {
  const entry = await ctx.db
    .selectFrom('credit_entries')
    .select('entry_id')
    .where('user_id', '=', userId)
    .where('reason', '=', reason)
    .where('ref_id', '=', refId)
    .executeTakeFirst()
  return entry !== undefined
}

export async function timesBooked(
  ctx: Ctx,
  { userId, reason, since }: { userId: string; reason: BookingReason; since: string },
): Promise<number> {
  const { times } = await ctx.db
    .selectFrom('credit_entries')
    .select((eb) => eb.fn.countAll<number>().as('times'))
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .where('reason', '=', reason)
    .executeTakeFirstOrThrow()
  return times
}

export async function spentOn(
  ctx: Ctx,
  { userId, refType, since }: { userId: string; refType: string; since: string },
): Promise<number> {
  const { spent } = await ctx.db
    .selectFrom('credit_entries')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('delta'), eb.lit(0)).as('spent'))
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .where('ref_type', '=', refType)
    .executeTakeFirstOrThrow()
  return -Number(spent)
}

/** Locks balances, so that bookings which depend on earlier ones run one after the other. */
export async function lockBalances(ctx: Ctx, userIds: readonly string[]): Promise<void> {
  if (ctx.database.engine !== 'postgres') return
  // Sorted against deadlocks, since two people may reward each other.
  for (const userId of userIds.toSorted())
    await ctx.db
      .updateTable('credit_balances')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('user_id', '=', userId)
      .execute()
}

/** Moves credits in the caller's transaction. Refuses with 402 what the balance does not cover. */
export async function book(ctx: Ctx, { userId, delta, reason, cause, ref }: Booking): Promise<Booked> {
  if (!ctx.transacting) throw new Error('book() belongs in the transaction of its cause')
  const before = await ctx.db
    .selectFrom('credit_entries')
    .select('entry_id')
    .where('user_id', '=', userId)
    .where('cause', '=', cause)
    .executeTakeFirst()
  if (before) return { balance: await balanceOf(ctx, userId), booked: false }

  // Credits that a refund takes back count as neither earned nor spent.
  const isSpent = delta < 0 && reason !== 'refund'
  const updated = await ctx.db
    .updateTable('credit_balances')
    .set((eb) => ({
      balance: eb('balance', '+', delta),
      lifetime_earned: eb('lifetime_earned', '+', isSpent ? 0 : delta),
      lifetime_spent: eb('lifetime_spent', '+', isSpent ? -delta : 0),
      updated_at: ctx.now().toISOString(),
    }))
    .where('user_id', '=', userId)
    .where((eb) => eb(eb('balance', '+', delta), '>=', 0))
    .returning('balance')
    .executeTakeFirst()
  if (!updated) {
    const balance = await balanceOf(ctx, userId)
    throw new AppError(
      402,
      'insufficient_credits',
      `This costs ${-delta} credits and the balance is ${balance}.`,
      {
        balance,
        required: -delta,
      },
    )
  }
  await ctx.db
    .insertInto('credit_entries')
    .values({
      entry_id: newId(),
      user_id: userId,
      delta,
      balance_after: updated.balance,
      reason,
      ref_type: ref?.type ?? null,
      ref_id: ref?.id ?? null,
      cause,
      // Set here, because the update may have waited for another booking and entries are sorted by time.
      created_at: ctx.now().toISOString(),
    })
    .execute()
  return { balance: updated.balance, booked: true }
}

const CreditsBalance = z
  .object({
    balance: z.int(),
    lifetime_earned: z.int().describe('Earned and bought, without what refunds took back'),
    lifetime_spent: z.int(),
    updated_at: Time,
  })
  .meta({ id: 'CreditsBalance' })

export const readBalance = capability({
  name: 'credits.balance',
  summary: 'How many credits I have, and have earned and spent so far',
  scopes: ['search'],
  rest: ['GET /api/v1/credits/balance'],
  input: z.object({}),
  output: CreditsBalance,
  run: (ctx) =>
    ctx.db
      .selectFrom('credit_balances')
      .select(['balance', 'lifetime_earned', 'lifetime_spent', 'updated_at'])
      .where('user_id', '=', ctx.viewer.userId)
      .executeTakeFirstOrThrow(),
})

export const SIGNUP_BONUS = 100
export const PUBLISH_REWARD = 5
export const PUBLIC_SEARCH_COST = 5

const CreditsPolicy = z
  .object({
    signup_bonus_credits: z.int(),
    unpublished_reward_credits: z.int(),
    publish_reward_credits: z.int(),
    public_search_cost_credits: z.int(),
    generate_cost_credits: z.int(),
    hit_only_billing: z.boolean(),
    publisher_reward_on_hit: z.boolean(),
    credits_off: z
      .literal(true)
      .optional()
      .describe('Only present, and true, where credits are switched off and nothing is charged.'),
  })
  .meta({ id: 'CreditsPolicy' })

export const policyOf = ({ credits }: Pick<ServerSettings, 'credits'>): z.input<typeof CreditsPolicy> => ({
  signup_bonus_credits: SIGNUP_BONUS,
  unpublished_reward_credits: 0,
  publish_reward_credits: PUBLISH_REWARD,
  public_search_cost_credits: credits ? PUBLIC_SEARCH_COST : 0,
  generate_cost_credits: 0,
  hit_only_billing: true,
  publisher_reward_on_hit: false,
  ...(credits ? {} : { credits_off: true as const }),
})

export const readPolicy = capability({
  name: 'credits.policy',
  summary: 'What costs and what earns credits',
  scopes: 'public',
  rest: ['GET /api/v1/credits/policy'],
  input: z.object({}),
  output: CreditsPolicy,
  run: async (ctx) => policyOf(ctx.serverSettings),
})
