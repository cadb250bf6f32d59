import type { LedgerEntry } from '../../api/billing.ts'
import { formatNumber } from '../../lib/format.ts'

const WORDS: Record<LedgerEntry['reason'], string> = {
  signup_bonus: 'Welcome bonus',
  publish_reward: 'Published a card',
  public_search: 'Library search with a hit',
  feedback_reward: 'Somebody found your card useful',
  pack_purchase: 'Bought a credit pack',
  plan_grant: 'Credits of your plan',
  invite_redeemed: 'Redeemed an invite code',
  invite_reward: 'Your invite code was used',
  refund: 'Refund',
  adjustment: 'Correction',
}

/** The reason of a booking in words. */
export const reasonWords = (reason: LedgerEntry['reason']) => WORDS[reason]

export const signed = (delta: number) =>
  `${delta > 0 ? '+' : delta < 0 ? '−' : ''}${formatNumber(Math.abs(delta))}`

/** The newest purchase after the given booking; ids sort by time. Without one to compare with, the newest purchase. */
export const purchaseAmong = (entries: readonly LedgerEntry[] | undefined, after: string | null) =>
  entries?.find(
    (entry) =>
      (entry.reason === 'pack_purchase' || entry.reason === 'plan_grant') && entry.entry_id > (after ?? ''),
  )

export type Curve = { times: number[]; values: number[] }

const WEEK_S = 7 * 86_400

/**
 * The balance over time from ledger entries, newest first as the server gives them. It begins with the balance
 * before the oldest entry, a week ago at the latest, and ends now: a quiet month shows as a level line.
 */
export function balanceCurve(entries: readonly LedgerEntry[], now: Date): Curve {
  const oldestFirst = entries.toReversed()
  const first = oldestFirst[0]
  const last = oldestFirst.at(-1)
  if (!first || !last) return { times: [], values: [] }
  const seconds = (time: string) => Math.floor(Date.parse(time) / 1000)
  const end = Math.floor(now.getTime() / 1000)
  const start = Math.min(seconds(first.created_at) - 1, end - WEEK_S)
  const times = [start, ...oldestFirst.map((entry) => seconds(entry.created_at)), end]
  const values = [
    first.balance_after - first.delta,
    ...oldestFirst.map((entry) => entry.balance_after),
    last.balance_after,
  ]
  return { times: rising(times), values }
}

/** The chart wants strictly rising times; bookings of the same second follow each other by one. */
function rising(times: number[]): number[] {
  const result: number[] = []
  for (const time of times) result.push(Math.max(time, (result.at(-1) ?? Number.NEGATIVE_INFINITY) + 1))
  return result
}
