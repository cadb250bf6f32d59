import type { Insertable, Selectable } from 'kysely'
import type { SubscriptionState } from '../../adapters/payment-events.ts'
import { flag } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { BillingPaymentsTable, BillingSubscriptionsTable } from '../../db/schema.ts'

export type SubscriptionRow = Selectable<BillingSubscriptionsTable>
export type PaymentRow = Selectable<BillingPaymentsTable>

/** Records an event; returns false if the event was processed before. */
export async function rememberEvent(
  db: Db,
  event: { event_id: string; provider: string; type: string; received_at: string },
): Promise<boolean> {
  const row = await db
    .insertInto('billing_events')
    .values(event)
    .onConflict((conflict) => conflict.column('event_id').doNothing())
    .returning('event_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function isKnownEvent(db: Db, eventId: string): Promise<boolean> {
  const row = await db
    .selectFrom('billing_events')
    .select('event_id')
    .where('event_id', '=', eventId)
    .executeTakeFirst()
  return row !== undefined
}

export async function findCustomer(db: Db, provider: string, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('billing_customers')
    .select('customer_id')
    .where('provider', '=', provider)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.customer_id
}

export async function findUserOfCustomer(db: Db, customerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('billing_customers')
    .select('user_id')
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return row?.user_id
}

/** Saves the customer of a user unless there is one already. */
export async function saveCustomer(
  db: Db,
  row: { provider: string; user_id: string; customer_id: string; created_at: string },
): Promise<void> {
  await db
    .insertInto('billing_customers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function forgetCustomer(db: Db, customerId: string): Promise<void> {
  await db.deleteFrom('billing_customers').where('customer_id', '=', customerId).execute()
}

export function findSubscription(db: Db, subscriptionId: string): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('billing_subscriptions')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .executeTakeFirst()
}

export function listSubscriptions(db: Db, userId: string): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('billing_subscriptions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('updated_at', 'desc')
    .orderBy('subscription_id')
    .execute()
}

/** Returns users whose cancelled period is over, though the provider has not reported the end. */
export async function usersPastTheirEnd(db: Db, now: string, silentSince: string): Promise<string[]> {
  const rows = await db
    .selectFrom('billing_subscriptions')
    .select('user_id')
    .distinct()
    .where('status', '!=', 'canceled')
    .where((eb) =>
      eb.or([
        eb.and([eb('cancel_at_period_end', '=', 1), eb('current_period_end', '<=', now)]),
        eb('current_period_end', '<=', silentSince),
      ]),
    )
    .execute()
  return rows.map(({ user_id }) => user_id)
}

type SubscriptionWrite = {
  provider: string
  userId: string
  planId: string | null
  state: Pick<
    SubscriptionState,
    'subscriptionId' | 'customerId' | 'status' | 'currentPeriodEnd' | 'cancelAtPeriodEnd'
  >
  eventCreated: number
  eventRank: number
  now: string
}

export async function saveSubscription(db: Db, write: SubscriptionWrite): Promise<void> {
  const { state } = write
  const values = {
    plan_id: write.planId,
    status: state.status,
    current_period_end: state.currentPeriodEnd,
    cancel_at_period_end: flag(state.cancelAtPeriodEnd),
    event_created: write.eventCreated,
    event_rank: write.eventRank,
    updated_at: write.now,
  }
  await db
    .insertInto('billing_subscriptions')
    .values({
      subscription_id: state.subscriptionId,
      provider: write.provider,
      customer_id: state.customerId,
      user_id: write.userId,
      created_at: write.now,
      ...values,
    })
    .onConflict((conflict) => conflict.column('subscription_id').doUpdateSet(values))
    .execute()
}

/** Fills in missing fields from a late message, which does not change the state. */
export async function fillSubscription(
  db: Db,
  row: SubscriptionRow,
  known: { planId: string | null; currentPeriodEnd: string | null },
): Promise<void> {
  await db
    .updateTable('billing_subscriptions')
    .set({
      plan_id: row.plan_id ?? known.planId,
      current_period_end: row.current_period_end ?? known.currentPeriodEnd,
    })
    .where('subscription_id', '=', row.subscription_id)
    .execute()
}

/** Books a payment; returns false if this session or invoice was booked before. */
export async function insertPayment(db: Db, row: Insertable<BillingPaymentsTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('billing_payments')
    .values(row)
    .onConflict((conflict) => conflict.column('payment_id').doNothing())
    .returning('payment_id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function findPayment(
  db: Db,
  by: { paymentIntent: string | null; invoiceId: string | null },
): Promise<PaymentRow | undefined> {
  if (by.paymentIntent) {
    const paid = await db
      .selectFrom('billing_payments')
      .selectAll()
      .where('payment_intent', '=', by.paymentIntent)
      .executeTakeFirst()
    if (paid) return paid
  }
  if (!by.invoiceId) return undefined
  return db
    .selectFrom('billing_payments')
    .selectAll()
    .where('payment_id', '=', by.invoiceId)
    .executeTakeFirst()
}

export async function saveRefund(
  db: Db,
  paymentId: string,
  refund: { refundedCents: number; creditsReturned: number },
): Promise<void> {
  await db
    .updateTable('billing_payments')
    .set((eb) => ({
      refunded_cents: refund.refundedCents,
      credits_returned: eb('credits_returned', '+', refund.creditsReturned),
    }))
    .where('payment_id', '=', paymentId)
    .execute()
}

type EarlyRefund = { paymentIntent: string | null; invoiceId: string | null; refundedCents: number }

export async function keepEarlyRefund(db: Db, refund: EarlyRefund, now: string): Promise<void> {
  const key = refund.paymentIntent ?? refund.invoiceId
  if (!key) return
  const before = await db
    .selectFrom('billing_early_refunds')
    .select('refunded_cents')
    .where('refund_key', '=', key)
    .executeTakeFirst()
  const refundedCents = Math.max(before?.refunded_cents ?? 0, refund.refundedCents)
  await db
    .insertInto('billing_early_refunds')
    .values({
      refund_key: key,
      payment_intent: refund.paymentIntent,
      invoice_id: refund.invoiceId,
      refunded_cents: refundedCents,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('refund_key').doUpdateSet({ refunded_cents: refundedCents }))
    .execute()
}

/** Returns and deletes the refund that was reported before its payment. */
export async function takeEarlyRefund(
  db: Db,
  payment: { paymentIntent: string | null; paymentId: string },
): Promise<number> {
  const rows = await db
    .deleteFrom('billing_early_refunds')
    .where((eb) =>
      eb.or([
        eb('invoice_id', '=', payment.paymentId),
        eb('refund_key', '=', payment.paymentIntent ?? payment.paymentId),
      ]),
    )
    .returning('refunded_cents')
    .execute()
  return Math.max(0, ...rows.map((row) => row.refunded_cents))
}
