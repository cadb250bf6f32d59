import { createRequire } from 'node:module'
import type Stripe from 'stripe'

/** Both providers send events in Stripe's form; amounts are integer cents. */

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
  /** Stored by the provider and sent back with every event: who bought what. */
  metadata: Readonly<Record<string, string>>
  successUrl: string
  cancelUrl: string
}>

type PortalOrder = Readonly<{ customerId: string; returnUrl: string; offers: readonly Offer[] }>

export type PaymentProvider = ProviderActions &
  Readonly<
    | { name: 'stripe' }
    | {
        name: 'development'
        sign: (payload: string, now: Date) => string
      }
  >

export type WhichCheckouts = 'all' | 'plans'

type ProviderActions = Readonly<{
  /** Creates a customer. `replaces` is the id of a customer that the provider no longer knows. */
  createCustomer: (user: { userId: string; email: string; replaces?: string }) => Promise<string>
  openCheckout: (order: CheckoutOrder) => Promise<{ sessionId: string; url: string }>
  openPortal: (order: PortalOrder) => Promise<{ url: string }>
  /** Returns the event if its signature is valid and recent; throws `BadSignature` otherwise. */
  verify: (rawBody: Buffer, signature: string | undefined, now: Date) => unknown
  /** Returns the provider's current state of a subscription, for two events whose order is unknown. */
  currentSubscription: (subscriptionId: string) => Promise<unknown>
  /** Closes the customer's open checkouts, so that nobody can pay them, except those of `sparedAttempt`. */
  closeCheckouts: (customerId: string, which: WhichCheckouts, sparedAttempt?: string) => Promise<void>
  /** Ends a subscription at once; a missing or ended subscription counts as success. */
  cancelSubscription: (subscriptionId: string) => Promise<void>
  /** Returns the invoice of a payment: a refund names only the payment. */
  invoiceOfPayment: (paymentIntent: string) => Promise<string | null>
}>

export class BadSignature extends Error {}

/** The provider was unreachable or refused. The message is for the log only, never for users. */
export class PaymentProviderError extends Error {}

/** The customer was deleted at the provider, or belongs to another account or mode. */
export class UnknownCustomer extends PaymentProviderError {}

const SIGNATURE_TOLERANCE_SECONDS = 300

const require = createRequire(import.meta.url)

/** Loads the SDK with the first signature: the SDK is large and most processes do not need it. */
const webhooks = (): typeof Stripe.webhooks => require('stripe').webhooks

/** Verifies a signature `t=<unix seconds>,v1=<hmac-sha256 of "t.body">` with the SDK. */
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
