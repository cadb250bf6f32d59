import { type DevEvent, type DevInvoice, type DevSession, type DevSubscription, newDevId } from './objects.ts'

export function makeEvent(type: string, object: unknown, now: number): DevEvent {
  return { id: newDevId('evt'), object: 'event', type, created: now, data: { object } }
}

type Paid = { paymentIntent: string | null; subscriptionId: string | null; invoiceId: string | null }

export function sessionCompleted(session: DevSession, paid: Paid, now: number): DevEvent {
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

export function subscriptionEvent(type: string, subscription: DevSubscription, now: number): DevEvent {
  return makeEvent(type, subscriptionObject(subscription), now)
}

/** Stripe's view of a subscription; also the answer to "what is it now?". */
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

export function invoiceObject(
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

export function totalOf(invoice: DevInvoice): number {
  return Math.max(
    0,
    invoice.lines.reduce((sum, line) => sum + line.amountCents, 0),
  )
}
