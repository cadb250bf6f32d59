import { makeEvent } from './events.ts'
import { type DevChange, type DevPayment, NOTHING } from './objects.ts'

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
