/** Which plan an invoice is for, and how many credits money is worth: rules without a database. */
import type { InvoiceFacts } from '../../adapters/payments/events.ts'
import { findPlan, planOfProduct } from './plans.ts'

const namesProducts = ({ lines }: InvoiceFacts) => lines.some((line) => line.productId !== null)

/** Of the first purchase. As soon as one line names its product, a line without one is no plan. */
const metadataPlanId = (invoice: InvoiceFacts) => (namesProducts(invoice) ? null : invoice.planId)

/** The provider puts what a customer buys besides onto the next invoice of the plan, or onto one of its own. */
export const isOfOtherProducts = (invoice: InvoiceFacts): boolean =>
  namesProducts(invoice) && !invoice.lines.some((line) => planOfProduct(line.productId, null))

export function planOfInvoice(invoice: InvoiceFacts): string | null {
  const charged = invoice.lines.filter((line) => line.amountCents >= 0)
  const plan = charged.map((line) => planOfProduct(line.productId, null)).find((one) => one !== undefined)
  return (plan ?? planOfProduct(null, metadataPlanId(invoice)))?.plan_id ?? null
}

/**
 * A period that was charged gives the plan's monthly credits. A line that only corrects a running period (an upgrade in
 * the middle of it: minus the old plan, plus the new one) gives the same share of credits as of the price. A line of
 * amount 0 is a trial and gives nothing; a discount stands apart from the line and takes nothing away.
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
  // Shares are fractions; the small term keeps 1500 from becoming 1499 by binary rounding.
  return Math.max(0, Math.floor(credits + 1e-6))
}

/**
 * How many credits a refund takes back, given how much was refunded before and now (both in total). Counting in totals
 * makes a repeated or late message take nothing.
 */
export function creditsToTakeBack(
  payment: { credits: number; amountCents: number; refundedCents: number },
  refundedCents: number,
): number {
  if (payment.amountCents <= 0) return 0
  const share = (cents: number) =>
    Math.floor((payment.credits * Math.min(cents, payment.amountCents)) / payment.amountCents)
  return Math.max(0, share(refundedCents) - share(payment.refundedCents))
}
