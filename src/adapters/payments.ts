import { createRequire } from 'node:module'
import type Stripe from 'stripe'

/**
 * What the product needs from a payment provider. Both providers send events in Stripe's form, so there is one
 * reader of events (events.ts) and one way to check a signature; they differ in how a page is opened and where it is.
 * Amounts are integer cents everywhere. Card data never passes through this process.
 */

/** One thing that can be paid for. `productId` comes back in invoices and subscriptions and names the plan. */
export type Offer = Readonly<{
  productId: string
  name: string
  amountCents: number
  currency: string
  interval: 'month' | 'year' | null
}>

export type CheckoutOrder = Readonly<{
  offer: Offer
  customerId: string
  /** Kept by the provider and sent back with every event: who bought what. */
  metadata: Readonly<Record<string, string>>
  successUrl: string
  cancelUrl: string
}>

export type PortalOrder = Readonly<{ customerId: string; returnUrl: string; offers: readonly Offer[] }>

export type PaymentProvider = ProviderActions &
  Readonly<
    | { name: 'stripe' }
    | {
        name: 'development'
        /** It delivers its events itself, so it also signs them. */
        sign: (payload: string, now: Date) => string
      }
  >

export type WhichCheckouts = 'all' | 'plans'

export type ProviderActions = Readonly<{
  /** `replaces` is a customer that the provider has forgotten. */
  createCustomer: (user: { userId: string; email: string; replaces?: string }) => Promise<string>
  openCheckout: (order: CheckoutOrder) => Promise<{ sessionId: string; url: string }>
  openPortal: (order: PortalOrder) => Promise<{ url: string }>
  /** The event, if its signature is ours and young enough; throws `BadSignature` otherwise. */
  verify: (rawBody: Buffer, signature: string | undefined, now: Date) => unknown
  /** The provider's present view of a subscription, for the case that two events cannot be put in order. */
  currentSubscription: (subscriptionId: string) => Promise<unknown>
  /**
   * Closes the open checkouts of a customer that we opened, all or those for plans: nobody can pay them any more. Those
   * whose metadata name the spared attempt stay open.
   */
  closeCheckouts: (customerId: string, which: WhichCheckouts, sparedAttempt?: string) => Promise<void>
  /** Ends a subscription at once. One that is not there, or has ended already, counts as ended. */
  cancelSubscription: (subscriptionId: string) => Promise<void>
  /** Refunds name the payment only; this finds the invoice that it paid. */
  invoiceOfPayment: (paymentIntent: string) => Promise<string | null>
}>

export class BadSignature extends Error {}

/** The provider could not be reached or refused; the message is for the log, never for the user. */
export class PaymentProviderError extends Error {}

/** It was deleted there, or belongs to another account or mode of the provider than the present key. */
export class UnknownCustomer extends PaymentProviderError {}

const SIGNATURE_TOLERANCE_SECONDS = 300

const require = createRequire(import.meta.url)

/** Loaded with the first signature: the SDK is large, and most processes never see one. */
const webhooks = (): typeof Stripe.webhooks => require('stripe').webhooks

/** `t=<unix seconds>,v1=<hmac-sha256 of "t.body">`, checked by the SDK for both providers. */
export function verifySignature(
  rawBody: Buffer,
  signature: string | undefined,
  secret: string,
  now: Date,
): unknown {
  if (!signature) throw new BadSignature('The stripe-signature header is missing.')
  try {
    return webhooks().constructEvent(
      rawBody,
      signature,
      secret,
      SIGNATURE_TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    )
  } catch (error) {
    throw new BadSignature('The signature does not match the body, or is older than five minutes.', {
      cause: error,
    })
  }
}

export function signPayload(payload: string, secret: string, now: Date): string {
  return webhooks().generateTestHeaderString({
    payload,
    secret,
    timestamp: Math.floor(now.getTime() / 1000),
  })
}
