import type { Generated } from 'kysely'

export type BillingTables = {
  billing_customers: BillingCustomersTable
  billing_subscriptions: BillingSubscriptionsTable
  billing_events: BillingEventsTable
  billing_payments: BillingPaymentsTable
  billing_early_refunds: BillingEarlyRefundsTable
  billing_disputes: BillingDisputesTable
  billing_invites: BillingInvitesTable
  billing_redemptions: BillingRedemptionsTable
  billing_dev_objects: BillingDevObjectsTable
  billing_dev_events: BillingDevEventsTable
}

/** Who a user is at a payment provider. */
export type BillingCustomersTable = {
  provider: string
  user_id: string
  customer_id: string
  created_at: string
}

export type BillingSubscriptionsTable = {
  subscription_id: string
  provider: string
  customer_id: string
  user_id: string
  plan_id: string | null
  status: 'none' | 'trialing' | 'active' | 'past_due' | 'canceled'
  current_period_end: string | null
  cancel_at_period_end: number
  /** Time (seconds) and rank of the event that set this state; an earlier one no longer counts. */
  event_created: number
  event_rank: number
  created_at: string
  updated_at: string
}

/**
 * Events whose effect is in the database; written in the transaction of that effect. The code looks for the id alone; type
 * and time are for an operator who compares them with the provider's list.
 */
export type BillingEventsTable = {
  event_id: string
  provider: string
  type: string
  received_at: string
}

/** Money that gave credits: one row for each paid session or invoice. */
export type BillingPaymentsTable = {
  payment_id: string
  provider: string
  user_id: string
  kind: 'pack' | 'plan'
  item_id: string
  payment_intent: string | null
  amount_cents: number
  currency: string
  credits: number
  refunded_cents: Generated<number>
  /** By disputes that were not won. */
  disputed_cents: Generated<number>
  credits_returned: Generated<number>
  created_at: string
}

/** Refunds that were reported before the payment they belong to. */
export type BillingEarlyRefundsTable = {
  refund_key: string
  payment_intent: string | null
  invoice_id: string | null
  refunded_cents: number
  created_at: string
}

/** Payments that a bank has taken back. Without `payment_id`, the payment was not reported yet. */
export type BillingDisputesTable = {
  dispute_id: string
  payment_intent: string | null
  invoice_id: string | null
  payment_id: Generated<string | null>
  amount_cents: number
  credits_taken: Generated<number>
  won_at: string | null
  created_at: string
}

export type BillingInvitesTable = {
  invite_id: string
  code: string
  created_by: string
  note: string | null
  credits: number
  max_uses: number
  uses: Generated<number>
  expires_at: string
  created_at: string
  /** When its maker took it back. */
  withdrawn_at: string | null
}

/** The key is the account: one redemption each, whatever the code. */
export type BillingRedemptionsTable = {
  user_id: string
  invite_id: string
  created_at: string
}

/** The development provider's own books. */
export type BillingDevObjectsTable = {
  object_id: string
  kind: string
  customer_id: string | null
  data: string
  created_at: string
  updated_at: string
}

export type BillingDevEventsTable = {
  event_id: string
  payload: string
  created_at: string
  delivered_at: string | null
}
