import { createHash } from 'node:crypto'
import Stripe from 'stripe'
import {
  BadSignature,
  type CheckoutOrder,
  type Offer,
  type PaymentProvider,
  PaymentProviderError,
  UnknownCustomer,
  verifySignature,
  type WhichCheckouts,
} from './payments.ts'

export type StripeConfig = Readonly<{
  secretKey: string
  webhookSecret: string | undefined
  apiBase: string | undefined
}>

export function stripeProvider(config: StripeConfig): PaymentProvider {
  const stripe = new Stripe(config.secretKey, {
    ...(config.apiBase ? hostOf(config.apiBase) : {}),
    timeout: 15_000,
    maxNetworkRetries: 2,
    telemetry: false,
    appInfo: { name: 'knowledge-vault' },
  })
  const prices = remember((offer: Offer) => findOrCreatePrice(stripe, offer))
  const configurations = remember((offers: readonly Offer[]) => findOrCreatePortal(stripe, offers, prices))

  return {
    name: 'stripe',
    createCustomer: ({ userId, email, replaces }) =>
      asking(async () => {
        // Gives two simultaneous first checkouts one customer; Stripe repeats its answer for a day.
        const idempotencyKey = ['kv-customer', userId, digest(email), ...(replaces ? [replaces] : [])].join(
          '-',
        )
        const customer = await stripe.customers.create(
          { email, metadata: { user_id: userId } },
          { idempotencyKey },
        )
        return customer.id
      }),
    openCheckout: (order) => asking(() => openCheckout(stripe, order, prices)),
    openPortal: (order) =>
      asking(async () => {
        const session = await stripe.billingPortal.sessions.create({
          customer: order.customerId,
          return_url: order.returnUrl,
          configuration: await configurations(order.offers),
        })
        return { url: session.url }
      }),
    verify: (rawBody, signature, now) => {
      if (!config.webhookSecret)
        throw new BadSignature('STRIPE_WEBHOOK_SECRET is not set, so no event can be checked.')
      return verifySignature(rawBody, signature, config.webhookSecret, now)
    },
    currentSubscription: (id) => asking(() => stripe.subscriptions.retrieve(id)),
    closeCheckouts: (customer, which, spared) =>
      asking(() => closeCheckouts(stripe, customer, which, spared)),
    cancelSubscription: (id) => asking(() => cancelSubscription(stripe, id)),
    invoiceOfPayment: (paymentIntent) =>
      asking(async () => {
        const payment = { type: 'payment_intent' as const, payment_intent: paymentIntent }
        const { data } = await stripe.invoicePayments.list({ payment, limit: 1 })
        const invoice = data[0]?.invoice
        return typeof invoice === 'string' ? invoice : (invoice?.id ?? null)
      }),
  }
}

async function openCheckout(stripe: Stripe, order: CheckoutOrder, prices: (offer: Offer) => Promise<string>) {
  const { offer, metadata } = order
  const common = {
    customer: order.customerId,
    client_reference_id: metadata.user_id,
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    metadata,
  }
  const session = offer.interval
    ? await stripe.checkout.sessions.create({
        ...common,
        mode: 'subscription',
        line_items: [{ price: await prices(offer), quantity: 1 }],
        subscription_data: { metadata },
      })
    : await stripe.checkout.sessions.create({
        ...common,
        mode: 'payment',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: offer.currency,
              unit_amount: offer.amountCents,
              product_data: { name: offer.name },
            },
          },
        ],
        payment_intent_data: { metadata },
      })
  if (!session.url) throw new PaymentProviderError('The checkout session has no address.')
  return { sessionId: session.id, url: session.url }
}

async function closeCheckouts(
  stripe: Stripe,
  customer: string,
  which: WhichCheckouts,
  sparedAttempt: string | undefined,
): Promise<void> {
  const open = stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 })
  for await (const session of open) {
    // The customer may have sessions of other products in the same Stripe account.
    if (!session.metadata?.user_id) continue
    if (which === 'plans' && session.mode !== 'subscription') continue
    if (sparedAttempt !== undefined && session.metadata.attempt === sparedAttempt) continue
    // Stripe refuses to expire a session that was paid or has expired since: it is already closed.
    await stripe.checkout.sessions.expire(session.id).catch((error: unknown) => {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    })
  }
}

async function cancelSubscription(stripe: Stripe, id: string): Promise<void> {
  await stripe.subscriptions.cancel(id).catch((error: unknown) => {
    // Stripe answers `resource_missing` for a subscription that has already ended.
    const isMissing = error instanceof Stripe.errors.StripeError && error.code === 'resource_missing'
    if (!isMissing) throw error
  })
}

/** Stripe's prices are immutable, so the look-up key contains the amount. */
async function findOrCreatePrice(stripe: Stripe, offer: Offer): Promise<string> {
  const lookupKey = [offer.productId, offer.interval, offer.amountCents, offer.currency].join('_')
  const found = await stripe.prices.list({ lookup_keys: [lookupKey], active: true, limit: 1 })
  if (found.data[0]) return found.data[0].id
  await stripe.products.create({ id: offer.productId, name: offer.name }).catch((error: unknown) => {
    const exists = error instanceof Stripe.errors.StripeError && error.code === 'resource_already_exists'
    if (!exists) throw error
  })
  const price = await stripe.prices.create(
    {
      product: offer.productId,
      currency: offer.currency,
      unit_amount: offer.amountCents,
      recurring: { interval: offer.interval ?? 'month' },
      lookup_key: lookupKey,
      transfer_lookup_key: true,
    },
    { idempotencyKey: `kv-price-${lookupKey}` },
  )
  return price.id
}

async function findOrCreatePortal(
  stripe: Stripe,
  offers: readonly Offer[],
  prices: (offer: Offer) => Promise<string>,
): Promise<string> {
  const products: { product: string; prices: string[] }[] = []
  for (const offer of offers) products.push({ product: offer.productId, prices: [await prices(offer)] })
  const key = digest(JSON.stringify(products))
  const known = await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
  const found = known.data.find((configuration) => configuration.metadata?.kv_offers === key)
  if (found) return found.id
  const made = await stripe.billingPortal.configurations.create(
    {
      metadata: { kv_offers: key },
      features: {
        customer_update: { enabled: true, allowed_updates: ['email', 'address', 'tax_id'] },
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: 'at_period_end' },
        subscription_update: {
          enabled: true,
          default_allowed_updates: ['price'],
          proration_behavior: 'always_invoice',
          products,
          schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
        },
      },
    },
    { idempotencyKey: `kv-portal-${key}` },
  )
  return made.id
}

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PaymentProviderError) throw error
    const isStripes = error instanceof Stripe.errors.StripeError
    const kind = isStripes ? `${error.type} ${error.code ?? ''}`.trim() : 'error'
    const isUnknown = isStripes && error.code === 'resource_missing' && error.param === 'customer'
    const Kind = isUnknown ? UnknownCustomer : PaymentProviderError
    throw new Kind(`Stripe: ${kind}`, { cause: error })
  }
}

/** Caches answers by argument and shares one request among callers; failures are not cached. */
function remember<A, R>(ask: (argument: A) => Promise<R>): (argument: A) => Promise<R> {
  const answers = new Map<string, Promise<R>>()
  return (argument) => {
    const key = JSON.stringify(argument)
    const known = answers.get(key)
    if (known) return known
    const answer = ask(argument)
    answers.set(key, answer)
    answer.catch(() => answers.delete(key))
    return answer
  }
}

function hostOf(apiBase: string): { host: string; port: string; protocol: 'http' | 'https' } {
  const url = new URL(apiBase)
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  return { host: url.hostname, port: url.port || (protocol === 'http' ? '80' : '443'), protocol }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
