import {
  type DisputeFacts,
  type InvoiceFacts,
  type PaymentEvent,
  type PaymentFact,
  type RefundFacts,
  readEvent,
  readSubscription,
  type SessionFacts,
  type SubscriptionState,
} from '../../adapters/payment-events.ts'
import { BadSignature } from '../../adapters/payments.ts'
import type { RawRoute } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { contextOfRequest } from '../../core/http.ts'
import { audit } from '../audit/index.ts'
import { book } from '../credits/index.ts'
import { accountState } from '../identity/index.ts'
import {
  findPayment,
  findSubscription,
  findUserOfCustomer,
  insertPayment,
  isKnownEvent,
  rememberEvent,
  saveCustomer,
  takeEarlyRefund,
} from './billing-store.ts'
import { findPack, planOfProduct } from './plans.ts'
import {
  creditsForInvoice,
  disputed,
  isOfOtherProducts,
  planOfInvoice,
  refunded,
  takeBack,
  takeEarlyDisputes,
} from './refunds.ts'
import {
  applySubscription,
  askProvider,
  EVENT_RANK,
  MustCancel,
  OrderUnknown,
  requireProvider,
} from './subscriptions.ts'

const PAID = 'a deleted account has paid: refund the payment at the payment provider'
const RUNS =
  'a subscription of a deleted account was cancelled: refund its last payment, unless it is older than the deletion'

type DeletedOwnerOutcome = 'owner_deleted' | 'not_ours'

type LatePayment = {
  userId: string
  subscriptionId: string | null
  paymentId: string
  paymentIntent: string | null
  amountCents: number
}

/** Handles a checkout page that was opened before the deletion and paid after it. */
const sessionOfDeleted = (
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

const invoiceOfDeleted = (
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

async function subscriptionOfDeleted(
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

/** Applies one verified event to plans and credits. Runs in the transaction that also remembers the event. */

type Outcome = 'applied' | 'repeated' | DeletedOwnerOutcome

/** Answers of the provider from before the transaction. */
type SubscriptionChange = {
  current?: SubscriptionState
  invoiceOfPayment?: string | null
  /** The subscription that the provider has cancelled because this event threw `MustCancel`. */
  cancelled?: string
}

type Incoming = { provider: string; event: PaymentEvent; fact: PaymentFact; asked: SubscriptionChange }

async function applyEvent(ctx: Ctx, incoming: Incoming): Promise<Outcome> {
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
  // The credits as sold; the pack file may have changed since.
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
  // A plan begins with its first payment, so a failure of that payment changes nothing.
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
  // A customer may also have subscriptions to products that are not ours.
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

/** Books the credits of a session or invoice once, and takes back what was refunded or disputed before. */
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

/** Handles webhook events, from Stripe over the network and from the development provider in-process. */

type WebhookAnswer = { received: true; handled: boolean; duplicate?: true }

export async function receiveEvent(
  ctx: Ctx,
  rawBody: Buffer,
  signature: string | undefined,
): Promise<WebhookAnswer> {
  const event = readEvent(verified(ctx, rawBody, signature))
  if (!event)
    throw new AppError(400, 'invalid_event', 'The signature is right, but the event cannot be read.')
  if (!event.fact) return { received: true, handled: false }
  // Two repeated events at the same moment are detected inside the transaction.
  if (await isKnownEvent(ctx.db, event.eventId)) return { received: true, handled: true, duplicate: true }
  const outcome = await apply(ctx, event, await askBefore(ctx, event))
  ctx.log.info({ event_id: event.eventId, type: event.type, outcome }, 'payment event')
  return {
    received: true,
    handled: outcome !== 'not_ours',
    ...(outcome === 'repeated' ? { duplicate: true } : {}),
  }
}

function verified(ctx: Ctx, rawBody: Buffer, signature: string | undefined): unknown {
  try {
    return requireProvider(ctx).verify(rawBody, signature, ctx.now())
  } catch (error) {
    if (error instanceof BadSignature) throw new AppError(400, 'invalid_signature', error.message)
    throw error
  }
}

async function apply(ctx: Ctx, event: PaymentEvent, asked: SubscriptionChange): Promise<Outcome> {
  const { fact } = event
  if (!fact) return 'not_ours'
  const provider = requireProvider(ctx).name
  try {
    return await inTx(ctx, (ctx) => applyEvent(ctx, { provider, event, fact, asked }))
  } catch (error) {
    // Each of the two errors happens at most once for an event: `asked` then holds the answer.
    if (error instanceof OrderUnknown)
      return apply(ctx, event, { ...asked, current: await currentState(ctx, error.subscriptionId) })
    if (!(error instanceof MustCancel)) throw error
    const { subscriptionId } = error
    await askProvider(ctx, (provider) => provider.cancelSubscription(subscriptionId))
    ctx.log.error(error.details, error.message)
    return apply(ctx, event, { ...asked, cancelled: subscriptionId })
  }
}

async function currentState(ctx: Ctx, subscriptionId: string): Promise<SubscriptionState> {
  const state = readSubscription(
    await askProvider(ctx, (provider) => provider.currentSubscription(subscriptionId)),
  )
  if (!state) throw new AppError(400, 'invalid_event', 'The provider does not know this subscription.')
  return state
}

/** Returns the payment of a refund or dispute that may belong to an invoice which the event does not name. */
function paymentWithoutInvoice({ fact }: PaymentEvent): string | null {
  if (fact?.kind === 'dispute') return fact.dispute.isWon ? null : fact.dispute.paymentIntent
  if (fact?.kind !== 'refund') return null
  const { paymentIntent, invoiceId, isPack } = fact.refund
  return invoiceId || isPack ? null : paymentIntent
}

/** Asks for the invoice before the transaction, because transactions do not wait for other hosts. */
async function askBefore(ctx: Ctx, event: PaymentEvent): Promise<SubscriptionChange> {
  const paymentIntent = paymentWithoutInvoice(event)
  if (!paymentIntent) return {}
  if (await findPayment(ctx.db, { paymentIntent, invoiceId: null })) return {}
  return { invoiceOfPayment: await askProvider(ctx, (provider) => provider.invoiceOfPayment(paymentIntent)) }
}

const MAX_EVENT_BYTES = 512 * 1024

export const billingWebhook: RawRoute = {
  name: 'billing.webhook',
  summary: 'Events of the payment provider, checked by signature; a repeated event has no repeated effect',
  route: 'POST /api/v1/billing/webhook',
  scopes: 'public',
  // All events of a provider come from a few addresses, many at once on the first of a month.
  limit: 'read',
  bodyLimit: MAX_EVENT_BYTES,
  openapi: {
    parameters: [
      {
        name: 'Stripe-Signature',
        in: 'header',
        required: true,
        description:
          'By the signing secret and at most five minutes old; otherwise 400, and nothing is booked.',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: {
      200: {
        description: 'Received; `handled` tells whether it concerned this service',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['received', 'handled'],
              properties: {
                received: { type: 'boolean' },
                handled: { type: 'boolean' },
                duplicate: { type: 'boolean' },
              },
            },
          },
        },
      },
    },
    errors: [400],
  },
  // The signature covers the raw bytes, so the body must not be parsed before.
  prepare: (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  },
  handle: async (services, request) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const signature = request.headers['stripe-signature']
    return receiveEvent(
      contextOfRequest(services, request),
      body,
      typeof signature === 'string' ? signature : undefined,
    )
  },
}
