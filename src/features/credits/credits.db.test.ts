import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor, inTx, SELF_GUARDED } from '../../core/context.ts'
import { book, lockBalances } from './ledger.ts'
import { reconcile } from './reconciliation.ts'

const POLICY = {
  signup_bonus_credits: 100,
  unpublished_reward_credits: 0,
  publish_reward_credits: 5,
  public_search_cost_credits: 5,
  generate_cost_credits: 0,
  hit_only_billing: true,
  publisher_reward_on_hit: false,
}

onBothEngines('credits', (t) => {
  test('the policy is public and as the interface has it', async () => {
    expect((await t.anonymous().get('/api/v1/credits/policy')).body).toEqual(POLICY)
  })

  test('balance and history begin with the signup bonus', async () => {
    const user = await t.user()
    const { body: balance } = await user.get('/api/v1/credits/balance')
    expect(balance).toMatchObject({ balance: 100, lifetime_earned: 100, lifetime_spent: 0 })
    const { body: history } = await user.get('/api/v1/credits/history')
    expect(history).toMatchObject({ total: 1, page: 1, page_size: 20 })
    expect(history.items[0]).toMatchObject({ delta: 100, balance_after: 100, reason: 'signup_bonus' })
    expect((await t.anonymous().get('/api/v1/credits/balance')).status).toBe(401)
    expect((await user.get('/api/v1/credits/history?page_size=101')).status).toBe(422)
  })

  test('history has pages, newest first, and nobody else’s entries', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const ctx = contextFor(t.app.services)
    for (let i = 1; i <= 5; i++) {
      t.later(1000)
      await inTx(ctx, (ctx) =>
        book(ctx, { userId: user.userId, delta: i, reason: 'adjustment', cause: `test:${i}` }),
      )
    }
    const page = (await user.get('/api/v1/credits/history?page=2&page_size=2')).body
    expect(page.total).toBe(6)
    expect(page.items.map((entry: { delta: number }) => entry.delta)).toEqual([3, 2])
    expect((await other.get('/api/v1/credits/history')).body.total).toBe(1)
  })

  test('history has the order in which the balance changed, also when one booking waited for another', async () => {
    const { userId, get } = await t.user()
    const ctx = contextFor(t.app.services)
    const spend = { userId, delta: -5, reason: 'public_search' } as const
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const first = inTx(
      ctx,
      async (ctx) => {
        await lockBalances(ctx, [userId])
        hold()
        // Until the second one waits for the balance.
        await setTimeout(100)
        t.later(1000)
        return book(ctx, { ...spend, cause: 'first' })
      },
      SELF_GUARDED,
    )
    await held
    const second = inTx(ctx, (ctx) => book(ctx, { ...spend, cause: 'second' }), SELF_GUARDED)
    await Promise.all([first, second])
    const { items } = (await get('/api/v1/credits/history')).body
    expect(items.map((entry: { balance_after: number }) => entry.balance_after)).toEqual([90, 95, 100])
  })

  test('the same cause books once, also when reported fifty times at once', async () => {
    const user = await t.user()
    const ctx = contextFor(t.app.services)
    const once = () =>
      inTx(ctx, (ctx) => book(ctx, { userId: user.userId, delta: 7, reason: 'refund', cause: 'refund:1' }))
    const booked = await Promise.all(Array.from({ length: 50 }, once))
    expect(booked.filter((booking) => booking.booked)).toHaveLength(1)
    expect((await user.get('/api/v1/credits/balance')).body.balance).toBe(107)
  })

  test('entries cannot be changed or removed, and no balance goes below zero', async () => {
    const user = await t.user()
    const { database } = t.app.services
    const tamper = (change: 'update' | 'delete' | 'overdraw') =>
      database.transaction(async (db) => {
        if (change === 'update') await db.updateTable('credit_entries').set({ delta: 1 }).execute()
        if (change === 'delete') await db.deleteFrom('credit_entries').execute()
        if (change === 'overdraw')
          await db
            .updateTable('credit_balances')
            .set({ balance: -1 })
            .where('user_id', '=', user.userId)
            .execute()
      })
    await expect(tamper('update')).rejects.toThrow()
    await expect(tamper('delete')).rejects.toThrow()
    await expect(tamper('overdraw')).rejects.toThrow()
  })
})

onBothEngines(
  'reconciliation',
  (t) => {
    test('every balance equals its entries; one that is broken by hand is reported', async () => {
      const [admin, user] = [await t.user('admin'), await t.user()]
      await makeAdmin(t.app, admin.email)
      const clean = await admin.post('/api/v1/credits/reconcile')
      expect(clean.body).toMatchObject({ checked_accounts: 2, differences: [] })
      expect((await user.post('/api/v1/credits/reconcile')).status).toBe(403)

      await t.app.services.database.transaction((db) =>
        db.updateTable('credit_balances').set({ balance: 250 }).where('user_id', '=', user.userId).execute(),
      )
      const { differences } = await reconcile(contextFor(t.app.services))
      expect(differences).toEqual([
        {
          user_id: user.userId,
          balance: 250,
          entries: 100,
          lifetime_earned: 100,
          entries_earned: 100,
          lifetime_spent: 0,
          entries_spent: 0,
        },
      ])
    })
  },
  {}, // Nobody else has an account.
)

onBothEngines(
  'credits with CREDITS=off',
  (t) => {
    test('the policy says so', async () => {
      expect((await t.anonymous().get('/api/v1/credits/policy')).body).toEqual({
        ...POLICY,
        public_search_cost_credits: 0,
        credits_off: true,
      })
    })

    test('no credits are sold, which nobody could spend', async () => {
      const buyer = await t.user()
      const refused = await buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
      expect([refused.status, refused.body.code]).toEqual([503, 'not_configured'])
      expect((await buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' })).status).toBe(200)
    })
  },
  { CREDITS: 'off' },
)
