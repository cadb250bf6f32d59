import { describe, expect, test } from 'vitest'
import {
  type DevChange,
  type DevPayment,
  type DevSubscription,
  newSession,
  payOpenInvoice,
  paySession,
  refund,
  renew,
  setCancelAtPeriodEnd,
  switchOffer,
} from '../../adapters/development-payments.ts'
import { readEvent } from '../../adapters/payment-events.ts'
import { findPlan, PACKS, type Plan, packOffer, planOffer, planOfProduct } from './plans.ts'
import { creditsForInvoice, creditsToTakeBack } from './refunds.ts'

const now = Date.UTC(2026, 0, 31) / 1000
const plan = (id: string) => findPlan(id) as Plan
const order = (planId: string) => ({
  offer: planOffer(plan(planId)),
  customerId: 'cus_1',
  metadata: { user_id: 'user-1', plan_id: planId },
  successUrl: 'http://localhost/ok',
  cancelUrl: 'http://localhost/no',
})
const facts = (change: DevChange) => change.events.map((event) => readEvent(event)?.fact)
const types = (change: DevChange) => change.events.map((event) => event.type)
const subscriptionOf = (change: DevChange) =>
  change.objects.find((object) => object.kind === 'subscription') as DevSubscription
const paymentOf = (change: DevChange) =>
  change.objects.find((object) => object.kind === 'payment') as DevPayment
const invoiceOf = (change: DevChange) => {
  const fact = facts(change).find((one) => one?.kind === 'invoice_paid')
  if (fact?.kind !== 'invoice_paid') throw new Error('no paid invoice')
  return fact.invoice
}

describe('the development provider sends what Stripe would send', () => {
  const bought = paySession(newSession(order('pro'), now), now)

  test('a subscription that is bought gives its monthly credits; the 31st renews on the 28th', () => {
    expect(types(bought).sort()).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.paid',
    ])
    expect(creditsForInvoice(invoiceOf(bought), null)).toBe(500)
    expect(facts(bought)).toContainEqual(
      expect.objectContaining({
        kind: 'subscription',
        subscription: expect.objectContaining({
          status: 'active',
          userId: 'user-1',
          productId: 'kv_plan_pro',
          currentPeriodEnd: '2026-02-28T00:00:00.000Z',
          cancelAtPeriodEnd: false,
        }),
      }),
    )
  })

  test('paying twice, or after the session is over, changes nothing', () => {
    const session = bought.objects[0]
    if (session?.kind !== 'session') throw new Error('no session')
    expect(paySession(session, now).events).toEqual([])
    expect(paySession(newSession(order('pro'), now - 90_000), now).events).toEqual([])
  })

  test('a pack is one payment with the credits that were sold', () => {
    const pack = PACKS[0]
    if (!pack) throw new Error('no pack')
    const metadata = { user_id: 'user-1', pack_id: pack.pack_id, credits: String(pack.credits) }
    const change = paySession(newSession({ ...order('pro'), offer: packOffer(pack), metadata }, now), now)
    expect(facts(change)).toEqual([
      expect.objectContaining({
        kind: 'session_paid',
        session: expect.objectContaining({
          mode: 'payment',
          credits: 100,
          amountCents: 400,
          userId: 'user-1',
        }),
      }),
    ])
  })

  test('a renewal is a new invoice; a failed one is past due until it is paid', () => {
    const renewed = renew(subscriptionOf(bought), now, 'paid')
    expect(invoiceOf(renewed).invoiceId).not.toBe(invoiceOf(bought).invoiceId)
    expect(creditsForInvoice(invoiceOf(renewed), null)).toBe(500)
    // Shorter months are an exception, each time.
    const again = renew(subscriptionOf(renewed), now, 'paid')
    const ends = [bought, renewed, again].map((change) => subscriptionOf(change).periodEnd * 1000)
    expect(ends.map((end) => new Date(end).toISOString().slice(0, 10))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
    ])
    const failed = renew(subscriptionOf(bought), now, 'failed')
    expect(types(failed)).toEqual(['invoice.payment_failed', 'customer.subscription.updated'])
    expect(subscriptionOf(failed).status).toBe('past_due')
    const late = payOpenInvoice(subscriptionOf(failed), now)
    expect(subscriptionOf(late).status).toBe('active')
    expect(creditsForInvoice(invoiceOf(late), null)).toBe(500)
    expect(payOpenInvoice(subscriptionOf(late), now).events).toEqual([])
  })

  test('cancelling keeps the period that was paid for and ends after it; resuming takes it back', () => {
    const cancelled = setCancelAtPeriodEnd(subscriptionOf(bought), true, now)
    expect(facts(cancelled)[0]).toMatchObject({ subscription: { status: 'active', cancelAtPeriodEnd: true } })
    expect(types(renew(subscriptionOf(cancelled), now, 'paid'))).toEqual(['customer.subscription.deleted'])
    const resumed = setCancelAtPeriodEnd(subscriptionOf(cancelled), false, now)
    expect(facts(resumed)[0]).toMatchObject({ subscription: { cancelAtPeriodEnd: false } })
  })

  test('an upgrade pays for the rest of the period, in money and in credits', () => {
    const middle = now + (subscriptionOf(bought).periodEnd - now) / 2
    const upgraded = switchOffer(subscriptionOf(bought), planOffer(plan('team')), middle)
    expect(paymentOf(upgraded).amountCents).toBe((3900 - 1200) / 2)
    expect(creditsForInvoice(invoiceOf(upgraded), null)).toBe((2000 - 500) / 2)
    expect(planOfProduct(subscriptionOf(upgraded).offer.productId, 'pro')?.plan_id).toBe('team')
  })

  test('a downgrade waits for the end of the period', () => {
    const team = paySession(newSession(order('team'), now), now)
    const asked = switchOffer(subscriptionOf(team), planOffer(plan('pro')), now)
    expect(asked.events).toEqual([])
    expect(subscriptionOf(asked).offer.productId).toBe('kv_plan_team')
    const renewed = renew(subscriptionOf(asked), now, 'paid')
    expect(creditsForInvoice(invoiceOf(renewed), 'team')).toBe(500)
  })

  test('a refund happens once', () => {
    const first = refund(paymentOf(bought), now)
    expect(facts(first)[0]).toMatchObject({
      kind: 'refund',
      refund: { refundedCents: 1200 },
    })
    expect(refund(paymentOf(first), now).events).toEqual([])
  })
})

describe('credits for an invoice', () => {
  const invoice = invoiceOf(paySession(newSession(order('pro'), now), now))

  test('a trial gives none, a fully discounted period gives all', () => {
    const trial = { ...invoice, lines: invoice.lines.map((line) => ({ ...line, amountCents: 0 })) }
    expect(creditsForInvoice({ ...trial, amountPaidCents: 0 }, null)).toBe(0)
    expect(creditsForInvoice({ ...invoice, amountPaidCents: 0 }, null)).toBe(500)
  })

  test('an older price of the same plan still gives the whole grant', () => {
    const old = { ...invoice, lines: invoice.lines.map((line) => ({ ...line, amountCents: 900 })) }
    expect(creditsForInvoice(old, null)).toBe(500)
  })

  test('without lines the plan of the subscription counts; of an unknown plan nothing', () => {
    expect(creditsForInvoice({ ...invoice, lines: [] }, null)).toBe(500)
    expect(creditsForInvoice({ ...invoice, lines: [], planId: null }, 'team')).toBe(2000)
    expect(creditsForInvoice({ ...invoice, lines: [], planId: 'gold' }, null)).toBe(0)
  })

  test('a line of another product on the invoice gives nothing, however many were bought', () => {
    const own = invoice.lines
    const foreign = {
      productId: 'prod_consulting',
      amountCents: 5000,
      quantity: 10,
      proration: false,
      periodEnd: null,
    }
    expect(creditsForInvoice({ ...invoice, lines: [...own, foreign] }, 'pro')).toBe(500)
    expect(creditsForInvoice({ ...invoice, lines: [foreign] }, 'pro')).toBe(0)
    // Bought as Team and switched to Pro since.
    expect(creditsForInvoice({ ...invoice, planId: 'team', lines: [...own, foreign] }, 'pro')).toBe(500)
    // Without a product a line is the plan's only where no line has one, as in older events.
    const nameless = { ...foreign, productId: null }
    expect(creditsForInvoice({ ...invoice, lines: [...own, nameless] }, 'pro')).toBe(500)
    const older = own.map((line) => ({ ...line, productId: null }))
    expect(creditsForInvoice({ ...invoice, lines: older }, null)).toBe(500)
  })

  test('a correction that nets below zero takes nothing', () => {
    const lines = invoice.lines.map((line) => ({ ...line, amountCents: -600, proration: true }))
    expect(creditsForInvoice({ ...invoice, lines }, null)).toBe(0)
  })
})

describe('credits to take back', () => {
  const payment = { credits: 100, amountCents: 400, refundedCents: 0 }

  test('follow the share of money that went back, counted in totals', () => {
    expect(creditsToTakeBack(payment, 400)).toBe(100)
    expect(creditsToTakeBack(payment, 100)).toBe(25)
    expect(creditsToTakeBack({ ...payment, refundedCents: 100 }, 400)).toBe(75)
    expect(creditsToTakeBack({ ...payment, refundedCents: 400 }, 100)).toBe(0)
    expect(creditsToTakeBack(payment, 1)).toBe(0)
    expect(creditsToTakeBack(payment, 4000)).toBe(100)
    expect(creditsToTakeBack({ ...payment, amountCents: 0 }, 400)).toBe(0)
  })
})

test('events in the shape of older API versions are read the same way', () => {
  const subscription = readEvent({
    id: 'evt_1',
    type: 'customer.subscription.updated',
    created: now,
    data: {
      object: {
        id: 'sub_1',
        customer: { id: 'cus_1' },
        status: 'unpaid',
        current_period_end: now,
        items: { data: [{ price: { product: 'kv_plan_pro' } }] },
      },
    },
  })
  expect(subscription?.fact).toMatchObject({
    subscription: { customerId: 'cus_1', status: 'canceled', currentPeriodEnd: '2026-01-31T00:00:00.000Z' },
  })
  const invoice = readEvent({
    id: 'evt_2',
    type: 'invoice.paid',
    created: now,
    data: {
      object: {
        id: 'in_1',
        customer: 'cus_1',
        subscription: 'sub_1',
        currency: 'usd',
        amount_paid: 1200,
        payment_intent: 'pi_1',
        lines: { data: [{ amount: 1200, proration: false, price: { product: 'kv_plan_pro' } }] },
      },
    },
  })
  expect(invoice?.fact).toMatchObject({ invoice: { subscriptionId: 'sub_1', paymentIntent: 'pi_1' } })
})

test('unreadable events are not guessed, and events that do not concern us have no effect', () => {
  const event = (type: string, object: unknown) =>
    readEvent({ id: 'evt_1', type, created: now, data: { object } })
  expect(readEvent({ hello: 'world' })).toBeNull()
  expect(event('invoice.paid', { id: 'in_1' })).toBeNull()
  expect(event('customer.subscription.created', { id: 'sub_1', status: 'active' })).toBeNull()
  expect(event('charge.refunded', { id: 'ch_1' })).toBeNull()
  expect(event('checkout.session.completed', {})).toBeNull()
  expect(event('customer.created', { id: 'cus_1' })?.fact).toBeNull()
  expect(
    event('invoice.paid', { id: 'in_1', customer: 'cus_1', currency: 'usd', lines: null })?.fact,
  ).toBeNull()
  expect(
    event('checkout.session.completed', { id: 'cs_1', mode: 'payment', payment_status: 'unpaid' })?.fact,
  ).toBeNull()
})
