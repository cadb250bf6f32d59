/**
 * A payment provider that runs on one machine: the rules of its hosted pages, without the pages. Each action takes its
 * own objects and the time, and answers with the changed objects and the events to send, shaped as Stripe sends them.
 * It exists so that the whole flow (pay, decline, renew, fail, refund, cancel) can be walked without an account.
 */
import { randomBytes } from 'node:crypto'
import type { Offer } from '../payments.ts'

export type DevSession = {
  kind: 'session'
  id: string
  customer: string
  offer: Offer
  metadata: Record<string, string>
  successUrl: string
  cancelUrl: string
  status: 'open' | 'complete' | 'expired'
  declines: number
  expiresAt: number
}

export type DevSubscription = {
  kind: 'subscription'
  id: string
  customer: string
  offer: Offer
  /** A cheaper plan takes over when the paid period is over. */
  nextOffer: Offer | null
  metadata: Record<string, string>
  status: 'active' | 'past_due' | 'canceled'
  cancelAtPeriodEnd: boolean
  /** The day of the month on which it began, which a shorter month shortens for that month only. */
  billingDay?: number
  periodStart: number
  periodEnd: number
  openInvoice: DevInvoice | null
}

export type DevPayment = {
  kind: 'payment'
  id: string
  customer: string
  description: string
  amountCents: number
  refundedCents: number
  currency: string
  invoice: string | null
  created: number
}

export type DevPortal = {
  kind: 'portal'
  id: string
  customer: string
  returnUrl: string
  offers: Offer[]
  expiresAt: number
}

export type DevInvoice = {
  id: string
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  lines: { offer: Offer; amountCents: number; proration: boolean; start: number; end: number }[]
}

export type DevObject = DevSession | DevSubscription | DevPayment | DevPortal

/** Typed loosely on purpose: what leaves here is read again by the same reader that reads Stripe's events. */
export type DevEvent = {
  id: string
  type: string
  created: number
  object: 'event'
  data: { object: unknown }
}

export type DevChange = { objects: DevObject[]; events: DevEvent[] }

export const NOTHING: DevChange = { objects: [], events: [] }

export function newDevId(prefix: string): string {
  return `${prefix}_dev_${randomBytes(18).toString('base64url')}`
}

export function newPayment(
  customer: string,
  description: string,
  amountCents: number,
  offer: Offer,
  invoice: string | null,
  now: number,
): DevPayment {
  const id = newDevId('pi')
  const { currency } = offer
  return {
    kind: 'payment',
    id,
    customer,
    description,
    amountCents,
    refundedCents: 0,
    currency,
    invoice,
    created: now,
  }
}
