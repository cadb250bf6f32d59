import { invoiceObject, makeEvent, subscriptionEvent, totalOf } from './events.ts'
import { type DevChange, type DevInvoice, type DevSubscription, newDevId, newPayment } from './objects.ts'

export function settled(subscription: DevSubscription, invoice: DevInvoice, now: number): DevChange {
  const { payment, event } = payInvoice(subscription, invoice, now)
  return {
    objects: [subscription, payment],
    events: [event, subscriptionEvent('customer.subscription.updated', subscription, now)],
  }
}

export function payInvoice(subscription: DevSubscription, invoice: DevInvoice, now: number) {
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

export function periodInvoice(subscription: DevSubscription, reason: DevInvoice['reason']): DevInvoice {
  const { offer, periodStart: start, periodEnd: end } = subscription
  return {
    id: newDevId('in'),
    reason,
    lines: [{ offer, amountCents: offer.amountCents, proration: false, start, end }],
  }
}

export const dayOfMonth = (seconds: number): number => new Date(seconds * 1000).getUTCDate()

/** Calendar months; the 31st becomes the last day of a shorter month, and the 31st again in a longer one. */
export function addInterval(
  seconds: number,
  interval: 'month' | 'year',
  day: number = dayOfMonth(seconds),
): number {
  const date = new Date(seconds * 1000)
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + (interval === 'month' ? 1 : 12))
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime() / 1000
}
