import { z } from 'zod'
import { type Offer, type PaymentProvider, UnknownCustomer } from '../../adapters/payments.ts'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, invalid, notConfigured, notFound } from '../../core/errors.ts'
import { Time } from '../../core/schemas.ts'
import { DAY_MS } from '../../shared/time.ts'
import { balanceOf, book } from '../credits/index.ts'
import { requireUser } from '../identity/index.ts'
import { findCustomer, forgetCustomer, saveCustomer } from './billing-store.ts'
import {
  findPack,
  findPlan,
  PACK_IDS,
  PAID_OFFERS,
  PAID_PLAN_IDS,
  PLAN_IDS,
  type Plan,
  packOffer,
  planOffer,
} from './plans.ts'
import {
  applySubscription,
  askProvider,
  EVENT_RANK,
  requireProvider,
  SIMULATED,
  type Standing,
  standingOf,
} from './subscriptions.ts'

const ReturnUrl = z
  .string()
  .min(1)
  .max(2000)
  .describe('An address of this service, absolute or as a path; other origins are refused')

const ReturnUrls = { success_url: ReturnUrl.optional(), cancel_url: ReturnUrl.optional() }

const CreateSubscriptionCheckoutRequest = z
  .object({ plan_id: z.string().max(100).meta({ enum: PAID_PLAN_IDS }), ...ReturnUrls })
  .meta({ id: 'CreateSubscriptionCheckoutRequest' })

const CreateCreditsCheckoutRequest = z
  .object({ pack_id: z.string().max(100).meta({ enum: PACK_IDS }), ...ReturnUrls })
  .meta({ id: 'CreateCreditsCheckoutRequest' })

const CheckoutResponse = z
  .object({ checkout_url: z.string(), session_id: z.string() })
  .meta({ id: 'CheckoutResponse' })

const PortalRequest = z.object({ return_url: ReturnUrl.optional() }).meta({ id: 'PortalRequest' })
const PortalResponse = z.object({ portal_url: z.string() }).meta({ id: 'PortalResponse' })

const BillingStatus = z
  .object({
    plan_id: z.string(),
    status: z.enum(['none', 'trialing', 'active', 'past_due', 'canceled']),
    current_period_end: Time.nullable(),
    cancel_at_period_end: z.boolean(),
    credits_balance: z.int(),
    provider: z.enum(['stripe', 'development', 'none']),
  })
  .meta({ id: 'BillingStatus' })

async function presentStatus(ctx: UserCtx): Promise<z.input<typeof BillingStatus>> {
  const { userId } = ctx.viewer
  const standing = await standingOf(ctx, userId)
  return {
    plan_id: standing.planId,
    status: standing.status,
    current_period_end: standing.currentPeriodEnd,
    cancel_at_period_end: standing.cancelAtPeriodEnd,
    credits_balance: await balanceOf(ctx, userId),
    provider: ctx.adapters.payments?.name ?? 'none',
  }
}

export const readStatus = capability({
  name: 'billing.status',
  summary: 'Plan, its state, and the credit balance',
  scopes: ['account'],
  rest: ['GET /api/v1/billing/status'],
  input: z.object({}),
  output: BillingStatus,
  run: (ctx) => presentStatus(ctx),
})

const alreadySubscribed = ({ planId, provider }: Standing) =>
  conflict(
    'already_subscribed',
    provider === SIMULATED
      ? 'You have a simulated plan already. POST /api/v1/billing/simulate-upgrade with {"plan_id": "free"} ends it.'
      : 'You have a plan already. Change or cancel it in the billing portal.',
    { plan_id: planId },
  )

export const checkoutPlan = capability({
  name: 'billing.checkout',
  summary: 'A page on which to pay for a plan',
  description: 'An earlier page for a plan that is still open is closed: it cannot be paid any more.',
  scopes: ['account'],
  rest: ['POST /api/v1/billing/checkout'],
  idempotency: 'answer',
  errors: [409, 503],
  input: CreateSubscriptionCheckoutRequest,
  output: CheckoutResponse,
  run: async (ctx, input) => {
    const plan = findPlan(input.plan_id)
    if (!plan || plan.price_cents === 0) throw unknownId('plan_id', PAID_PLAN_IDS)
    const standing = await standingOf(ctx, ctx.viewer.userId)
    if (standing.planId !== 'free') throw alreadySubscribed(standing)
    return openCheckout(ctx, planOffer(plan), { plan_id: plan.plan_id }, input)
  },
})

export const checkoutCredits = capability({
  name: 'billing.credits_checkout',
  summary: 'A page on which to pay for a credit pack',
  scopes: ['account'],
  rest: ['POST /api/v1/billing/credits/checkout'],
  idempotency: 'answer',
  errors: [409, 503],
  input: CreateCreditsCheckoutRequest,
  output: CheckoutResponse,
  run: async (ctx, input) => {
    const pack = findPack(input.pack_id)
    if (!pack) throw unknownId('pack_id', PACK_IDS)
    // Nothing costs credits, so they could never be spent.
    if (!ctx.serverSettings.credits) throw notConfigured('Buying credits')
    return openCheckout(ctx, packOffer(pack), { pack_id: pack.pack_id, credits: String(pack.credits) }, input)
  },
})

export const openPortal = capability({
  name: 'billing.portal',
  summary: 'A page on which to change or cancel a plan and see payments',
  scopes: ['account'],
  rest: ['POST /api/v1/billing/portal'],
  idempotency: 'answer',
  errors: [409, 503],
  input: PortalRequest,
  output: PortalResponse,
  run: async (ctx, input) => {
    const returnUrl = ownAddress(ctx, 'return_url', input.return_url, '/billing')
    const { url } = await askForCustomer(ctx, (provider, customerId) =>
      provider.openPortal({ customerId, returnUrl, offers: PAID_OFFERS }),
    )
    return { portal_url: url }
  },
})

async function openCheckout(
  ctx: UserCtx,
  offer: Offer,
  bought: Record<string, string>,
  urls: { success_url?: string | undefined; cancel_url?: string | undefined },
) {
  const successUrl = ownAddress(ctx, 'success_url', urls.success_url, '/billing?checkout=success')
  const cancelUrl = ownAddress(ctx, 'cancel_url', urls.cancel_url, '/billing?checkout=cancelled')
  const { attempt } = ctx
  const metadata = { user_id: ctx.viewer.userId, ...bought, ...(attempt ? { attempt } : {}) }
  const { url, sessionId } = await askForCustomer(ctx, async (provider, customerId) => {
    // Two paid pages would make two subscriptions; a parallel request of this attempt may share its page.
    if (offer.interval) await provider.closeCheckouts(customerId, 'plans', attempt)
    return provider.openCheckout({ offer, customerId, metadata, successUrl, cancelUrl })
  })
  return { checkout_url: url, session_id: sessionId }
}

async function asCustomer(ctx: UserCtx): Promise<{ userId: string; email: string }> {
  const { userId } = ctx.viewer
  const { email } = await requireUser(ctx, userId)
  return { userId, email: email ?? '' }
}

async function customerOf(ctx: UserCtx): Promise<string> {
  const { userId } = ctx.viewer
  const provider = requireProvider(ctx).name
  const known = await findCustomer(ctx.db, provider, userId)
  if (known) return known
  const user = await asCustomer(ctx)
  const created = await askProvider(ctx, (provider) => provider.createCustomer(user))
  return keepCustomer(ctx, provider, created)
}

/** Returns the customer that is kept: a parallel request may have been first. */
const keepCustomer = (ctx: UserCtx, provider: string, created: string, unknown?: string): Promise<string> =>
  inTx(ctx, async (ctx) => {
    const { userId } = ctx.viewer
    if (unknown !== undefined) await forgetCustomer(ctx.db, unknown)
    const row = { provider, user_id: userId, customer_id: created, created_at: ctx.now().toISOString() }
    await saveCustomer(ctx.db, row)
    return (await findCustomer(ctx.db, provider, userId)) ?? created
  })

/** Creates the customer again, once, if unknown, as after a change from the test to the live key. */
async function askForCustomer<T>(
  ctx: UserCtx,
  ask: (provider: PaymentProvider, customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await customerOf(ctx)
  return askProvider(ctx, async (provider) => {
    try {
      return await ask(provider, customerId)
    } catch (error) {
      if (!(error instanceof UnknownCustomer)) throw error
      const created = await provider.createCustomer({ ...(await asCustomer(ctx)), replaces: customerId })
      return ask(provider, await keepCustomer(ctx, provider.name, created, customerId))
    }
  })
}

/** Otherwise a checkout link could redirect people anywhere (open redirect). */
function ownAddress(ctx: UserCtx, field: string, given: string | undefined, otherwise: string): string {
  const base = new URL(ctx.config.baseUrl)
  const url = URL.parse(given ?? otherwise, `${ctx.config.baseUrl}/`)
  const isOurs = url && url.origin === base.origin && url.username === '' && url.password === ''
  if (!isOurs) throw invalid(field, `Must be an address under ${base.origin}`)
  return url.href
}

function unknownId(field: string, known: string[]) {
  return invalid(field, `Input should be ${known.map((id) => `'${id}'`).join(' or ')}`, 'literal_error')
}

const SimulateUpgradeRequest = z
  .object({ plan_id: z.string().max(100).meta({ enum: PLAN_IDS }) })
  .meta({ id: 'SimulateUpgradeRequest' })

const MONTH_MS = 30 * DAY_MS

export const simulateUpgrade = capability({
  name: 'billing.simulate_upgrade',
  summary: 'Development only: get a plan without paying',
  scopes: ['account'],
  rest: ['POST /api/v1/billing/simulate-upgrade'],
  errors: [404],
  input: SimulateUpgradeRequest,
  output: BillingStatus,
  run: async (ctx, { plan_id }) => {
    if (ctx.config.production) throw notFound('Page')
    const plan = findPlan(plan_id)
    if (!plan) throw unknownId('plan_id', PLAN_IDS)
    return inTx(ctx, async (ctx) => {
      await simulate(ctx, plan)
      return presentStatus(ctx)
    })
  },
})

async function simulate(ctx: UserCtx, plan: Plan): Promise<void> {
  const { userId } = ctx.viewer
  const now = ctx.now()
  const isFree = plan.price_cents === 0
  await applySubscription(ctx, {
    provider: SIMULATED,
    userId,
    planId: plan.plan_id,
    created: Math.floor(now.getTime() / 1000),
    rank: EVENT_RANK.updated,
    fresh: true,
    isCancelled: false,
    state: {
      subscriptionId: `sim_${userId}`,
      customerId: `sim_${userId}`,
      userId,
      productId: null,
      planId: plan.plan_id,
      status: isFree ? 'canceled' : 'active',
      currentPeriodEnd: new Date(now.getTime() + (isFree ? 0 : MONTH_MS)).toISOString(),
      cancelAtPeriodEnd: !isFree,
      latestInvoiceId: null,
    },
  })
  if (plan.monthly_credits === 0) return
  const month = now.toISOString().slice(0, 7)
  await book(ctx, {
    userId,
    delta: plan.monthly_credits,
    reason: 'plan_grant',
    cause: `simulated:${plan.plan_id}:${month}`,
    ref: { type: 'plan', id: plan.plan_id },
  })
}
