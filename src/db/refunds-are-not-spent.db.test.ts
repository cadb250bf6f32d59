import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../test/support/engines.ts'
import { contextFor, inTx } from '../core/context.ts'
import { book } from '../features/credits/ledger.ts'
import { refundsAreNotSpent } from './migrations/0055-refunds-are-not-spent.ts'

onBothEngines('refunds of an older version', (t) => {
  test('an upgrade counts them as spent no longer, and leaves other accounts alone', async () => {
    const [refunded, other] = [await t.user(), await t.user()]
    const ctx = contextFor(t.app.services)
    await inTx(ctx, async (ctx) => {
      await book(ctx, { userId: refunded.userId, delta: -40, reason: 'refund', cause: 'r1' })
      await book(ctx, { userId: refunded.userId, delta: -10, reason: 'public_search', cause: 's1' })
      await ctx.db
        .updateTable('credit_balances')
        .set({ lifetime_earned: 100, lifetime_spent: 50 })
        .where('user_id', '=', refunded.userId)
        .execute()
      for (const statement of refundsAreNotSpent.statements(t.engine))
        await sql.raw(statement).execute(ctx.db)
    })
    const sums = async (one: typeof other) => (await one.get('/api/v1/credits/balance')).body
    expect(await sums(refunded)).toMatchObject({ balance: 50, lifetime_earned: 60, lifetime_spent: 10 })
    expect(await sums(other)).toMatchObject({ balance: 100, lifetime_earned: 100, lifetime_spent: 0 })
  })
})
