import type { OutputOf } from '#server/core/capability.ts'
import type {
  checkoutCredits,
  checkoutPlan,
  openPortal,
  readStatus,
} from '#server/features/billing/checkout.ts'
import type { readHistory } from '#server/features/billing/credit-history.ts'
import type { listPlans as ListPlans, listCreditPacks } from '#server/features/billing/plans.ts'
import type {
  createInvite,
  listMyInvites,
  redeemInvite,
  withdrawInvite,
} from '#server/features/credits/invite-codes.ts'
import type { readBalance } from '#server/features/credits/ledger.ts'
import { call } from './client.ts'

export type Plan = OutputOf<typeof ListPlans>[number]
export type Pack = OutputOf<typeof listCreditPacks>[number]
export type BillingStatus = OutputOf<typeof readStatus>
export type InviteCode = OutputOf<typeof listMyInvites>[number]
export type Redeemed = OutputOf<typeof redeemInvite>
export type LedgerEntry = OutputOf<typeof readHistory>['items'][number]

export const creditsBalance = call<typeof readBalance>('GET /api/v1/credits/balance')
export const creditsHistory = call<typeof readHistory>('GET /api/v1/credits/history')
export const listPlans = call<typeof ListPlans>('GET /api/v1/billing/plans')
export const listPacks = call<typeof listCreditPacks>('GET /api/v1/billing/credit-packs')
export const billingStatus = call<typeof readStatus>('GET /api/v1/billing/status')
export const planCheckout = call<typeof checkoutPlan>('POST /api/v1/billing/checkout')
export const packCheckout = call<typeof checkoutCredits>('POST /api/v1/billing/credits/checkout')
export const billingPortal = call<typeof openPortal>('POST /api/v1/billing/portal')
export const listInviteCodes = call<typeof listMyInvites>('GET /api/v1/billing/invites')
export const createInviteCode = call<typeof createInvite>('POST /api/v1/billing/invites')
export const withdrawInviteCode = call<typeof withdrawInvite>('DELETE /api/v1/billing/invites/{invite_id}')
export const redeemInviteCode = call<typeof redeemInvite>('POST /api/v1/billing/redeem-invite')
