/**
 * A dispute: a bank takes a payment back for its customer. Credits go with the money as by a refund, and come back if the
 * dispute is won. Each dispute takes once and gives back once, in whatever order its messages and the payment arrive.
 */
import type { DisputeFacts } from '../../adapters/payments/events.ts'
import type { Ctx } from '../../core/context.ts'
import { audit } from '../audit/audit.ts'
import { book } from '../credits/ledger.ts'
import { findPayment, type PaymentRow } from './billing.store.ts'
import {
  type DisputeRow,
  earlyDisputes,
  findDispute,
  insertDispute,
  saveTaken,
  saveWon,
} from './disputes.store.ts'
import { creditsToTakeBack } from './grants.ts'
import { takeCredits } from './refunds.ts'

export async function disputed(ctx: Ctx, dispute: DisputeFacts, invoiceId: string | null): Promise<void> {
  const known = await findDispute(ctx.db, dispute.disputeId)
  if (known) return dispute.isWon ? giveBack(ctx, known) : undefined
  const now = ctx.now().toISOString()
  const payment = await findPayment(ctx.db, { paymentIntent: dispute.paymentIntent, invoiceId })
  const amountCents = centsOf(dispute, payment)
  await insertDispute(ctx.db, {
    dispute_id: dispute.disputeId,
    payment_intent: dispute.paymentIntent,
    invoice_id: invoiceId,
    amount_cents: amountCents,
    // A late message that it was opened takes nothing then.
    won_at: dispute.isWon ? now : null,
    created_at: now,
  })
  if (payment && !dispute.isWon) await take(ctx, payment, { disputeId: dispute.disputeId, amountCents })
}

/** A bank may ask in the currency of its customer. What share of the payment that is cannot be told, so it counts as all. */
function centsOf({ amountCents, currency }: DisputeFacts, payment: PaymentRow | undefined): number {
  const isForeign = payment && currency !== null && currency !== payment.currency
  return isForeign ? payment.amount_cents : amountCents
}

/** Call it when a payment was booked: it may have been disputed before it was reported. */
export async function takeEarlyDisputes(
  ctx: Ctx,
  payment: { paymentIntent: string | null; paymentId: string },
): Promise<void> {
  for (const { dispute_id, amount_cents } of await earlyDisputes(ctx.db, payment)) {
    const present = await findPayment(ctx.db, { paymentIntent: null, invoiceId: payment.paymentId })
    if (present) await take(ctx, present, { disputeId: dispute_id, amountCents: amount_cents })
  }
}

async function take(
  ctx: Ctx,
  payment: PaymentRow,
  { disputeId, amountCents }: Pick<DisputeFacts, 'disputeId' | 'amountCents'>,
): Promise<void> {
  const { due, taken } = await takeCredits(ctx, payment, {
    moreCents: amountCents,
    cause: `dispute:${disputeId}`,
  })
  await saveTaken(ctx.db, { disputeId, paymentId: payment.payment_id, amountCents }, taken)
  await audit(ctx, {
    action: 'billing.disputed',
    subject: { type: 'payment', id: payment.payment_id },
    actorId: payment.user_id,
    details: { dispute_id: disputeId, amount_cents: amountCents, credits_due: due, credits_taken: taken },
  })
}

async function giveBack(ctx: Ctx, dispute: DisputeRow): Promise<void> {
  if (dispute.won_at !== null) return
  const { dispute_id, payment_id } = dispute
  const payment = payment_id
    ? await findPayment(ctx.db, { paymentIntent: null, invoiceId: payment_id })
    : undefined
  const given = payment ? creditsToGive(payment, dispute) : 0
  await saveWon(ctx.db, dispute, given, ctx.now().toISOString())
  if (!payment) return
  if (given > 0)
    await book(ctx, {
      userId: payment.user_id,
      delta: given,
      reason: 'adjustment',
      cause: `dispute_won:${dispute_id}`,
      ref: { type: 'payment', id: payment.payment_id },
    })
  await audit(ctx, {
    action: 'billing.dispute_won',
    subject: { type: 'payment', id: payment.payment_id },
    actorId: payment.user_id,
    details: { dispute_id, credits_given: given },
  })
}

/**
 * What was taken, and not what was due: the rest had been spent. A refund that was reported while the dispute was open found
 * nothing left to take, so its share stays away.
 */
function creditsToGive(payment: PaymentRow, { credits_taken, amount_cents }: DisputeRow): number {
  const stillGone = payment.refunded_cents + payment.disputed_cents - amount_cents
  const whole = { credits: payment.credits, amountCents: payment.amount_cents, refundedCents: 0 }
  return Math.min(credits_taken, payment.credits - creditsToTakeBack(whole, stillGone))
}
