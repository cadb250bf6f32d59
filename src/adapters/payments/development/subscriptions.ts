import type { Offer } from '../payments.ts'
import { invoiceObject, makeEvent, subscriptionEvent } from './events.ts'
import { addInterval, periodInvoice, settled } from './invoices.ts'
import { type DevChange, type DevInvoice, type DevSubscription, NOTHING, newDevId } from './objects.ts'

/** The end of a period: the next one is paid, or its payment fails, or the subscription ends as announced. */
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

/** The customer pays what was left open. */
export function payOpenInvoice(subscription: DevSubscription, now: number): DevChange {
  if (subscription.status !== 'past_due' || !subscription.openInvoice) return NOTHING
  return settled({ ...subscription, status: 'active', openInvoice: null }, subscription.openInvoice, now)
}

export function setCancelAtPeriodEnd(subscription: DevSubscription, cancel: boolean, now: number): DevChange {
  if (subscription.status === 'canceled' || subscription.cancelAtPeriodEnd === cancel) return NOTHING
  const changed = { ...subscription, cancelAtPeriodEnd: cancel }
  return { objects: [changed], events: [subscriptionEvent('customer.subscription.updated', changed, now)] }
}

/** At once, whatever was paid. */
export function endSubscription(subscription: DevSubscription, now: number): DevChange {
  if (subscription.status === 'canceled') return NOTHING
  const ended: DevSubscription = { ...subscription, status: 'canceled', openInvoice: null }
  return { objects: [ended], events: [subscriptionEvent('customer.subscription.deleted', ended, now)] }
}

/** Upwards at once, charged for what is left of the period; downwards when the period that was paid for is over. */
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
