import { randomBytes } from 'node:crypto'
import type { CheckoutOrder, Offer } from './payments.ts'

/** A local payment provider for development that reports changes in Stripe's form. */

export type DevSession = {
  kind: 'session'
  id: string
  customer: string
  offer: Offer
  metadata: Record<string, string>
  successUrl: string
  cancelUrl: string
  status: 'open' | 'complete' | 'expired'
  declines: number
  expiresAt: number
}

export type DevSubscription = {
  kind: 'subscription'
  id: string
  customer: string
  offer: Offer
  /** The cheaper plan that starts when the paid period ends. */
  nextOffer: Offer | null
  metadata: Record<string, string>
  status: 'active' | 'past_due' | 'canceled'
  cancelAtPeriodEnd: boolean
  /** The day of the month on which the subscription began; a shorter month uses its last day. */
  billingDay?: number
  periodStart: number
  periodEnd: number
  openInvoice: DevInvoice | null
}

export type DevPayment = {
  kind: 'payment'
  id: string
  customer: string
  description: string
  amountCents: number
  refundedCents: number
  currency: string
  invoice: string | null
  created: number
}

export type DevPortal = {
  kind: 'portal'
  id: string
  customer: string
  returnUrl: string
  offers: Offer[]
  expiresAt: number
}

type DevInvoice = {
  id: string
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  lines: { offer: Offer; amountCents: number; proration: boolean; start: number; end: number }[]
}

export type DevObject = DevSession | DevSubscription | DevPayment | DevPortal

/** Typed loosely: the reader of Stripe's events parses these events too. */
export type DevEvent = {
  id: string
  type: string
  created: number
  object: 'event'
  data: { object: unknown }
}

export type DevChange = { objects: DevObject[]; events: DevEvent[] }

const NOTHING: DevChange = { objects: [], events: [] }

export function newDevId(prefix: string): string {
  return `${prefix}_dev_${randomBytes(18).toString('base64url')}`
}

function newPayment(
  customer: string,
  description: string,
  amountCents: number,
  offer: Offer,
  invoice: string | null,
  now: number,
): DevPayment {
  const id = newDevId('pi')
  const { currency } = offer
  return {
    kind: 'payment',
    id,
    customer,
    description,
    amountCents,
    refundedCents: 0,
    currency,
    invoice,
    created: now,
  }
}

function makeEvent(type: string, object: unknown, now: number): DevEvent {
  return { id: newDevId('evt'), object: 'event', type, created: now, data: { object } }
}

type Paid = { paymentIntent: string | null; subscriptionId: string | null; invoiceId: string | null }

function sessionCompleted(session: DevSession, paid: Paid, now: number): DevEvent {
  const object = {
    id: session.id,
    object: 'checkout.session',
    mode: session.offer.interval ? 'subscription' : 'payment',
    status: 'complete',
    payment_status: 'paid',
    customer: session.customer,
    client_reference_id: session.metadata.user_id ?? null,
    metadata: session.metadata,
    payment_intent: paid.paymentIntent,
    subscription: paid.subscriptionId,
    invoice: paid.invoiceId,
    amount_total: session.offer.amountCents,
    currency: session.offer.currency,
  }
  return makeEvent('checkout.session.completed', object, now)
}

function subscriptionEvent(type: string, subscription: DevSubscription, now: number): DevEvent {
  return makeEvent(type, subscriptionObject(subscription), now)
}

export function subscriptionObject(subscription: DevSubscription): unknown {
  return {
    id: subscription.id,
    object: 'subscription',
    customer: subscription.customer,
    status: subscription.status,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    cancel_at: subscription.cancelAtPeriodEnd ? subscription.periodEnd : null,
    metadata: subscription.metadata,
    items: {
      object: 'list',
      data: [
        {
          id: `si_${subscription.id}`,
          object: 'subscription_item',
          quantity: 1,
          current_period_start: subscription.periodStart,
          current_period_end: subscription.periodEnd,
          price: {
            object: 'price',
            product: subscription.offer.productId,
            unit_amount: subscription.offer.amountCents,
            currency: subscription.offer.currency,
          },
        },
      ],
    },
  }
}

function invoiceObject(
  subscription: DevSubscription,
  invoice: DevInvoice,
  paymentIntent: string | null,
): unknown {
  const total = totalOf(invoice)
  return {
    id: invoice.id,
    object: 'invoice',
    customer: subscription.customer,
    currency: subscription.offer.currency,
    billing_reason: invoice.reason,
    amount_due: total,
    amount_paid: paymentIntent ? total : 0,
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
    payments: {
      object: 'list',
      data: paymentIntent ? [{ payment: { type: 'payment_intent', payment_intent: paymentIntent } }] : [],
    },
    lines: {
      object: 'list',
      data: invoice.lines.map((line) => ({
        object: 'line_item',
        amount: line.amountCents,
        quantity: 1,
        period: { start: line.start, end: line.end },
        pricing: { type: 'price_details', price_details: { product: line.offer.productId } },
        parent: {
          type: 'subscription_item_details',
          subscription_item_details: { subscription: subscription.id, proration: line.proration },
        },
      })),
    },
  }
}

function totalOf(invoice: DevInvoice): number {
  return Math.max(
    0,
    invoice.lines.reduce((sum, line) => sum + line.amountCents, 0),
  )
}

function settled(subscription: DevSubscription, invoice: DevInvoice, now: number): DevChange {
  const { payment, event } = payInvoice(subscription, invoice, now)
  return {
    objects: [subscription, payment],
    events: [event, subscriptionEvent('customer.subscription.updated', subscription, now)],
  }
}

function payInvoice(subscription: DevSubscription, invoice: DevInvoice, now: number) {
  const total = totalOf(invoice)
  const payment = newPayment(
    subscription.customer,
    subscription.offer.name,
    total,
    subscription.offer,
    invoice.id,
    now,
  )
  return { payment, event: makeEvent('invoice.paid', invoiceObject(subscription, invoice, payment.id), now) }
}

function periodInvoice(subscription: DevSubscription, reason: DevInvoice['reason']): DevInvoice {
  const { offer, periodStart: start, periodEnd: end } = subscription
  return {
    id: newDevId('in'),
    reason,
    lines: [{ offer, amountCents: offer.amountCents, proration: false, start, end }],
  }
}

const dayOfMonth = (seconds: number): number => new Date(seconds * 1000).getUTCDate()

/** Adds calendar months: the 31st becomes a shorter month's last day, and the 31st again later. */
function addInterval(seconds: number, interval: 'month' | 'year', day: number = dayOfMonth(seconds)): number {
  const date = new Date(seconds * 1000)
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + (interval === 'month' ? 1 : 12))
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime() / 1000
}

const DAY = 24 * 60 * 60

export function newSession(order: CheckoutOrder, now: number): DevSession {
  return {
    kind: 'session',
    id: newDevId('cs'),
    customer: order.customerId,
    offer: order.offer,
    metadata: { ...order.metadata },
    successUrl: order.successUrl,
    cancelUrl: order.cancelUrl,
    status: 'open',
    declines: 0,
    expiresAt: now + DAY,
  }
}

export function isOpen(session: DevSession, now: number): boolean {
  return session.status === 'open' && session.expiresAt > now
}

/** Pays a session; a second payment (double click, reload) changes nothing. */
export function paySession(session: DevSession, now: number): DevChange {
  if (!isOpen(session, now)) return NOTHING
  const paid: DevSession = { ...session, status: 'complete' }
  return session.offer.interval ? startSubscription(paid, now) : payOnce(paid, now)
}

/** Declines a card; the session stays open for another try. */
export function declineSession(session: DevSession, now: number): DevChange {
  if (!isOpen(session, now)) return NOTHING
  return { objects: [{ ...session, declines: session.declines + 1 }], events: [] }
}

export function cancelSession(session: DevSession, now: number): DevChange {
  if (!isOpen(session, now)) return NOTHING
  return { objects: [{ ...session, status: 'expired' }], events: [] }
}

function payOnce(session: DevSession, now: number): DevChange {
  const payment = newPayment(
    session.customer,
    session.offer.name,
    session.offer.amountCents,
    session.offer,
    null,
    now,
  )
  const paid = { paymentIntent: payment.id, subscriptionId: null, invoiceId: null }
  return { objects: [session, payment], events: [sessionCompleted(session, paid, now)] }
}

function startSubscription(session: DevSession, now: number): DevChange {
  const { offer } = session
  const subscription: DevSubscription = {
    kind: 'subscription',
    id: newDevId('sub'),
    customer: session.customer,
    offer,
    nextOffer: null,
    metadata: session.metadata,
    status: 'active',
    cancelAtPeriodEnd: false,
    billingDay: dayOfMonth(now),
    periodStart: now,
    periodEnd: addInterval(now, offer.interval ?? 'month'),
    openInvoice: null,
  }
  const { payment, event } = payInvoice(subscription, periodInvoice(subscription, 'subscription_create'), now)
  return {
    objects: [session, subscription, payment],
    events: [
      event,
      sessionCompleted(
        session,
        { paymentIntent: null, subscriptionId: subscription.id, invoiceId: payment.invoice },
        now,
      ),
      subscriptionEvent('customer.subscription.created', subscription, now),
    ],
  }
}

/** Ends a period: the next one is paid, its payment fails, or the subscription ends as announced. */
export function renew(subscription: DevSubscription, now: number, outcome: 'paid' | 'failed'): DevChange {
  if (subscription.status !== 'active') return NOTHING
  if (subscription.cancelAtPeriodEnd) return endSubscription(subscription, now)
  const offer = subscription.nextOffer ?? subscription.offer
  const next: DevSubscription = {
    ...subscription,
    offer,
    nextOffer: null,
    periodStart: subscription.periodEnd,
    periodEnd: addInterval(subscription.periodEnd, offer.interval ?? 'month', subscription.billingDay),
  }
  const invoice = periodInvoice(next, 'subscription_cycle')
  if (outcome === 'paid') return settled(next, invoice, now)
  const unpaid: DevSubscription = { ...next, status: 'past_due', openInvoice: invoice }
  return {
    objects: [unpaid],
    events: [
      makeEvent('invoice.payment_failed', invoiceObject(unpaid, invoice, null), now),
      subscriptionEvent('customer.subscription.updated', unpaid, now),
    ],
  }
}

export function payOpenInvoice(subscription: DevSubscription, now: number): DevChange {
  if (subscription.status !== 'past_due' || !subscription.openInvoice) return NOTHING
  return settled({ ...subscription, status: 'active', openInvoice: null }, subscription.openInvoice, now)
}

export function setCancelAtPeriodEnd(subscription: DevSubscription, cancel: boolean, now: number): DevChange {
  if (subscription.status === 'canceled' || subscription.cancelAtPeriodEnd === cancel) return NOTHING
  const changed = { ...subscription, cancelAtPeriodEnd: cancel }
  return { objects: [changed], events: [subscriptionEvent('customer.subscription.updated', changed, now)] }
}

export function endSubscription(subscription: DevSubscription, now: number): DevChange {
  if (subscription.status === 'canceled') return NOTHING
  const ended: DevSubscription = { ...subscription, status: 'canceled', openInvoice: null }
  return { objects: [ended], events: [subscriptionEvent('customer.subscription.deleted', ended, now)] }
}

/** Switches the plan: an upgrade at once with a charge, a downgrade when the paid period ends. */
export function switchOffer(subscription: DevSubscription, offer: Offer, now: number): DevChange {
  if (subscription.status !== 'active') return NOTHING
  if (offer.productId === subscription.offer.productId) {
    return subscription.nextOffer ? { objects: [{ ...subscription, nextOffer: null }], events: [] } : NOTHING
  }
  if (offer.amountCents < subscription.offer.amountCents) {
    return { objects: [{ ...subscription, nextOffer: offer }], events: [] }
  }
  const { periodStart, periodEnd } = subscription
  const left = Math.max(0, Math.min(1, (periodEnd - now) / (periodEnd - periodStart)))
  const span = { proration: true, start: now, end: periodEnd }
  const invoice: DevInvoice = {
    id: newDevId('in'),
    reason: 'subscription_update',
    lines: [
      { offer: subscription.offer, amountCents: -Math.round(subscription.offer.amountCents * left), ...span },
      { offer, amountCents: Math.round(offer.amountCents * left), ...span },
    ],
  }
  const changed = { ...subscription, offer, nextOffer: null }
  return settled(changed, invoice, now)
}

export function refund(payment: DevPayment, now: number): DevChange {
  if (payment.refundedCents >= payment.amountCents) return NOTHING
  const refunded = { ...payment, refundedCents: payment.amountCents }
  const charge = {
    id: `ch_${payment.id}`,
    object: 'charge',
    amount: payment.amountCents,
    amount_captured: payment.amountCents,
    amount_refunded: payment.amountCents,
    currency: payment.currency,
    customer: payment.customer,
    payment_intent: payment.id,
    refunded: true,
  }
  return { objects: [refunded], events: [makeEvent('charge.refunded', charge, now)] }
}
