import type { Insertable, Selectable } from 'kysely'
import type { DisputeFacts, InvoiceFacts, RefundFacts } from '../../adapters/payment-events.ts'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { BillingDisputesTable } from '../../db/schema.ts'
import { audit } from '../audit/index.ts'
import { balanceOf, book } from '../credits/index.ts'
import { findPayment, keepEarlyRefund, type PaymentRow, saveRefund } from './billing-store.ts'
import { findPlan, planOfProduct } from './plans.ts'

/** Rules without a database: which plan an invoice is for, and how many credits it gives. */

const namesProducts = ({ lines }: InvoiceFacts) => lines.some((line) => line.productId !== null)

const metadataPlanId = (invoice: InvoiceFacts) => (namesProducts(invoice) ? null : invoice.planId)

/** Returns whether an invoice is only for other products of the customer. */
export const isOfOtherProducts = (invoice: InvoiceFacts): boolean =>
  namesProducts(invoice) && !invoice.lines.some((line) => planOfProduct(line.productId, null))

export function planOfInvoice(invoice: InvoiceFacts): string | null {
  const charged = invoice.lines.filter((line) => line.amountCents >= 0)
  const plan = charged.map((line) => planOfProduct(line.productId, null)).find((one) => one !== undefined)
  return (plan ?? planOfProduct(null, metadataPlanId(invoice)))?.plan_id ?? null
}

/**
 * A correction of a running period gives the same share of credits as of the price. A line of amount 0 is a
 * trial and gives nothing; a discount takes nothing away.
 */
export function creditsForInvoice(invoice: InvoiceFacts, knownPlanId: string | null): number {
  if (isOfOtherProducts(invoice)) return 0
  const planLines = invoice.lines.flatMap((line) => {
    const plan = planOfProduct(line.productId, line.proration ? null : metadataPlanId(invoice))
    return plan ? [{ line, plan }] : []
  })
  if (planLines.length === 0) {
    const plan = findPlan(invoice.planId ?? knownPlanId ?? '')
    return invoice.amountPaidCents > 0 && plan ? plan.monthly_credits : 0
  }
  let credits = 0
  for (const { line, plan } of planLines) {
    if (!line.proration) credits += line.amountCents > 0 ? plan.monthly_credits * line.quantity : 0
    else if (plan.price_cents > 0) credits += (plan.monthly_credits * line.amountCents) / plan.price_cents
  }
  // The small term corrects binary rounding, which would turn 1500 into 1499.
  return Math.max(0, Math.floor(credits + 1e-6))
}

/** Uses the totals before and now, so that a repeated or late message takes nothing. */
export function creditsToTakeBack(
  payment: { credits: number; amountCents: number; refundedCents: number },
  refundedCents: number,
): number {
  if (payment.amountCents <= 0) return 0
  const share = (cents: number) =>
    Math.floor((payment.credits * Math.min(cents, payment.amountCents)) / payment.amountCents)
  return Math.max(0, share(refundedCents) - share(payment.refundedCents))
}

export async function refunded(ctx: Ctx, refund: RefundFacts, invoiceId: string | null): Promise<void> {
  const payment = await findPayment(ctx.db, { paymentIntent: refund.paymentIntent, invoiceId })
  if (payment) await takeBack(ctx, payment, refund.refundedCents)
  else await keepEarlyRefund(ctx.db, { ...refund, invoiceId }, ctx.now().toISOString())
}

type Refundable = Pick<
  PaymentRow,
  'payment_id' | 'user_id' | 'credits' | 'amount_cents' | 'refunded_cents' | 'disputed_cents'
>

/** Applies a refund. Refunds are reported as totals, so a repeated or late message takes nothing. */
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

async function takeCredits(
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

type DisputeRow = Selectable<BillingDisputesTable>

function findDispute(db: Db, disputeId: string): Promise<DisputeRow | undefined> {
  return db.selectFrom('billing_disputes').selectAll().where('dispute_id', '=', disputeId).executeTakeFirst()
}

async function insertDispute(db: Db, row: Insertable<BillingDisputesTable>): Promise<void> {
  await db.insertInto('billing_disputes').values(row).execute()
}

function earlyDisputes(
  db: Db,
  payment: { paymentIntent: string | null; paymentId: string },
): Promise<DisputeRow[]> {
  return db
    .selectFrom('billing_disputes')
    .selectAll()
    .where('payment_id', 'is', null)
    .where('won_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('invoice_id', '=', payment.paymentId),
        eb('payment_intent', '=', payment.paymentIntent ?? ''),
      ]),
    )
    .orderBy('dispute_id')
    .execute()
}

/** Adds cents and credits to a payment; they are negative when the dispute was won. */
async function addToPayment(
  db: Db,
  paymentId: string,
  more: { cents: number; credits: number },
): Promise<void> {
  await db
    .updateTable('billing_payments')
    .set((eb) => ({
      disputed_cents: eb('disputed_cents', '+', more.cents),
      credits_returned: eb('credits_returned', '+', more.credits),
    }))
    .where('payment_id', '=', paymentId)
    .execute()
}

async function saveTaken(
  db: Db,
  dispute: { disputeId: string; paymentId: string; amountCents: number },
  creditsTaken: number,
): Promise<void> {
  await db
    .updateTable('billing_disputes')
    .set({ payment_id: dispute.paymentId, credits_taken: creditsTaken })
    .where('dispute_id', '=', dispute.disputeId)
    .execute()
  await addToPayment(db, dispute.paymentId, { cents: dispute.amountCents, credits: creditsTaken })
}

async function saveWon(db: Db, dispute: DisputeRow, creditsGiven: number, now: string): Promise<void> {
  await db
    .updateTable('billing_disputes')
    .set({ won_at: now })
    .where('dispute_id', '=', dispute.dispute_id)
    .execute()
  if (dispute.payment_id !== null)
    await addToPayment(db, dispute.payment_id, {
      cents: -dispute.amount_cents,
      credits: -creditsGiven,
    })
}

/** Takes credits once and returns them once if won, whatever the order of messages and payment. */

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
    // A late message about the opening takes nothing then.
    won_at: dispute.isWon ? now : null,
    created_at: now,
  })
  if (payment && !dispute.isWon) await take(ctx, payment, { disputeId: dispute.disputeId, amountCents })
}

function centsOf({ amountCents, currency }: DisputeFacts, payment: PaymentRow | undefined): number {
  const isForeign = payment && currency !== null && currency !== payment.currency
  return isForeign ? payment.amount_cents : amountCents
}

/** Applies disputes that were reported before their payment. Call it when a payment was booked. */
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

function creditsToGive(payment: PaymentRow, { credits_taken, amount_cents }: DisputeRow): number {
  const stillGone = payment.refunded_cents + payment.disputed_cents - amount_cents
  const whole = { credits: payment.credits, amountCents: payment.amount_cents, refundedCents: 0 }
  return Math.min(credits_taken, payment.credits - creditsToTakeBack(whole, stillGone))
}
