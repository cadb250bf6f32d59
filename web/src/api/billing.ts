import type { OutputOf } from '../../../src/core/capability.ts'
import type { listPlans as ListPlans, listCreditPacks } from '../../../src/features/billing/catalogue.ts'
import type {
  checkoutCredits,
  checkoutPlan,
  openPortal,
  readStatus,
} from '../../../src/features/billing/checkout.ts'
import type { createInvite, listMyInvites, redeemInvite } from '../../../src/features/billing/invites.ts'
import { call } from './client.ts'
import type { Page, Pending } from './types.ts'

export type Plan = OutputOf<typeof ListPlans>[number]
export type Pack = OutputOf<typeof listCreditPacks>[number]
export type BillingStatus = OutputOf<typeof readStatus>
export type InviteCode = OutputOf<typeof listMyInvites>[number]
export type CreditsBalance = {
  balance: number
  lifetime_earned: number
  lifetime_spent: number
  updated_at: string
}
export type LedgerEntry = {
  entry_id: string
  delta: number
  balance_after: number
  reason: string
  ref_type: string | null
  ref_id: string | null
  created_at: string
}

export const creditsBalance = call<Pending<Record<never, never>, CreditsBalance>>(
  'GET /api/v1/credits/balance',
)
export const creditsHistory = call<Pending<{ page?: number; page_size?: number }, Page<LedgerEntry>>>(
  'GET /api/v1/credits/history',
)
export const listPlans = call<typeof ListPlans>('GET /api/v1/billing/plans')
export const listPacks = call<typeof listCreditPacks>('GET /api/v1/billing/credit-packs')
export const billingStatus = call<typeof readStatus>('GET /api/v1/billing/status')
export const planCheckout = call<typeof checkoutPlan>('POST /api/v1/billing/checkout')
export const packCheckout = call<typeof checkoutCredits>('POST /api/v1/billing/credits/checkout')
export const billingPortal = call<typeof openPortal>('POST /api/v1/billing/portal')
export const listInviteCodes = call<typeof listMyInvites>('GET /api/v1/billing/invites')
export const createInviteCode = call<typeof createInvite>('POST /api/v1/billing/invites')
export const redeemInviteCode = call<typeof redeemInvite>('POST /api/v1/billing/redeem-invite')
