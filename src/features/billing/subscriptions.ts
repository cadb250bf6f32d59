import type { SubscriptionState } from '../../adapters/payment-events.ts'
import { type PaymentProvider, PaymentProviderError } from '../../adapters/payments.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { notConfigured, unavailable } from '../../core/errors.ts'
import { DAY_MS, TookTooLong, within } from '../../shared/time.ts'
import { setPlan } from '../identity/index.ts'
import {
  fillSubscription,
  findCustomer,
  findSubscription,
  listSubscriptions,
  type SubscriptionRow,
  saveSubscription,
  usersPastTheirEnd,
} from './billing-store.ts'
import { planRank } from './plans.ts'

/** Stops the transaction: the provider cancels outside of it, then the event is applied again. */
export class MustCancel extends Error {
  readonly subscriptionId: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(subscriptionId: string, message: string, details: Readonly<Record<string, unknown>>) {
    super(message)
    this.subscriptionId = subscriptionId
    this.details = details
  }
}

/** The order of events within the same second: a creation comes first, an end is final. */
export const EVENT_RANK = { created: 0, invoice: 1, updated: 2, deleted: 3 } as const

/** The provider of plans that `simulate-upgrade` gave. */
export const SIMULATED = 'simulated'

/** Two updates carry the same second; only the provider knows which is later. */
export class OrderUnknown extends Error {
  readonly subscriptionId: string

  constructor(subscriptionId: string) {
    super('two updates of one second')
    this.subscriptionId = subscriptionId
  }
}

type SubscriptionEvent = {
  provider: string
  userId: string
  planId: string | null
  state: SubscriptionState
  created: number
  rank: number
  /** The state was just fetched from the provider, so it wins a tie. */
  fresh: boolean
  /** The provider has cancelled the subscription because of this event (must-cancel.ts). */
  isCancelled: boolean
}

export async function applySubscription(ctx: Ctx, incoming: SubscriptionEvent): Promise<void> {
  const event = incoming.isCancelled ? asEnded(incoming) : incoming
  const { state, created, rank } = event
  const row = await findSubscription(ctx.db, state.subscriptionId)
  const order = row ? compare(event, row) : 'later'
  if (row && order === 'same' && !event.fresh && differs(event, row))
    throw new OrderUnknown(state.subscriptionId)
  if (row && order === 'earlier') {
    await fillSubscription(ctx.db, row, { planId: event.planId, currentPeriodEnd: state.currentPeriodEnd })
  } else {
    await refuseSecond(ctx, event, row)
    await saveSubscription(ctx.db, {
      provider: event.provider,
      userId: event.userId,
      planId: event.planId ?? row?.plan_id ?? null,
      state: { ...state, currentPeriodEnd: state.currentPeriodEnd ?? row?.current_period_end ?? null },
      eventCreated: created,
      eventRank: rank,
      now: ctx.now().toISOString(),
    })
  }
  await syncPlan(ctx, event.userId)
}

const asEnded = (event: SubscriptionEvent): SubscriptionEvent => ({
  ...event,
  state: { ...event.state, status: 'canceled' },
  rank: EVENT_RANK.deleted,
})

/** Two checkout pages may both be paid; a subscription that ends with its period may overlap. */
async function refuseSecond(
  ctx: Ctx,
  { provider, userId, state }: SubscriptionEvent,
  former: SubscriptionRow | undefined,
): Promise<void> {
  const now = ctx.now().toISOString()
  const isBeginning = RUNNING.includes(state.status) && !(former && isRunning(former, now))
  if (!isBeginning || state.cancelAtPeriodEnd) return
  const kept = (await listSubscriptions(ctx.db, userId)).find(
    (row) =>
      row.subscription_id !== state.subscriptionId &&
      row.provider === provider &&
      isRunning(row, now) &&
      row.cancel_at_period_end === 0,
  )
  if (!kept) return
  throw new MustCancel(
    state.subscriptionId,
    'a second subscription of one person was cancelled: refund its payment at the payment provider',
    {
      payment_id: state.latestInvoiceId,
      subscription_id: state.subscriptionId,
      kept_subscription_id: kept.subscription_id,
      user_id: userId,
    },
  )
}

function compare(
  event: { created: number; rank: number },
  row: SubscriptionRow,
): 'earlier' | 'same' | 'later' {
  if (row.event_rank === EVENT_RANK.deleted) return 'earlier'
  if (event.rank === EVENT_RANK.deleted) return 'later'
  if (event.created !== row.event_created) return event.created > row.event_created ? 'later' : 'earlier'
  if (event.rank !== row.event_rank) return event.rank > row.event_rank ? 'later' : 'earlier'
  return 'same'
}

function differs({ state, planId }: SubscriptionEvent, row: SubscriptionRow): boolean {
  return (
    state.status !== row.status ||
    planId !== row.plan_id ||
    state.currentPeriodEnd !== row.current_period_end ||
    state.cancelAtPeriodEnd !== (row.cancel_at_period_end === 1)
  )
}

export type Standing = {
  planId: string
  /** The provider of the subscription; null without a plan. */
  provider: string | null
  status: SubscriptionRow['status']
  currentPeriodEnd: string | null
  cancelAtPeriodEnd: boolean
}

const FREE: Standing = {
  planId: 'free',
  provider: null,
  status: 'none',
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
}

/** Returns the best active plan. Without one, returns Free and how the last plan ended. */
export async function standingOf(ctx: Ctx, userId: string): Promise<Standing> {
  const rows = await listSubscriptions(ctx.db, userId)
  const now = ctx.now().toISOString()
  const best = rows
    .filter((row) => isRunning(row, now))
    .sort((a, b) => planRank(b.plan_id ?? 'free') - planRank(a.plan_id ?? 'free'))[0]
  if (best) {
    return {
      planId: best.plan_id ?? 'free',
      provider: best.provider,
      status: best.status,
      currentPeriodEnd: best.current_period_end,
      cancelAtPeriodEnd: best.cancel_at_period_end === 1,
    }
  }
  const last = rows.find((row) => row.status !== 'none')
  return last ? { ...FREE, status: 'canceled', currentPeriodEnd: last.current_period_end } : FREE
}

/** The provider waits 23 hours for the first payment; the rest is for its message to arrive. */
const FIRST_PAYMENT_MS = 24 * 3_600_000

/** Counts an undecided first payment too, since it may still succeed, such as a transfer. */
export async function willBeCharged(ctx: Ctx, userId: string): Promise<boolean> {
  const now = ctx.now()
  const decidedSince = new Date(now.getTime() - FIRST_PAYMENT_MS).toISOString()
  const rows = await listSubscriptions(ctx.db, userId)
  return rows.some((row) =>
    row.status === 'none'
      ? row.created_at > decidedSince
      : isRunning(row, now.toISOString()) && row.cancel_at_period_end === 0,
  )
}

const RUNNING: readonly SubscriptionRow['status'][] = ['trialing', 'active', 'past_due']

/** Providers retry for some weeks; a longer silence means another key or a replaced provider. */
const MAX_SILENCE_MS = 90 * DAY_MS
const silentSince = (now: string) => new Date(Date.parse(now) - MAX_SILENCE_MS).toISOString()

function isRunning(
  { status, current_period_end, cancel_at_period_end }: SubscriptionRow,
  now: string,
): boolean {
  if (!RUNNING.includes(status)) return false
  return (
    current_period_end === null || current_period_end > (cancel_at_period_end === 1 ? now : silentSince(now))
  )
}

export async function endPlans(ctx: Ctx): Promise<void> {
  const now = ctx.now().toISOString()
  for (const userId of await usersPastTheirEnd(ctx.db, now, silentSince(now)))
    await inTx(ctx, (ctx) => syncPlan(ctx, userId))
}

async function syncPlan(ctx: Ctx, userId: string): Promise<void> {
  await setPlan(ctx, userId, (await standingOf(ctx, userId)).planId)
}

export function requireProvider(ctx: Pick<Ctx, 'adapters'>): PaymentProvider {
  if (!ctx.adapters.payments) throw notConfigured('Payment')
  return ctx.adapters.payments
}

/** Timeout in milliseconds. A request asks at most twice, and a silent connection is closed after 30 s. */
export const MAX_MS = 12_000

/** Calls the provider. Errors are logged, and the user is told to retry later. */
export async function askProvider<T>(ctx: Ctx, ask: (provider: PaymentProvider) => Promise<T>): Promise<T> {
  const provider = requireProvider(ctx)
  try {
    return await within(MAX_MS, ask(provider))
  } catch (error) {
    if (!(error instanceof PaymentProviderError || error instanceof TookTooLong)) throw error
    ctx.log.error({ err: error }, 'the payment provider did not answer')
    throw unavailable('The payment provider cannot be reached right now. Nothing was charged.', 10)
  }
}

/** Runs after the commit without waiting, so that a provider failure does not stop the deletion. */
export async function leaveProvider(ctx: Ctx, userId: string): Promise<void> {
  const { adapters, log } = ctx
  const provider = adapters.payments
  const customerId = provider && (await findCustomer(ctx.db, provider.name, userId))
  if (!customerId) return
  ctx.afterCommit(() => {
    provider
      .closeCheckouts(customerId, 'all')
      .catch((error: unknown) =>
        log.error(
          { err: error, customer_id: customerId },
          'open checkouts of a deleted account could not be closed: expire them at the payment provider',
        ),
      )
  })
}
