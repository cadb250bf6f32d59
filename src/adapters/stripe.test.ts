import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StripeStandIn, startStripeStandIn } from '../../test/support/stripe-stand-in.ts'
import { BadSignature, PaymentProviderError, signPayload } from './payments.ts'
import { stripeProvider } from './stripe.ts'

const PRO = {
  productId: 'kv_plan_pro',
  name: 'Knowledge Vault Pro',
  amountCents: 1200,
  currency: 'usd',
  interval: 'month' as const,
}
const PACK = {
  productId: 'kv_pack_small',
  name: '100 credits',
  amountCents: 400,
  currency: 'usd',
  interval: null,
}
const ORDER = {
  customerId: 'cus_1',
  metadata: { user_id: 'user-1', plan_id: 'pro' },
  successUrl: 'http://localhost:8080/billing?checkout=success',
  cancelUrl: 'http://localhost:8080/billing?checkout=cancelled',
}

let standIn: StripeStandIn
beforeAll(async () => {
  standIn = await startStripeStandIn()
})
afterAll(() => standIn.close())

const provider = () =>
  stripeProvider({ secretKey: 'sk_test_stand_in', webhookSecret: 'whsec_stand_in', apiBase: standIn.url })
const sent = (path: string) => standIn.requests.filter((one) => one.method === 'POST' && one.path === path)

describe('Stripe', () => {
  test('two first checkouts at once end in one customer', async () => {
    const stripe = provider()
    const user = { userId: 'user-1', email: 'dev@example.com' }
    const [a, b] = await Promise.all([stripe.createCustomer(user), stripe.createCustomer(user)])
    expect(a).toBe(b)
    expect(sent('/v1/customers')[0]?.form).toMatchObject({ email: user.email, 'metadata[user_id]': 'user-1' })
    expect(sent('/v1/customers')[0]?.headers['stripe-version']).toBe('2026-09-30.endive')
  })

  test('a plan is bought by a price that is made once, and by subscription', async () => {
    const stripe = provider()
    const first = await stripe.openCheckout({ ...ORDER, offer: PRO })
    const second = await stripe.openCheckout({ ...ORDER, offer: PRO })
    expect(first.url).toContain(first.sessionId)
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(sent('/v1/prices')).toHaveLength(1)
    expect(sent('/v1/prices')[0]?.form).toMatchObject({ product: 'kv_plan_pro', unit_amount: '1200' })
    expect(sent('/v1/checkout/sessions')[0]?.form).toMatchObject({
      mode: 'subscription',
      customer: 'cus_1',
      'subscription_data[metadata][plan_id]': 'pro',
      'line_items[0][price]': expect.stringContaining('price_'),
    })
  })

  test('a later start of the service finds the same price again', async () => {
    await provider().openCheckout({ ...ORDER, offer: PRO })
    expect(sent('/v1/prices')).toHaveLength(1)
  })

  test('a pack is one payment with its amount in cents', async () => {
    await provider().openCheckout({ ...ORDER, offer: PACK })
    expect(sent('/v1/checkout/sessions').at(-1)?.form).toMatchObject({
      mode: 'payment',
      'line_items[0][price_data][unit_amount]': '400',
      'payment_intent_data[metadata][user_id]': 'user-1',
    })
  })

  test('the portal lets people cancel at the end of the period and switch plans', async () => {
    const stripe = provider()
    const portal = { customerId: 'cus_1', returnUrl: 'http://localhost:8080/billing', offers: [PRO] }
    expect((await stripe.openPortal(portal)).url).toContain('https://portal.')
    await stripe.openPortal(portal)
    await provider().openPortal(portal)
    const configurations = sent('/v1/billing_portal/configurations')
    expect(configurations).toHaveLength(1)
    expect(configurations[0]?.form).toMatchObject({
      'features[subscription_cancel][mode]': 'at_period_end',
      'features[subscription_update][products][0][product]': 'kv_plan_pro',
    })
  })

  test('finds the invoice of a payment, and the present state of a subscription', async () => {
    const stripe = provider()
    standIn.invoicePayments.set('pi_1', 'in_1')
    expect(await stripe.invoiceOfPayment('pi_1')).toBe('in_1')
    expect(await stripe.invoiceOfPayment('pi_2')).toBeNull()
    standIn.subscriptions.set('sub_1', {
      id: 'sub_1',
      object: 'subscription',
      customer: 'cus_9',
      status: 'active',
    })
    expect(await stripe.currentSubscription('sub_1')).toMatchObject({ status: 'active' })
  })

  test('a refusal is one kind of error that says nothing to the user', async () => {
    standIn.failNext(400)
    await expect(provider().createCustomer({ userId: 'u', email: 'x@example.com' })).rejects.toBeInstanceOf(
      PaymentProviderError,
    )
    await expect(provider().currentSubscription('sub_none')).rejects.toBeInstanceOf(PaymentProviderError)
  })
})

describe('signatures', () => {
  const now = new Date('2026-11-15T10:00:00Z')
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid' })
  const verify = (text: string, header: string | undefined, at = now) =>
    provider().verify(Buffer.from(text), header, at)

  test('our own are accepted for five minutes and not longer', () => {
    const header = signPayload(body, 'whsec_stand_in', now)
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64}/)
    expect(verify(body, header)).toMatchObject({ id: 'evt_1' })
    expect(verify(body, header, new Date(now.getTime() + 300_000))).toMatchObject({ id: 'evt_1' })
    expect(() => verify(body, header, new Date(now.getTime() + 301_000))).toThrow(BadSignature)
  })

  test('missing, foreign, altered and malformed ones are refused', () => {
    const header = signPayload(body, 'whsec_stand_in', now)
    expect(() => verify(body, undefined)).toThrow(BadSignature)
    expect(() => verify(body, '')).toThrow(BadSignature)
    expect(() => verify(body, 'nonsense')).toThrow(BadSignature)
    expect(() => verify(body, signPayload(body, 'whsec_other', now))).toThrow(BadSignature)
    expect(() => verify(`${body} `, header)).toThrow(BadSignature)
    expect(() => verify('', header)).toThrow(BadSignature)
    expect(() => verify('not json', signPayload('not json', 'whsec_stand_in', now))).toThrow(BadSignature)
  })
})
