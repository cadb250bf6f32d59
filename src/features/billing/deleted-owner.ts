/** Events about accounts that are gone. Nothing is booked; what runs is cancelled, and the operator is told what to refund. */
import type { InvoiceFacts, SessionFacts, SubscriptionState } from '../../adapters/payments/events.ts'
import type { Ctx } from '../../core/context.ts'
import { findPayment, findSubscription } from './billing.store.ts'
import { MustCancel } from './must-cancel.ts'

const PAID = 'a deleted account has paid: refund the payment at the payment provider'
const RUNS =
  'a subscription of a deleted account was cancelled: refund its last payment, unless it is older than the deletion'

export type DeletedOwnerOutcome = 'owner_deleted' | 'not_ours'

type LatePayment = {
  userId: string
  subscriptionId: string | null
  paymentId: string
  paymentIntent: string | null
  amountCents: number
}

/** A checkout page that was opened before the deletion, paid after it. */
export const sessionOfDeleted = (
  ctx: Ctx,
  userId: string,
  session: SessionFacts,
  cancelled: string | undefined,
): Promise<DeletedOwnerOutcome> =>
  paidLate(ctx, cancelled, {
    userId,
    subscriptionId: session.subscriptionId,
    paymentId: session.invoiceId ?? session.sessionId,
    paymentIntent: session.paymentIntent,
    amountCents: session.amountCents,
  })

export const invoiceOfDeleted = (
  ctx: Ctx,
  userId: string,
  invoice: InvoiceFacts,
  cancelled: string | undefined,
): Promise<DeletedOwnerOutcome> =>
  paidLate(ctx, cancelled, {
    userId,
    subscriptionId: invoice.subscriptionId,
    paymentId: invoice.invoiceId,
    paymentIntent: invoice.paymentIntent,
    amountCents: invoice.amountPaidCents,
  })

async function paidLate(
  ctx: Ctx,
  cancelled: string | undefined,
  { userId, subscriptionId, paymentId, paymentIntent, amountCents }: LatePayment,
): Promise<DeletedOwnerOutcome> {
  // A payment from before the deletion is booked; this is a further message about it.
  const isBooked = await findPayment(ctx.db, { paymentIntent, invoiceId: paymentId })
  if (isBooked || amountCents === 0) return 'not_ours'
  const details = {
    payment_id: paymentId,
    payment_intent: paymentIntent,
    subscription_id: subscriptionId,
    amount_cents: amountCents,
    user_id: userId,
  }
  if (subscriptionId === null) ctx.afterCommit(() => ctx.log.error(details, PAID))
  else if (cancelled !== subscriptionId) throw new MustCancel(subscriptionId, PAID, details)
  return 'owner_deleted'
}

export async function subscriptionOfDeleted(
  ctx: Ctx,
  userId: string,
  state: SubscriptionState,
  cancelled: string | undefined,
): Promise<DeletedOwnerOutcome> {
  const { subscriptionId, latestInvoiceId } = state
  const row = await findSubscription(ctx.db, subscriptionId)
  const isEnding = state.status === 'canceled' || state.cancelAtPeriodEnd || row?.status === 'canceled'
  if (isEnding) return 'not_ours'
  const details = { payment_id: latestInvoiceId, subscription_id: subscriptionId, user_id: userId }
  if (cancelled !== subscriptionId) throw new MustCancel(subscriptionId, RUNS, details)
  return 'owner_deleted'
}
