/** What a refund does to credits. Runs in the transaction of its event, or of the payment that it came before. */
import type { RefundFacts } from '../../adapters/payments/events.ts'
import type { Ctx } from '../../core/context.ts'
import { audit } from '../audit/audit.ts'
import { balanceOf, book } from '../credits/ledger.ts'
import { findPayment, keepEarlyRefund, type PaymentRow, saveRefund } from './billing.store.ts'
import { creditsToTakeBack } from './grants.ts'

export async function refunded(ctx: Ctx, refund: RefundFacts, invoiceId: string | null): Promise<void> {
  const payment = await findPayment(ctx.db, { paymentIntent: refund.paymentIntent, invoiceId })
  if (payment) await takeBack(ctx, payment, refund.refundedCents)
  else await keepEarlyRefund(ctx.db, { ...refund, invoiceId }, ctx.now().toISOString())
}

type Refundable = Pick<
  PaymentRow,
  'payment_id' | 'user_id' | 'credits' | 'amount_cents' | 'refunded_cents' | 'disputed_cents'
>

/** Refunds are reported in total, so a repeated or late message takes nothing. */
export async function takeBack(ctx: Ctx, payment: Refundable, refundedCents: number): Promise<void> {
  if (refundedCents <= payment.refunded_cents) return
  const { due, taken } = await takeCredits(ctx, payment, {
    moreCents: refundedCents - payment.refunded_cents,
    cause: `refund:${payment.payment_id}:${refundedCents}`,
  })
  await saveRefund(ctx.db, payment.payment_id, { refundedCents, creditsReturned: taken })
  await audit(ctx, {
    action: 'billing.refunded',
    subject: { type: 'payment', id: payment.payment_id },
    actorId: payment.user_id,
    details: { refunded_cents: refundedCents, credits_due: due, credits_taken: taken },
  })
}

/**
 * Takes back the credits of a further part of a payment, as far as they are left. The ledger has a line for each part, also
 * when nothing was left.
 */
export async function takeCredits(
  ctx: Ctx,
  payment: Refundable,
  { moreCents, cause }: { moreCents: number; cause: string },
): Promise<{ due: number; taken: number }> {
  const before = payment.refunded_cents + payment.disputed_cents
  const due = creditsToTakeBack(
    { credits: payment.credits, amountCents: payment.amount_cents, refundedCents: before },
    before + moreCents,
  )
  const taken = Math.min(due, await balanceOf(ctx, payment.user_id))
  await book(ctx, {
    userId: payment.user_id,
    delta: taken === 0 ? 0 : -taken,
    reason: 'refund',
    cause,
    ref: { type: 'payment', id: payment.payment_id },
  })
  return { due, taken }
}
