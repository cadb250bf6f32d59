import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { Time } from '../../core/schemas.ts'

export const CreditsBalance = z
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
