/** From raw bytes to effect. Both providers come in here, Stripe over the network, the development one in-process. */
import {
  type PaymentEvent,
  readEvent,
  readSubscription,
  type SubscriptionState,
} from '../../adapters/payments/events.ts'
import { BadSignature } from '../../adapters/payments/payments.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { findPayment, isKnownEvent } from './billing.store.ts'
import { type Asked, applyEvent, type Outcome } from './effects.ts'
import { MustCancel } from './must-cancel.ts'
import { askProvider, requireProvider } from './provider.ts'
import { OrderUnknown } from './subscriptions.ts'

export type WebhookAnswer = { received: true; handled: boolean; duplicate?: true }

export async function receiveEvent(
  ctx: Ctx,
  rawBody: Buffer,
  signature: string | undefined,
): Promise<WebhookAnswer> {
  const event = readEvent(verified(ctx, rawBody, signature))
  if (!event)
    throw new AppError(400, 'invalid_event', 'The signature is right, but the event cannot be read.')
  if (!event.fact) return { received: true, handled: false }
  // A repeat is answered without a transaction; two at the same moment are told apart inside it.
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

async function apply(ctx: Ctx, event: PaymentEvent, asked: Asked): Promise<Outcome> {
  const { fact } = event
  if (!fact) return 'not_ours'
  const provider = requireProvider(ctx).name
  try {
    return await inTx(ctx, (ctx) => applyEvent(ctx, { provider, event, fact, asked }))
  } catch (error) {
    // Each of the two stops an event once: the answer is in `asked` then.
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

/** The payment of a refund or dispute, if it may be that of an invoice which the event does not name. */
function paymentWithoutInvoice({ fact }: PaymentEvent): string | null {
  if (fact?.kind === 'dispute') return fact.dispute.isWon ? null : fact.dispute.paymentIntent
  if (fact?.kind !== 'refund') return null
  const { paymentIntent, invoiceId, isPack } = fact.refund
  return invoiceId || isPack ? null : paymentIntent
}

/**
 * A refund and a dispute name a payment. For a plan we know the invoice only, so the provider is asked which one it was;
 * this happens before the transaction, because a transaction does not wait for another host.
 */
async function askBefore(ctx: Ctx, event: PaymentEvent): Promise<Asked> {
  const paymentIntent = paymentWithoutInvoice(event)
  if (!paymentIntent) return {}
  if (await findPayment(ctx.db, { paymentIntent, invoiceId: null })) return {}
  return { invoiceOfPayment: await askProvider(ctx, (provider) => provider.invoiceOfPayment(paymentIntent)) }
}
