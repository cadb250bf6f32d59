import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { CreditPack, PACKS, PLANS, SubscriptionPlan } from './plans.ts'

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
