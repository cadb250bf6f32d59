/** What one verified event does to plans and credits. Runs inside the transaction that also remembers the event. */
import type {
  DisputeFacts,
  InvoiceFacts,
  PaymentEvent,
  PaymentFact,
  RefundFacts,
  SessionFacts,
  SubscriptionState,
} from '../../adapters/payments/events.ts'
import type { Ctx } from '../../core/context.ts'
import { audit } from '../audit/audit.ts'
import { book } from '../credits/ledger.ts'
import { accountState } from '../identity/users/users.ts'
import {
  findPayment,
  findSubscription,
  findUserOfCustomer,
  insertPayment,
  rememberEvent,
  saveCustomer,
  takeEarlyRefund,
} from './billing.store.ts'
import {
  type DeletedOwnerOutcome,
  invoiceOfDeleted,
  sessionOfDeleted,
  subscriptionOfDeleted,
} from './deleted-owner.ts'
import { disputed, takeEarlyDisputes } from './disputes.ts'
import { creditsForInvoice, isOfOtherProducts, planOfInvoice } from './grants.ts'
import { findPack, planOfProduct } from './plans.ts'
import { refunded, takeBack } from './refunds.ts'
import { applySubscription, EVENT_RANK } from './subscriptions.ts'

export type Outcome = 'applied' | 'repeated' | DeletedOwnerOutcome

/** What the provider was asked, or did, before the transaction began. */
export type Asked = {
  current?: SubscriptionState
  invoiceOfPayment?: string | null
  /** The subscription that it has ended, because this event was stopped by `MustCancel`. */
  cancelled?: string
}

type Incoming = { provider: string; event: PaymentEvent; fact: PaymentFact; asked: Asked }

export async function applyEvent(ctx: Ctx, incoming: Incoming): Promise<Outcome> {
  const { event, provider } = incoming
  const isNew = await rememberEvent(ctx.db, {
    event_id: event.eventId,
    provider,
    type: event.type,
    received_at: ctx.now().toISOString(),
  })
  return isNew ? applyFact(ctx, incoming) : 'repeated'
}

function applyFact(ctx: Ctx, incoming: Incoming): Promise<Outcome> {
  const { fact } = incoming
  switch (fact.kind) {
    case 'session_paid':
      return fact.session.mode === 'payment'
        ? packPaid(ctx, incoming, fact.session)
        : customerKnown(ctx, incoming, fact.session)
    case 'subscription':
      return subscriptionChanged(ctx, incoming, fact)
    case 'invoice_paid':
      return invoicePaid(ctx, incoming, fact.invoice)
    case 'invoice_failed':
      return invoiceFailed(ctx, incoming, fact.invoice)
    case 'refund':
      return refundReported(ctx, incoming, fact.refund)
    case 'dispute':
      return disputeReported(ctx, incoming, fact.dispute)
  }
}

type Owner = { userId: string; isDeleted: boolean }

/**
 * The customer says whose money it is; the metadata of the purchase says it where the customer is new to us. Null: nobody
 * who ever had an account here.
 */
async function ownerOf(
  ctx: Ctx,
  customerId: string | null,
  metadataUserId: string | null,
): Promise<Owner | null> {
  const known = customerId ? await findUserOfCustomer(ctx.db, customerId) : undefined
  const userId = known ?? metadataUserId
  const state = userId ? await accountState(ctx, userId) : 'unknown'
  return userId && state !== 'unknown' ? { userId, isDeleted: state === 'deleted' } : null
}

async function customerKnown(
  ctx: Ctx,
  { provider, asked }: Incoming,
  session: SessionFacts,
): Promise<Outcome> {
  const owner = await ownerOf(ctx, session.customerId, session.userId)
  if (!owner || !session.customerId) return 'not_ours'
  if (owner.isDeleted)
    return session.planId ? sessionOfDeleted(ctx, owner.userId, session, asked.cancelled) : 'not_ours'
  await saveCustomer(ctx.db, {
    provider,
    user_id: owner.userId,
    customer_id: session.customerId,
    created_at: ctx.now().toISOString(),
  })
  return 'applied'
}

async function packPaid(ctx: Ctx, { provider, asked }: Incoming, session: SessionFacts): Promise<Outcome> {
  const owner = await ownerOf(ctx, session.customerId, session.userId)
  // The credits as they were sold; the pack file may have changed since.
  const credits = session.credits ?? findPack(session.packId ?? '')?.credits
  if (!owner || !credits || !session.packId) return 'not_ours'
  if (owner.isDeleted) return sessionOfDeleted(ctx, owner.userId, session, asked.cancelled)
  await paid(ctx, {
    payment_id: session.sessionId,
    provider,
    user_id: owner.userId,
    kind: 'pack',
    item_id: session.packId,
    payment_intent: session.paymentIntent,
    amount_cents: session.amountCents,
    currency: session.currency,
    credits,
  })
  return 'applied'
}

async function invoicePaid(ctx: Ctx, incoming: Incoming, invoice: InvoiceFacts): Promise<Outcome> {
  const owner = await ownerOf(ctx, invoice.customerId, invoice.userId)
  const row = await findSubscription(ctx.db, invoice.subscriptionId)
  const planId = planOfInvoice(invoice) ?? row?.plan_id
  if (!owner || !planId || isOfOtherProducts(invoice)) return 'not_ours'
  const { userId } = owner
  if (owner.isDeleted) return invoiceOfDeleted(ctx, userId, invoice, incoming.asked.cancelled)
  await paid(ctx, {
    payment_id: invoice.invoiceId,
    provider: incoming.provider,
    user_id: userId,
    kind: 'plan',
    item_id: planId,
    payment_intent: invoice.paymentIntent,
    amount_cents: invoice.amountPaidCents,
    currency: invoice.currency,
    credits: creditsForInvoice(invoice, row?.plan_id ?? null),
  })
  const periodEnd = periodEndOf(invoice)
  // Paying an older open invoice does not settle the newest one.
  const settles = row?.status === 'past_due' && (periodEnd ?? '') >= (row.current_period_end ?? '')
  if (settles) await moveByInvoice(ctx, incoming, invoice, userId, 'active')
  return 'applied'
}

async function invoiceFailed(ctx: Ctx, incoming: Incoming, invoice: InvoiceFacts): Promise<Outcome> {
  const owner = await ownerOf(ctx, invoice.customerId, invoice.userId)
  const row = await findSubscription(ctx.db, invoice.subscriptionId)
  if (!owner || owner.isDeleted || !(planOfInvoice(invoice) ?? row)) return 'not_ours'
  if (isOfOtherProducts(invoice)) return 'not_ours'
  // Nobody has a plan before the first payment, so its failure changes nothing.
  if (invoice.reason === 'subscription_create') return 'applied'
  const paidSince = await findPayment(ctx.db, { paymentIntent: null, invoiceId: invoice.invoiceId })
  if (!paidSince) await moveByInvoice(ctx, incoming, invoice, owner.userId, 'past_due')
  return 'applied'
}

async function moveByInvoice(
  ctx: Ctx,
  { provider, event, asked }: Incoming,
  invoice: InvoiceFacts,
  userId: string,
  status: 'active' | 'past_due',
): Promise<void> {
  const row = await findSubscription(ctx.db, invoice.subscriptionId)
  if (row?.status === 'canceled') return
  await applySubscription(ctx, {
    provider,
    userId,
    planId: planOfInvoice(invoice),
    created: event.created,
    rank: EVENT_RANK.invoice,
    fresh: true,
    isCancelled: asked.cancelled === invoice.subscriptionId,
    state: {
      subscriptionId: invoice.subscriptionId,
      customerId: invoice.customerId,
      userId,
      productId: null,
      planId: null,
      status,
      currentPeriodEnd: periodEndOf(invoice),
      cancelAtPeriodEnd: row?.cancel_at_period_end === 1,
      latestInvoiceId: invoice.invoiceId,
    },
  })
}

async function subscriptionChanged(
  ctx: Ctx,
  { provider, event, asked }: Incoming,
  fact: Extract<PaymentFact, { kind: 'subscription' }>,
): Promise<Outcome> {
  const state = asked.current ?? fact.subscription
  const owner = await ownerOf(ctx, state.customerId, state.userId)
  const planId = planOfProduct(state.productId, state.planId)?.plan_id ?? null
  // The same customer may pay for other things at the same provider. A subscription to none of our plans is not ours.
  const isOurs = planId !== null || (await findSubscription(ctx.db, state.subscriptionId)) !== undefined
  if (!owner || !isOurs) return 'not_ours'
  if (owner.isDeleted) return subscriptionOfDeleted(ctx, owner.userId, state, asked.cancelled)
  await applySubscription(ctx, {
    provider,
    userId: owner.userId,
    planId,
    state,
    created: event.created,
    rank: EVENT_RANK[fact.change],
    fresh: asked.current !== undefined,
    isCancelled: asked.cancelled === state.subscriptionId,
  })
  return 'applied'
}

async function refundReported(ctx: Ctx, { asked }: Incoming, refund: RefundFacts): Promise<Outcome> {
  await refunded(ctx, refund, asked.invoiceOfPayment ?? refund.invoiceId)
  return 'applied'
}

async function disputeReported(ctx: Ctx, { asked }: Incoming, dispute: DisputeFacts): Promise<Outcome> {
  await disputed(ctx, dispute, asked.invoiceOfPayment ?? null)
  return 'applied'
}

type NewPayment = Omit<
  Parameters<typeof insertPayment>[1],
  'created_at' | 'refunded_cents' | 'disputed_cents' | 'credits_returned'
>

/** Books the credits of a session or invoice once, and at once takes back what was refunded or disputed before. */
async function paid(ctx: Ctx, payment: NewPayment): Promise<void> {
  const isNew = await insertPayment(ctx.db, { ...payment, created_at: ctx.now().toISOString() })
  if (!isNew) return
  const isPack = payment.kind === 'pack'
  if (payment.credits > 0) {
    await book(ctx, {
      userId: payment.user_id,
      delta: payment.credits,
      reason: isPack ? 'pack_purchase' : 'plan_grant',
      cause: `${isPack ? 'session' : 'invoice'}:${payment.payment_id}`,
      ref: { type: isPack ? 'checkout_session' : 'invoice', id: payment.payment_id },
    })
  }
  await audit(ctx, {
    action: 'billing.paid',
    subject: { type: 'payment', id: payment.payment_id },
    actorId: payment.user_id,
    details: { item: payment.item_id, amount_cents: payment.amount_cents, credits: payment.credits },
  })
  const named = { paymentIntent: payment.payment_intent ?? null, paymentId: payment.payment_id }
  const early = await takeEarlyRefund(ctx.db, named)
  if (early > 0) await takeBack(ctx, { ...payment, refunded_cents: 0, disputed_cents: 0 }, early)
  await takeEarlyDisputes(ctx, named)
}

function periodEndOf(invoice: InvoiceFacts): string | null {
  const ends = invoice.lines.flatMap((line) => (line.periodEnd ? [line.periodEnd] : []))
  return ends.sort().at(-1) ?? null
}
