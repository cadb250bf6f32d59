import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { events, SECRET } from '../../../test/support/billing-events.ts'
import { TestVault } from '../../../test/support/engines.ts'
import { type StripeStandIn, startStripeStandIn } from '../../../test/support/stripe-stand-in.ts'
import { signPayload } from '../../adapters/payments.ts'
import { ConfigError, readConfig } from '../../config.ts'

describe.each(['sqlite', 'postgres'] as const)('billing through Stripe on %s', (engine) => {
  let stripe: StripeStandIn
  let t: TestVault

  beforeAll(async () => {
    stripe = await startStripeStandIn()
    t = new TestVault(engine, {
      STRIPE_SECRET_KEY: 'sk_test_stand_in',
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_BASE: stripe.url,
    })
    await t.up()
  })
  afterAll(async () => {
    await t.down()
    await stripe.close()
  })

  const deliver = (event: object) => {
    const payload = JSON.stringify(event)
    const header = signPayload(payload, SECRET, t.app.services.now())
    return t.anonymous().post('/api/v1/billing/webhook', payload, { 'stripe-signature': header })
  }
  const posted = (path: string) => stripe.requests.filter((one) => one.method === 'POST' && one.path === path)

  test('one customer, a checkout with our metadata, and the portal', async () => {
    const buyer = await t.user()
    const answers = await Promise.all([
      buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' }),
      buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'medium' }),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(answer.body.checkout_url).toContain(answer.body.session_id)
    }
    const sessions = posted('/v1/checkout/sessions').map((one) => one.form)
    expect(new Set(sessions.map((form) => form.customer)).size).toBe(1)
    expect(sessions.find((form) => form.mode === 'subscription')).toMatchObject({
      'subscription_data[metadata][user_id]': buyer.userId,
      'metadata[plan_id]': 'pro',
      success_url: 'http://127.0.0.1:8080/billing?checkout=success',
    })
    expect(sessions.find((form) => form.mode === 'payment')).toMatchObject({
      'metadata[credits]': '500',
      'line_items[0][price_data][unit_amount]': '1600',
    })
    const portal = await buyer.post('/api/v1/billing/portal', { return_url: '/settings' })
    expect(portal.body.portal_url).toContain('https://portal.')
    expect(posted('/v1/billing_portal/sessions').at(-1)?.form).toMatchObject({
      customer: sessions[0]?.customer,
      return_url: 'http://127.0.0.1:8080/settings',
    })
    expect((await buyer.get('/api/v1/billing/status')).body.provider).toBe('stripe')
    expect((await t.anonymous().get('/billing/dev/checkout/cs_dev_x')).status).toBe(404)
  })

  test.each([
    ['/api/v1/billing/checkout', { plan_id: 'pro' }, { plan_id: 'team' }, '/v1/checkout/sessions'],
    ['/api/v1/billing/credits/checkout', { pack_id: 'small' }, { pack_id: 'large' }, '/v1/checkout/sessions'],
    ['/api/v1/billing/portal', {}, { return_url: '/settings' }, '/v1/billing_portal/sessions'],
  ])('%s sent again with its Idempotency-Key gives the first answer', async (url, body, other, asked) => {
    const [buyer, stranger] = [await t.user(), await t.user()]
    const key = { 'idempotency-key': 'once' }
    const before = posted(asked).length
    const first = await buyer.post(url, body, key)
    expect(first.status, first.text).toBe(200)
    const again = await buyer.post(url, body, key)
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(posted(asked)).toHaveLength(before + 1)
    const conflict = await buyer.post(url, other, key)
    expect([conflict.status, conflict.body.code]).toEqual([409, 'idempotency_conflict'])
    expect((await stranger.post(url, body, key)).body).not.toEqual(first.body)
    expect((await buyer.post(url, body)).body).not.toEqual(first.body)
  })

  test('checkouts at the same moment with one Idempotency-Key have one answer', async () => {
    const buyer = await t.user()
    const ask = () =>
      buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' }, { 'idempotency-key': 'twice' })
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    expect(new Set(answers.map((answer) => answer.body.session_id)).size).toBe(1)
  })

  test('a request with the Idempotency-Key of one that is under way does not close the page which that one opens', async () => {
    const buyer = await t.user()
    const ask = async (key: string) =>
      (await buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' }, { 'idempotency-key': key })).body
    const under = await ask('same')
    // Its page is open, and its answer is not kept yet.
    await t.app.services.database.transaction((db) => db.deleteFrom('idempotency_keys').execute())
    const again = await ask('same')
    const statusOf = ({ session_id }: { session_id: string }) =>
      stripe.sessions().find(({ id }) => id === session_id)?.status
    expect([statusOf(under), statusOf(again)]).toEqual(['open', 'open'])
    await ask('another')
    expect([statusOf(under), statusOf(again)]).toEqual(['expired', 'expired'])
  })

  test('a customer made by checkout is enough to know whose event it is', async () => {
    const buyer = await t.user()
    await buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' })
    const customer = posted('/v1/checkout/sessions').at(-1)?.form.customer
    const event = events(buyer, t).invoicePaid({ created: 100 })
    Object.assign(event.data.object, { customer })
    event.data.object.parent.subscription_details.metadata = { user_id: '', plan_id: '' }
    expect((await deliver(event)).body.handled).toBe(true)
    expect((await buyer.get('/api/v1/billing/status')).body.credits_balance).toBe(600)
  })

  test('a customer whom Stripe no longer knows is made anew, once, and can buy', async () => {
    const buyer = await t.user()
    const pack = () => buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
    const lastCustomer = () => stripe.sessions().at(-1)?.customer as string
    expect((await pack()).status).toBe(200)
    const gone = lastCustomer()
    stripe.unknownCustomers.add(gone)
    const made = posted('/v1/customers').length
    const both = await Promise.all([pack(), buyer.post('/api/v1/billing/checkout', { plan_id: 'pro' })])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const customers = stripe.sessions().slice(-2)
    expect(new Set(customers.map(({ customer }) => customer))).toEqual(new Set([lastCustomer()]))
    expect(lastCustomer()).not.toBe(gone)
    const again = posted('/v1/customers').length
    expect(again).toBeGreaterThan(made)
    // The portal, and the next checkout, are those of the new one.
    expect((await buyer.post('/api/v1/billing/portal', {})).status).toBe(200)
    expect(posted('/v1/billing_portal/sessions').at(-1)?.form.customer).toBe(lastCustomer())
    expect((await pack()).status).toBe(200)
    expect(posted('/v1/customers')).toHaveLength(again)
    // The portal is enough to notice it.
    stripe.unknownCustomers.add(lastCustomer())
    expect((await buyer.post('/api/v1/billing/portal', {})).status).toBe(200)
  })

  test('two updates of one second: Stripe is asked which one holds', async () => {
    const buyer = await t.user()
    const make = events(buyer, t)
    const cancelled = make.subscription('updated', { created: 500, cancel: true })
    const resumed = make.subscription('updated', { created: 500, cancel: false })
    const { id } = cancelled.data.object
    stripe.subscriptions.set(id, { ...resumed.data.object })
    await deliver(resumed)
    await deliver(cancelled)
    expect((await buyer.get('/api/v1/billing/status')).body.cancel_at_period_end).toBe(false)
    expect(
      stripe.requests.some((one) => one.method === 'GET' && one.path === `/v1/subscriptions/${id}`),
    ).toBe(true)
  })

  test('a refund of a plan is matched through the invoice of the payment', async () => {
    const buyer = await t.user()
    const make = events(buyer, t)
    const paid = make.invoicePaid({ created: 100 })
    // Webhooks carry invoices without their payments unless they are expanded.
    paid.data.object.payments.data = []
    stripe.invoicePayments.set(`pi_plan_${buyer.userId}`, paid.data.object.id)
    await deliver(make.planRefunded({ cents: 1200 }))
    await deliver(paid)
    expect((await buyer.get('/api/v1/billing/status')).body.credits_balance).toBe(100)
  })

  test('an event that needs Stripe while Stripe is away is refused for now and taken later', async () => {
    const buyer = await t.user()
    const make = events(buyer, t)
    await deliver(make.invoicePaid({ created: 100 }))
    const refund = make.planRefunded({ cents: 1200 })
    Object.assign(refund.data.object, { payment_intent: `pi_other_${buyer.userId}` })
    stripe.failNext(400)
    const away = await deliver(refund)
    expect(away.status).toBe(503)
    expect((await deliver(refund)).status).toBe(200)
  })

  test('when Stripe refuses a checkout the user is told to try later, and nothing is kept', async () => {
    const buyer = await t.user()
    stripe.failNext(400)
    const answer = await buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
    expect(answer.status).toBe(503)
    expect(answer.body.code).toBe('unavailable')
    expect(answer.text).not.toContain('made to fail')
  })
})

test('production with Stripe but without its webhook secret does not start', () => {
  const env = { NODE_ENV: 'production', STRIPE_SECRET_KEY: 'sk_live_x' }
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow('STRIPE_WEBHOOK_SECRET')
  expect(readConfig({ ...env, STRIPE_WEBHOOK_SECRET: SECRET }).stripe?.webhookSecret).toBe(SECRET)
})
