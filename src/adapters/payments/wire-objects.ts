/** The objects of Stripe's event language, as far as the product reads them. Both providers send them. */
import { z } from 'zod'

const Id = z.string().min(1).max(255)
const Ref = z
  .union([Id, z.object({ id: Id })])
  .nullish()
  .transform((value) => (typeof value === 'string' ? value : (value?.id ?? null)))
const Metadata = z.record(z.string(), z.string()).nullish()
/** To the end of year 9999, beyond which there are no ISO dates. */
const Seconds = z.number().int().nonnegative().max(253_402_300_799)
/** As much as a column can hold. Events come for everything that is sold there, in every currency; nothing of ours costs that. */
const MOST_CENTS = 2 ** 31 - 1
const Cents = z
  .number()
  .int()
  .transform((cents) => Math.max(-MOST_CENTS, Math.min(MOST_CENTS, cents)))

export const Envelope = z.object({
  id: Id,
  type: z.string().min(1).max(255),
  created: Seconds,
  data: z.object({ object: z.looseObject({}) }),
})

export const Session = z.object({
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

export const Subscription = z.object({
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

export const Line = z.object({
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

export const Invoice = z.object({
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

export const Dispute = z.object({
  id: Id,
  amount: Cents,
  currency: z.string().nullish(),
  status: z.string().nullish(),
  payment_intent: Ref,
})

export const Charge = z.object({
  id: Id,
  metadata: Metadata,
  amount_refunded: Cents,
  payment_intent: Ref,
  invoice: Ref,
})
