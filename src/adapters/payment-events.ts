import { z } from 'zod'

/** Schemas of the fields that the product reads from Stripe's events. Both providers send these objects. */

const Id = z.string().min(1).max(255)
const Ref = z
  .union([Id, z.object({ id: Id })])
  .nullish()
  .transform((value) => (typeof value === 'string' ? value : (value?.id ?? null)))
const Metadata = z.record(z.string(), z.string()).nullish()
/** Unix seconds up to the end of year 9999, the last year with an ISO date. */
const Seconds = z.number().int().nonnegative().max(253_402_300_799)
/** The largest integer of the column. Events also come for other products of the account, in any currency. */
const MAX_CENTS = 2 ** 31 - 1
const Cents = z
  .number()
  .int()
  .transform((cents) => Math.max(-MAX_CENTS, Math.min(MAX_CENTS, cents)))

const Envelope = z.object({
  id: Id,
  type: z.string().min(1).max(255),
  created: Seconds,
  data: z.object({ object: z.looseObject({}) }),
})

const Session = z.object({
  id: Id,
  mode: z.string(),
  payment_status: z.string(),
  customer: Ref,
  client_reference_id: z.string().nullish(),
  metadata: Metadata,
  payment_intent: Ref,
  subscription: Ref,
  invoice: Ref,
  amount_total: Cents.nullish(),
  currency: z.string().nullish(),
})

const Product = z.object({ price: z.object({ product: Ref }).nullish() })

const Subscription = z.object({
  id: Id,
  customer: Ref,
  status: z.string(),
  cancel_at_period_end: z.boolean().nullish(),
  cancel_at: Seconds.nullish(),
  current_period_end: Seconds.nullish(),
  latest_invoice: Ref,
  metadata: Metadata,
  items: z.object({ data: z.array(Product.extend({ current_period_end: Seconds.nullish() })) }).nullish(),
})

const Line = z.object({
  amount: Cents,
  quantity: z.number().nullish(),
  proration: z.boolean().nullish(),
  period: z.object({ end: Seconds }).nullish(),
  pricing: z.object({ price_details: z.object({ product: Ref }).nullish() }).nullish(),
  price: z.object({ product: Ref }).nullish(),
  parent: z
    .object({
      subscription_item_details: z.object({ proration: z.boolean().nullish() }).nullish(),
      invoice_item_details: z.object({ proration: z.boolean().nullish() }).nullish(),
    })
    .nullish(),
})

const SubscriptionDetails = z.object({ subscription: Ref, metadata: Metadata })

const Invoice = z.object({
  id: Id,
  customer: Ref,
  amount_paid: Cents.nullish(),
  currency: z.string(),
  billing_reason: z.string().nullish(),
  subscription: Ref,
  subscription_details: z.object({ metadata: Metadata }).nullish(),
  parent: z.object({ subscription_details: SubscriptionDetails.nullish() }).nullish(),
  payment_intent: Ref,
  payments: z
    .object({ data: z.array(z.object({ payment: z.object({ payment_intent: Ref }).nullish() })) })
    .nullish(),
  lines: z.object({ data: z.array(Line) }).nullish(),
})

const Dispute = z.object({
  id: Id,
  amount: Cents,
  currency: z.string().nullish(),
  status: z.string().nullish(),
  payment_intent: Ref,
})

const Charge = z.object({
  id: Id,
  metadata: Metadata,
  amount_refunded: Cents,
  payment_intent: Ref,
  invoice: Ref,
})

/** Reads the SDK's API version (2026-09-30) and older fields of older webhook endpoints. */

type SubscriptionStatus = 'none' | 'trialing' | 'active' | 'past_due' | 'canceled'

export type SubscriptionState = {
  subscriptionId: string
  customerId: string
  userId: string | null
  productId: string | null
  planId: string | null
  status: SubscriptionStatus
  currentPeriodEnd: string | null
  cancelAtPeriodEnd: boolean
  latestInvoiceId: string | null
}

type InvoiceLine = {
  productId: string | null
  amountCents: number
  quantity: number
  proration: boolean
  periodEnd: string | null
}

export type InvoiceFacts = {
  invoiceId: string
  customerId: string
  userId: string | null
  planId: string | null
  subscriptionId: string
  paymentIntent: string | null
  amountPaidCents: number
  currency: string
  reason: string | null
  lines: InvoiceLine[]
}

export type PaymentFact =
  | { kind: 'session_paid'; session: SessionFacts }
  | { kind: 'subscription'; change: 'created' | 'updated' | 'deleted'; subscription: SubscriptionState }
  | { kind: 'invoice_paid'; invoice: InvoiceFacts }
  | { kind: 'invoice_failed'; invoice: InvoiceFacts }
  | { kind: 'refund'; refund: RefundFacts }
  | { kind: 'dispute'; dispute: DisputeFacts }

export type SessionFacts = {
  sessionId: string
  mode: 'payment' | 'subscription'
  customerId: string | null
  userId: string | null
  planId: string | null
  packId: string | null
  credits: number | null
  paymentIntent: string | null
  subscriptionId: string | null
  invoiceId: string | null
  amountCents: number
  currency: string
}

export type RefundFacts = {
  paymentIntent: string | null
  invoiceId: string | null
  refundedCents: number
  /** The payment was for a pack, which has no invoice. */
  isPack: boolean
}

export type DisputeFacts = {
  disputeId: string
  paymentIntent: string
  amountCents: number
  currency: string | null
  isWon: boolean
}

export type PaymentEvent = { eventId: string; type: string; created: number; fact: PaymentFact | null }

/** Returns the event, or null if the event or its object cannot be read. */
export function readEvent(raw: unknown): PaymentEvent | null {
  const envelope = Envelope.safeParse(raw)
  if (!envelope.success) return null
  const { id, type, created, data } = envelope.data
  const fact = readFact(type, data.object)
  return fact === 'unreadable' ? null : { eventId: id, type, created, fact }
}

export function readSubscription(raw: unknown): SubscriptionState | null {
  const parsed = Subscription.safeParse(raw)
  if (!parsed.success || !parsed.data.customer) return null
  const { data } = parsed
  const item = data.items?.data[0]
  return {
    subscriptionId: data.id,
    customerId: parsed.data.customer,
    userId: data.metadata?.user_id ?? null,
    productId: item?.price?.product ?? null,
    planId: data.metadata?.plan_id ?? null,
    status: statusOf(data.status),
    currentPeriodEnd: toIso(item?.current_period_end ?? data.current_period_end),
    cancelAtPeriodEnd: data.cancel_at_period_end === true || typeof data.cancel_at === 'number',
    latestInvoiceId: data.latest_invoice,
  }
}

function readFact(type: string, object: unknown): PaymentFact | null | 'unreadable' {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(object)
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted': {
      const subscription = readSubscription(object)
      if (!subscription) return 'unreadable'
      const change = type.slice('customer.subscription.'.length) as 'created' | 'updated' | 'deleted'
      if (change === 'deleted') subscription.status = 'canceled'
      return { kind: 'subscription', change, subscription }
    }
    case 'invoice.paid':
      return readInvoice(object, 'invoice_paid')
    case 'invoice.payment_failed':
      return readInvoice(object, 'invoice_failed')
    case 'charge.refunded':
      return readRefund(object)
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.closed':
      return readDispute(object, type === 'charge.dispute.funds_withdrawn')
    default:
      return null
  }
}

function readSession(object: unknown): PaymentFact | null | 'unreadable' {
  const parsed = Session.safeParse(object)
  if (!parsed.success) return 'unreadable'
  const { data } = parsed
  // Slow payment methods complete the session unpaid; async_payment_succeeded reports the money later.
  if (data.payment_status === 'unpaid') return null
  if (data.mode !== 'payment' && data.mode !== 'subscription') return null
  const credits = Number(data.metadata?.credits)
  return {
    kind: 'session_paid',
    session: {
      sessionId: data.id,
      mode: data.mode,
      customerId: data.customer,
      userId: data.metadata?.user_id ?? data.client_reference_id ?? null,
      planId: data.metadata?.plan_id ?? null,
      packId: data.metadata?.pack_id ?? null,
      credits: Number.isSafeInteger(credits) && credits > 0 ? credits : null,
      paymentIntent: data.payment_intent,
      subscriptionId: data.subscription,
      invoiceId: data.invoice,
      amountCents: data.amount_total ?? 0,
      currency: data.currency ?? 'usd',
    },
  }
}

function readInvoice(
  object: unknown,
  kind: 'invoice_paid' | 'invoice_failed',
): PaymentFact | null | 'unreadable' {
  const parsed = Invoice.safeParse(object)
  if (!parsed.success) return 'unreadable'
  const { data } = parsed
  const details = data.parent?.subscription_details
  const subscriptionId = details?.subscription ?? data.subscription
  if (!subscriptionId || !data.customer) return null
  const metadata = details?.metadata ?? data.subscription_details?.metadata
  return {
    kind,
    invoice: {
      invoiceId: data.id,
      customerId: data.customer,
      userId: metadata?.user_id ?? null,
      planId: metadata?.plan_id ?? null,
      subscriptionId,
      paymentIntent: data.payments?.data[0]?.payment?.payment_intent ?? data.payment_intent,
      amountPaidCents: data.amount_paid ?? 0,
      currency: data.currency,
      reason: data.billing_reason ?? null,
      lines: (data.lines?.data ?? []).map(readLine),
    },
  }
}

function readLine(line: z.output<typeof Line>): InvoiceLine {
  const { parent } = line
  return {
    productId: line.pricing?.price_details?.product ?? line.price?.product ?? null,
    amountCents: line.amount,
    quantity: line.quantity ?? 1,
    proration:
      parent?.subscription_item_details?.proration ??
      parent?.invoice_item_details?.proration ??
      line.proration ??
      false,
    periodEnd: toIso(line.period?.end),
  }
}

function readRefund(object: unknown): PaymentFact | null | 'unreadable' {
  const parsed = Charge.safeParse(object)
  if (!parsed.success) return 'unreadable'
  const { data } = parsed
  if (!data.payment_intent && !data.invoice) return null
  return {
    kind: 'refund',
    refund: {
      paymentIntent: data.payment_intent,
      invoiceId: data.invoice,
      refundedCents: data.amount_refunded,
      isPack: data.metadata?.pack_id !== undefined,
    },
  }
}

/** Reads a dispute; null while no money has moved (an inquiry of the bank, or a prevented dispute). */
function readDispute(object: unknown, isWithdrawn: boolean): PaymentFact | null | 'unreadable' {
  const parsed = Dispute.safeParse(object)
  if (!parsed.success) return 'unreadable'
  const { id, amount, currency = null, status, payment_intent: paymentIntent } = parsed.data
  const isQuestion = status?.startsWith('warning_') || status === 'prevented'
  if (!paymentIntent || (isQuestion && !isWithdrawn)) return null
  return {
    kind: 'dispute',
    dispute: { disputeId: id, paymentIntent, amountCents: amount, currency, isWon: status === 'won' },
  }
}

/** Maps the provider's status: with `unpaid` and `paused` no money is collected, so the plan ends. */
function statusOf(status: string): SubscriptionStatus {
  switch (status) {
    case 'active':
    case 'trialing':
    case 'past_due':
      return status
    case 'incomplete':
      return 'none'
    default:
      return 'canceled'
  }
}

function toIso(seconds: number | null | undefined): string | null {
  return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : null
}
