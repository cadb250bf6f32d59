import { randomUUID } from 'node:crypto'
import { signPayload } from '../../src/adapters/payments.ts'
import type { Services } from '../../src/core/context.ts'
import type { TestVault } from './engines.ts'

/** Payment events in the shape of the API version that the SDK pins, for one person. */

export const SECRET = `whsec_${'test'.repeat(8)}`

export type Person = Awaited<ReturnType<TestVault['user']>> & { services: Services }

type When = { created?: number }
type Plan = { plan?: string; metadataPlan?: string }

const PRICE: Record<string, number> = { pro: 1200, team: 3900 }

export function events(person: Pick<Person, 'userId'>, t: Pick<TestVault, 'app'>) {
  const { userId } = person
  const customer = `cus_${userId}`
  const sessionId = `cs_${userId}`
  const nextMonth = Math.floor(t.app.services.now().getTime() / 1000) + 30 * 86_400
  const event = <T>(type: string, object: T, created = 1000) => ({
    id: `evt_${randomUUID()}`,
    object: 'event',
    api_version: '2026-09-30.endive',
    type,
    created,
    data: { object },
  })
  const metadata = ({ plan = 'pro', metadataPlan = plan }: Plan) => ({
    user_id: userId,
    plan_id: metadataPlan,
  })

  const invoice = (
    type: 'invoice.paid' | 'invoice.payment_failed',
    options: When & Plan & { invoice?: string; reason?: string; product?: string },
  ) => {
    const plan = options.plan ?? 'pro'
    const amount = PRICE[plan] ?? 0
    return event(
      type,
      {
        id: options.invoice ?? `in_${randomUUID()}`,
        object: 'invoice',
        customer,
        currency: 'usd',
        amount_paid: type === 'invoice.paid' ? amount : 0,
        billing_reason: options.reason ?? 'subscription_cycle',
        parent: {
          type: 'subscription_details',
          subscription_details: { subscription: `sub_${userId}_a`, metadata: metadata(options) },
        },
        payments: { data: [{ payment: { type: 'payment_intent', payment_intent: `pi_plan_${userId}` } }] },
        lines: {
          data: [
            {
              amount,
              quantity: 1,
              period: { start: 0, end: nextMonth },
              pricing: {
                type: 'price_details',
                price_details: { product: options.product ?? `kv_plan_${plan}` },
              },
              parent: { subscription_item_details: { proration: false } },
            },
          ],
        },
      },
      options.created,
    )
  }

  return {
    packPaid: () =>
      event('checkout.session.completed', {
        id: sessionId,
        object: 'checkout.session',
        mode: 'payment',
        payment_status: 'paid',
        customer,
        client_reference_id: userId,
        metadata: { user_id: userId, pack_id: 'small', credits: '100' },
        payment_intent: `pi_pack_${userId}`,
        amount_total: 400,
        currency: 'usd',
      }),
    subscriptionSession: ({ created }: When = {}) =>
      event(
        'checkout.session.completed',
        {
          id: `${sessionId}_plan`,
          object: 'checkout.session',
          mode: 'subscription',
          payment_status: 'paid',
          customer,
          client_reference_id: userId,
          metadata: metadata({}),
          payment_intent: null,
          subscription: `sub_${userId}_a`,
          invoice: `in_${userId}_a`,
          amount_total: 1200,
          currency: 'usd',
        },
        created,
      ),
    subscription: (
      change: 'created' | 'updated' | 'deleted',
      options: When & Plan & { status?: string; periodEnd?: number; cancel?: boolean; id?: string } = {},
    ) =>
      event(
        `customer.subscription.${change}`,
        {
          id: `sub_${userId}_${options.id ?? 'a'}`,
          object: 'subscription',
          customer,
          status: options.status ?? (change === 'deleted' ? 'canceled' : 'active'),
          cancel_at_period_end: options.cancel ?? false,
          cancel_at: null,
          latest_invoice: `in_${userId}_${options.id ?? 'a'}`,
          metadata: metadata(options),
          items: {
            data: [
              {
                current_period_end: options.periodEnd ?? nextMonth,
                price: { product: `kv_plan_${options.plan ?? 'pro'}` },
              },
            ],
          },
        },
        options.created,
      ),
    invoicePaid: (options: Parameters<typeof invoice>[1]) => invoice('invoice.paid', options),
    invoiceFailed: (options: Parameters<typeof invoice>[1]) => invoice('invoice.payment_failed', options),
    packRefunded: ({ cents }: { cents: number }) =>
      event('charge.refunded', {
        id: `ch_${userId}`,
        object: 'charge',
        amount: 400,
        amount_refunded: cents,
        payment_intent: `pi_pack_${userId}`,
        metadata: { user_id: userId, pack_id: 'small' },
      }),
    /** Of the pack, or of the plan where its payment is named. */
    disputed: (
      change: 'created' | 'funds_withdrawn' | 'closed',
      {
        status,
        cents = 400,
        currency = 'usd',
        payment = 'pack',
      }: { status: string; cents?: number; currency?: string; payment?: 'pack' | 'plan' },
    ) =>
      event(`charge.dispute.${change}`, {
        id: `du_${payment}_${userId}`,
        object: 'dispute',
        amount: cents,
        charge: `ch_${userId}`,
        currency,
        payment_intent: `pi_${payment}_${userId}`,
        reason: 'fraudulent',
        status,
        metadata: {},
      }),
    planRefunded: ({ cents }: { cents: number }) =>
      event('charge.refunded', {
        id: `ch_plan_${userId}`,
        object: 'charge',
        amount: 1200,
        amount_refunded: cents,
        payment_intent: `pi_plan_${userId}`,
        metadata: {},
      }),
  }
}

/** Events as Stripe sends them, signed with the secret of this test, through the real route. */
export function webhookOf(t: TestVault) {
  return async (event: object, options: { header?: string; secret?: string; ageSeconds?: number } = {}) => {
    const payload = JSON.stringify(event)
    const at = new Date(t.app.services.now().getTime() - (options.ageSeconds ?? 0) * 1000)
    const header = options.header ?? signPayload(payload, options.secret ?? SECRET, at)
    return t.anonymous().post('/api/v1/billing/webhook', payload, { 'stripe-signature': header })
  }
}

export async function ledger(person: Person, reason: string) {
  const rows = await person.services.database.read
    .selectFrom('credit_entries')
    .select(['delta', 'balance_after', 'reason', 'ref_type', 'ref_id'])
    .where('user_id', '=', person.userId)
    .where('reason', '=', reason)
    .orderBy('entry_id')
    .execute()
  return rows
}
