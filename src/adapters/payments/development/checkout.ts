import type { CheckoutOrder } from '../payments.ts'
import { sessionCompleted, subscriptionEvent } from './events.ts'
import { addInterval, dayOfMonth, payInvoice, periodInvoice } from './invoices.ts'
import {
  type DevChange,
  type DevSession,
  type DevSubscription,
  NOTHING,
  newDevId,
  newPayment,
} from './objects.ts'

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

/** Paying a second time (a double click, a reload) changes nothing. */
export function paySession(session: DevSession, now: number): DevChange {
  if (!isOpen(session, now)) return NOTHING
  const paid: DevSession = { ...session, status: 'complete' }
  return session.offer.interval ? startSubscription(paid, now) : payOnce(paid, now)
}

/** A declined card leaves the session open for another try, as a bank's refusal does. */
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
