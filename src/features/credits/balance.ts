import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'

export const CreditsBalance = z
  .object({
    balance: z.int(),
    lifetime_earned: z.int(),
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

export const CreditsEntry = z
  .object({
    entry_id: AnswerId,
    delta: z.int(),
    balance_after: z.int(),
    reason: z.enum([
      'signup_bonus',
      'publish_reward',
      'public_search',
      'feedback_reward',
      'pack_purchase',
      'plan_grant',
      'invite_redeemed',
      'invite_reward',
      'refund',
      'adjustment',
    ]),
    ref_type: z.string().nullable(),
    ref_id: z.string().nullable(),
    created_at: Time,
  })
  .meta({ id: 'CreditsEntry' })

export const CreditsHistory = pageOf(CreditsEntry).meta({ id: 'CreditsHistory' })

export const readHistory = capability({
  name: 'credits.history',
  summary: 'Every movement of my credits, newest first',
  scopes: ['search'],
  rest: ['GET /api/v1/credits/history'],
  input: z.object(Page),
  output: CreditsHistory,
  run: async (ctx, { page, page_size }) => {
    const mine = ctx.db.selectFrom('credit_entries').where('user_id', '=', ctx.viewer.userId)
    const { total } = await mine
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await mine
      .select(['entry_id', 'delta', 'balance_after', 'reason', 'ref_type', 'ref_id', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('entry_id', 'desc')
      .limit(page_size)
      .offset((page - 1) * page_size)
      .execute()
    const items = rows.map((row) => ({ ...row, reason: CreditsEntry.shape.reason.parse(row.reason) }))
    return { items, total, page, page_size }
  },
})
