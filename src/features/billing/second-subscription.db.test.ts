import { expect, test } from 'vitest'
import { events, webhookOf } from '../../../test/support/billing-events.ts'
import { withStripe } from '../../../test/support/with-stripe.ts'

withStripe('a second subscription', (scene) => {
  const deliver = (event: object) => webhookOf(scene.t)(event)

  /** Somebody for whom Stripe knows two subscriptions, as after two pages that were both paid. */
  async function twice() {
    const buyer = await scene.t.user()
    const make = events(buyer, scene.t)
    const pair = [
      make.subscription('created', { created: 100, plan: 'pro', id: 'a' }),
      make.subscription('created', { created: 100, plan: 'team', id: 'b' }),
    ] as const
    const ids = pair.map((event) => event.data.object.id)
    for (const event of pair) scene.stripe.subscriptions.set(event.data.object.id, { ...event.data.object })
    const running = () =>
      ids.filter((id) => scene.stripe.subscriptions.get(id)?.status !== 'canceled').map((id) => id.at(-1))
    const status = async () => (await buyer.get('/api/v1/billing/status')).body
    return { buyer, make, pair, running, status }
  }

  test('a new page for a plan closes the former one, and no page for a pack', async () => {
    const buyer = await scene.t.user()
    await buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' })
    await buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
    const mine = scene.stripe.sessions().slice(-2)
    expect((await buyer.post('/api/v1/billing/checkout', { plan_id: 'team' })).status).toBe(200)
    expect([...mine, scene.stripe.sessions().at(-1)].map((one) => [one?.mode, one?.status])).toEqual([
      ['subscription', 'expired'],
      ['payment', 'open'],
      ['subscription', 'open'],
    ])
  })

  test('the one that begins while another runs is cancelled, and told with what to refund', async () => {
    const { buyer, make, pair, running, status } = await twice()
    expect((await deliver(pair[0])).body.handled).toBe(true)
    expect((await deliver(pair[1])).body.handled).toBe(true)
    expect(running()).toEqual(['a'])
    expect(await status()).toMatchObject({ plan_id: 'pro', status: 'active' })
    expect(scene.logged).toEqual([
      expect.objectContaining({
        level: 50,
        subscription_id: `sub_${buyer.userId}_b`,
        kept_subscription_id: `sub_${buyer.userId}_a`,
        payment_id: `in_${buyer.userId}_b`,
      }),
    ])
    // Late messages of the cancelled one neither bring it back nor raise the alarm again.
    await deliver(make.subscription('updated', { created: 99, plan: 'team', id: 'b' }))
    await deliver(make.subscription('deleted', { created: 101, plan: 'team', id: 'b' }))
    await deliver(make.subscription('updated', { created: 200, plan: 'pro', id: 'a' }))
    expect(await status()).toMatchObject({ plan_id: 'pro', status: 'active' })
    expect(running()).toEqual(['a'])
    expect(scene.logged).toHaveLength(1)
  })

  test('of two that are reported at the same moment, one stays', async () => {
    const { pair, running, status } = await twice()
    await Promise.all([...pair, ...pair].map(deliver))
    expect(running()).toHaveLength(1)
    expect(await status()).toMatchObject({ status: 'active' })
  })

  test('while Stripe is away, the message is refused for now and taken later', async () => {
    const { pair, running } = await twice()
    await deliver(pair[0])
    scene.stripe.failNext(400)
    expect((await deliver(pair[1])).status).toBe(503)
    expect(running()).toEqual(['a', 'b'])
    expect((await deliver(pair[1])).status).toBe(200)
    expect(running()).toEqual(['a'])
  })

  test('that follows one which ends with its period is left alone', async () => {
    const { make, pair, running, status } = await twice()
    await deliver(make.subscription('created', { created: 100, plan: 'pro', id: 'a', cancel: true }))
    await deliver(pair[1])
    expect(running()).toEqual(['a', 'b'])
    expect(await status()).toMatchObject({ plan_id: 'team' })
    expect(scene.logged).toEqual([])
  })
})
