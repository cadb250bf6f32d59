import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { notFound } from '../../core/errors.ts'
import { book } from '../credits/ledger.ts'
import { BillingStatus, presentStatus, unknownId } from './checkout.ts'
import { findPlan, PLAN_IDS, type Plan } from './plans.ts'
import { applySubscription, EVENT_RANK, SIMULATED } from './subscriptions.ts'

export const SimulateUpgradeRequest = z
  .object({ plan_id: z.string().max(100).meta({ enum: PLAN_IDS }) })
  .meta({ id: 'SimulateUpgradeRequest' })

const MONTH_MS = 30 * DAY_MS

/**
 * Skips the checkout: the plan is there as if it had been paid for. Its credits come once per plan and month. No provider
 * knows it, so nobody renews it: it ends with its period, as a cancelled one does.
 */
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
