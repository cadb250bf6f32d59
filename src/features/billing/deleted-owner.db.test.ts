import { expect, test } from 'vitest'
import { events, webhookOf } from '../../../test/support/billing-events.ts'
import type { TestVault } from '../../../test/support/engines.ts'
import { withStripe } from '../../../test/support/with-stripe.ts'

type Someone = Awaited<ReturnType<TestVault['user']>>

withStripe('payments of deleted accounts', (scene) => {
  const deliver = (event: object) => webhookOf(scene.t)(event)
  const leave = (one: Someone) => one.delete('/api/v1/auth/me?confirmed_by_user=true')
  const asked = (method: string, path: string) =>
    scene.stripe.requests.filter((one) => one.method === method && one.path === path)
  const entries = async ({ userId }: Someone) =>
    (
      await scene.t.app.services.database.read
        .selectFrom('credit_entries')
        .select('reason')
        .where('user_id', '=', userId)
        .execute()
    ).map(({ reason }) => reason)

  /** Somebody who is gone, and their subscription at Stripe. */
  async function leaver() {
    const one = await scene.t.user()
    const make = events(one, scene.t)
    const created = make.subscription('created', { created: 100 })
    scene.stripe.subscriptions.set(created.data.object.id, { ...created.data.object })
    expect((await leave(one)).status).toBe(200)
    return { one, make, created, subscriptionId: created.data.object.id }
  }

  test('a subscription that was paid after the deletion is cancelled at once, and told with what to refund', async () => {
    for (const which of ['subscription', 'invoice', 'session'] as const) {
      scene.logged = []
      const { one, make, created, subscriptionId } = await leaver()
      const payment_id = `in_${one.userId}_a`
      const event = {
        subscription: created,
        invoice: make.invoicePaid({ invoice: payment_id }),
        session: make.subscriptionSession(),
      }[which]
      const answer = await deliver(event)
      expect([answer.status, answer.body], which).toEqual([200, { received: true, handled: true }])
      expect(scene.stripe.subscriptions.get(subscriptionId)).toMatchObject({ status: 'canceled' })
      expect(scene.logged, which).toEqual([
        expect.objectContaining({ level: 50, payment_id, subscription_id: subscriptionId }),
      ])
      expect(await entries(one)).toEqual(['signup_bonus'])
      expect((await deliver(event)).body).toMatchObject({ duplicate: true })
      expect(asked('DELETE', `/v1/subscriptions/${subscriptionId}`)).toHaveLength(1)
    }
  })

  test('all events of the late purchase leave nothing behind, in any order', async () => {
    const { one, make, created } = await leaver()
    for (const event of [make.invoicePaid({}), created, make.subscriptionSession()])
      expect((await deliver(event)).body).toMatchObject({ handled: true })
    expect(await entries(one)).toEqual(['signup_bonus'])
  })

  test('a pack that was paid after the deletion is told with what to refund', async () => {
    const { one, make } = await leaver()
    const event = make.packPaid()
    expect((await deliver(event)).body).toEqual({ received: true, handled: true })
    expect(scene.logged).toEqual([
      expect.objectContaining({
        level: 50,
        payment_id: event.data.object.id,
        payment_intent: event.data.object.payment_intent,
        amount_cents: 400,
      }),
    ])
    expect(await entries(one)).toEqual(['signup_bonus'])
  })

  test('what was paid before, what ends anyway and what nobody here bought raises no alarm', async () => {
    const one = await scene.t.user()
    const make = events(one, scene.t)
    const paid = make.packPaid()
    await deliver(paid)
    await leave(one)
    const again = { ...paid, id: `${paid.id}_again`, type: 'checkout.session.async_payment_succeeded' }
    expect((await deliver(again)).body).toMatchObject({ handled: false })
    const ending = make.subscription('updated', { created: 200, cancel: true })
    expect((await deliver(ending)).body).toMatchObject({ handled: false })
    const stranger = events({ userId: '01890000-0000-7000-8000-000000000000' }, scene.t)
    expect((await deliver(stranger.subscription('created'))).body).toMatchObject({ handled: false })
    const foreign = { plan: 'shoes', metadataPlan: 'shoes', created: 300 }
    expect((await deliver(make.subscription('created', foreign))).body).toMatchObject({ handled: false })
    expect(scene.logged).toEqual([])
  })

  test('while Stripe is away, the event is refused for now; delivered again, it has its effect', async () => {
    const { created, subscriptionId } = await leaver()
    scene.stripe.failNext(400)
    expect((await deliver(created)).status).toBe(503)
    expect(scene.stripe.subscriptions.get(subscriptionId)).toMatchObject({ status: 'active' })
    expect((await deliver(created)).body).toEqual({ received: true, handled: true })
    expect(scene.stripe.subscriptions.get(subscriptionId)).toMatchObject({ status: 'canceled' })
  })

  test('with the account, its open checkouts close, and no others of the same customer', async () => {
    const buyer = await scene.t.user()
    await buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' })
    await buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
    const mine = scene.stripe.sessions().slice(-2)
    const foreign: Record<string, unknown> = { ...mine[0], id: 'cs_of_another_shop', metadata: {} }
    scene.stripe.sessions().push(foreign)
    expect(mine.map(({ status }) => status)).toEqual(['open', 'open'])
    expect((await leave(buyer)).status).toBe(200)
    await expect.poll(() => mine.map(({ status }) => status)).toEqual(['expired', 'expired'])
    expect(foreign.status).toBe('open')
  })

  test('an account is deleted also while Stripe is away, and the operator learns what is left there', async () => {
    const buyer = await scene.t.user()
    await buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' })
    const customer = scene.stripe.sessions().at(-1)?.customer
    scene.stripe.failNext(400)
    expect((await leave(buyer)).status).toBe(200)
    await expect.poll(() => scene.logged).toEqual([expect.objectContaining({ customer_id: customer })])
  })

  test('an account waits for a first payment that is not decided, and not longer than the provider does', async () => {
    const buyer = await scene.t.user()
    await deliver(events(buyer, scene.t).subscription('created', { status: 'incomplete' }))
    const refused = await leave(buyer)
    expect([refused.status, refused.body.code]).toEqual([409, 'subscription_active'])
    scene.t.later(24 * 3_600_000)
    const { status } = await buyer.post('/api/v1/auth/me/delete', {
      confirmed_by_user: true,
      password: 'correct horse battery',
    })
    expect(status).toBe(200)
  })
})
