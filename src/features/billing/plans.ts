import { z } from 'zod'
import type { Offer } from '../../adapters/payments.ts'
import { capability } from '../../core/capability.ts'

/** Everything that can be bought. Prices are integer cents. */

const SubscriptionPlan = z
  .object({
    plan_id: z.string(),
    name: z.string(),
    price_cents: z.number().int().nonnegative(),
    currency: z.string().length(3),
    interval: z.enum(['month', 'year']),
    monthly_credits: z.number().int().nonnegative(),
    features: z.array(z.string()),
  })
  .meta({ id: 'SubscriptionPlan' })

const CreditPack = z
  .object({
    pack_id: z.string(),
    name: z.string(),
    credits: z.number().int().positive(),
    price_cents: z.number().int().positive(),
    currency: z.string().length(3),
  })
  .meta({ id: 'CreditPack' })

export type Plan = z.infer<typeof SubscriptionPlan>
type Pack = z.infer<typeof CreditPack>

/** Cheapest first: a later plan ranks above an earlier one. */
export const PLANS: readonly Plan[] = [
  {
    plan_id: 'free',
    name: 'Free',
    price_cents: 0,
    currency: 'usd',
    interval: 'month',
    monthly_credits: 0,
    features: [
      'Private cards and teams',
      'Agent Memory',
      'Personal and workspace search',
      '100 credits at sign-up',
    ],
  },
  {
    plan_id: 'pro',
    name: 'Pro',
    price_cents: 1200,
    currency: 'usd',
    interval: 'month',
    monthly_credits: 500,
    features: [
      'Everything in Free',
      'Credits for 100 library searches that hit',
      'Your support tickets come before those on Free',
    ],
  },
  {
    plan_id: 'team',
    name: 'Team',
    price_cents: 3900,
    currency: 'usd',
    interval: 'month',
    monthly_credits: 2000,
    features: [
      'Everything in Pro',
      'Credits for 400 library searches that hit',
      'Your support tickets come before those on Pro and Free',
    ],
  },
]

export const PACKS: readonly Pack[] = [
  { pack_id: 'small', name: '100 credits', credits: 100, price_cents: 400, currency: 'usd' },
  { pack_id: 'medium', name: '500 credits', credits: 500, price_cents: 1600, currency: 'usd' },
  { pack_id: 'large', name: '2,000 credits', credits: 2000, price_cents: 5000, currency: 'usd' },
]

export const PLAN_IDS = PLANS.map((plan) => plan.plan_id)
export const PAID_PLAN_IDS = PLANS.filter((plan) => plan.price_cents > 0).map((plan) => plan.plan_id)
export const PACK_IDS = PACKS.map((pack) => pack.pack_id)

const PRODUCT_PREFIX = 'kv_plan_'

export function findPlan(planId: string): Plan | undefined {
  return PLANS.find((plan) => plan.plan_id === planId)
}

export function findPack(packId: string): Pack | undefined {
  return PACKS.find((pack) => pack.pack_id === packId)
}

export function planOffer(plan: Plan): Offer {
  return {
    productId: PRODUCT_PREFIX + plan.plan_id,
    name: `Knowledge Vault ${plan.name}`,
    amountCents: plan.price_cents,
    currency: plan.currency,
    interval: plan.interval,
  }
}

export function packOffer(pack: Pack): Offer {
  return {
    productId: `kv_pack_${pack.pack_id}`,
    name: `Knowledge Vault: ${pack.name}`,
    amountCents: pack.price_cents,
    currency: pack.currency,
    interval: null,
  }
}

export const PAID_OFFERS: readonly Offer[] = PLANS.filter((plan) => plan.price_cents > 0).map(planOffer)

/** The metadata may be outdated after a switch in the portal, so it counts only without a product. */
export function planOfProduct(productId: string | null, metadataPlanId: string | null): Plan | undefined {
  if (productId === null) return findPlan(metadataPlanId ?? '')
  return productId.startsWith(PRODUCT_PREFIX) ? findPlan(productId.slice(PRODUCT_PREFIX.length)) : undefined
}

export function planRank(planId: string): number {
  return PLANS.findIndex((plan) => plan.plan_id === planId)
}

export const listPlans = capability({
  name: 'billing.plans',
  summary: 'Subscription plans',
  scopes: 'public',
  rest: ['GET /api/v1/billing/plans'],
  input: z.object({}),
  output: z.array(SubscriptionPlan),
  run: async () => [...PLANS],
})

export const listCreditPacks = capability({
  name: 'billing.credit_packs',
  summary: 'Credit packs, each a single purchase',
  scopes: 'public',
  rest: ['GET /api/v1/billing/credit-packs'],
  input: z.object({}),
  output: z.array(CreditPack),
  run: async () => [...PACKS],
})
