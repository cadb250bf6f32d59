import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import { useMemo } from 'react'
import type { LedgerEntry, Pack } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { credits, formatNumber, formatTime, money, plural } from '../../lib/format.ts'
import { creditsPolicyQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { LazyChart } from '../../ui/lazy.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, Skeleton, SkeletonList } from '../../ui/states.tsx'
import { Pager, Table } from '../../ui/table.tsx'
import { balanceQuery, chartQuery, historyQuery, packsQuery, statusQuery, useCheckout } from './checkout.ts'
import * as strings from './strings.ts'

export function CreditsTab() {
  const { data: status } = useQuery(statusQuery)
  const { data: policy } = useQuery(creditsPolicyQuery)
  return (
    <>
      <Section title={strings.balance}>
        <Balance />
      </Section>
      {status?.provider !== 'none' && !policy?.credits_off && (
        <Section title={strings.buyCredits} lead={strings.buyCreditsLead}>
          <Packs />
        </Section>
      )}
      <Section title={strings.historyLabel} lead={strings.historyLead}>
        <LedgerTable />
      </Section>
    </>
  )
}

function Balance() {
  const balance = useQuery(balanceQuery)
  const chart = useQuery(chartQuery)
  const { data: policy } = useQuery(creditsPolicyQuery)
  const curve = useMemo(() => balanceCurve(chart.data?.items ?? [], new Date()), [chart.data])
  const cost = policy?.public_search_cost_credits ?? 0
  return (
    <div className="grid gap-6 md:grid-cols-[--spacing(55)_minmax(0,1fr)]">
      <div>
        {balance.data ? (
          <>
            <p className="text-lg font-semibold tabular-nums">{credits(balance.data.balance)}</p>
            {cost > 0 && (
              <p className="mt-1 text-sm text-soft">
                {strings.enoughForSearches(
                  plural(Math.floor(balance.data.balance / cost), 'library search', 'library searches'),
                )}
              </p>
            )}
            <dl className="mt-4 grid gap-1 text-sm">
              <Figure name="Earned and bought" value={balance.data.lifetime_earned} />
              <Figure name="Spent" value={balance.data.lifetime_spent} />
            </dl>
          </>
        ) : (
          <NotLoaded query={balance}>
            <div className="grid gap-3">
              <Skeleton className="h-6 w-32" />
              <Skeleton className="w-44" />
            </div>
          </NotLoaded>
        )}
      </div>
      {hasCourse(chart.data?.items ?? []) && (
        <div className="min-h-40 min-w-0">
          <LazyChart
            label={strings.balanceOverBookings(plural(curve.times.length - 2, 'booking'))}
            times={curve.times}
            values={curve.values}
            format={formatNumber}
            stepped
          />
        </div>
      )}
    </div>
  )
}

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div className="flex justify-between gap-3">
    <dt className="text-soft">{name}</dt>
    <dd className="tabular-nums">{formatNumber(value)}</dd>
  </div>
)

function Packs() {
  const packs = useQuery(packsQuery)
  const { pack: buy } = useCheckout()
  if (!packs.data)
    return (
      <NotLoaded query={packs}>
        <SkeletonList rows={2} />
      </NotLoaded>
    )
  const highestPrice = Math.max(...packs.data.map(perCredit))
  return (
    <ul className="grid gap-3 sm:grid-cols-3">
      {packs.data.map((pack) => (
        <li key={pack.pack_id} className="grid gap-3 rounded-md border border-line p-4">
          <div>
            <h3 className="text-base font-semibold">{credits(pack.credits)}</h3>
            <p className="text-xs text-faint">{saving(pack, highestPrice)}</p>
          </div>
          <Button
            busy={buy.isPending && buy.variables === pack.pack_id}
            disabled={buy.isPending}
            onClick={() => buy.mutate(pack.pack_id)}
          >
            {strings.buyFor(money(pack.price_cents, pack.currency))}
          </Button>
        </li>
      ))}
    </ul>
  )
}

const perCredit = (pack: Pack) => pack.price_cents / pack.credits

function saving(pack: Pack, highestPrice: number): string {
  const each = strings.priceFor100(money(pack.price_cents / (pack.credits / 100), pack.currency))
  const percent = Math.round((1 - perCredit(pack) / highestPrice) * 100)
  return percent > 0 ? strings.priceWithDiscount(each, percent) : each
}

const route = getRouteApi('/app/billing')

function LedgerTable() {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const history = useQuery(historyQuery(page))
  if (!history.data)
    return (
      <NotLoaded query={history}>
        <SkeletonList rows={4} />
      </NotLoaded>
    )
  if (history.data.total === 0)
    return (
      <EmptyState icon={<Coins size={18} />} title={strings.noBookingsYet}>
        {strings.noBookingsHint}
      </EmptyState>
    )
  return (
    <>
      <Table
        label={strings.creditHistory}
        rows={history.data.items}
        rowKey={(entry) => entry.entry_id}
        columns={[
          {
            name: strings.when,
            wide: true,
            cell: (entry) => (
              <span className="whitespace-nowrap text-soft tabular-nums">{formatTime(entry.created_at)}</span>
            ),
          },
          {
            name: strings.what,
            cell: (entry) => (
              <>
                <Reason entry={entry} />
                <span className="block text-xs text-faint sm:hidden">{formatTime(entry.created_at)}</span>
              </>
            ),
          },
          {
            name: strings.credits,
            end: true,
            cell: (entry) => (
              <span className={cx('font-medium', entry.delta > 0 && 'text-ok')}>{signed(entry.delta)}</span>
            ),
          },
          {
            name: strings.balance,
            end: true,
            cell: (entry) => <span className="text-soft">{formatNumber(entry.balance_after)}</span>,
          },
        ]}
      />
      <Pager
        page={page}
        pageSize={history.data.page_size}
        total={history.data.total}
        onPage={(next) =>
          void navigate({
            search: (before) => ({ ...before, page: next > 1 ? next : undefined }),
            resetScroll: false,
          })
        }
      />
    </>
  )
}

function Reason({ entry }: { entry: LedgerEntry }) {
  const words = reasonWords(entry.reason)
  if (entry.card_title === null || !entry.ref_id) return words
  return (
    <>
      {words}
      <Link
        to="/cards/$cardId"
        params={{ cardId: entry.ref_id }}
        className="block rounded-sm text-xs break-words text-accent-strong underline-offset-2 hover:underline"
      >
        {entry.card_title}
      </Link>
    </>
  )
}

const WORDS: Record<LedgerEntry['reason'], string> = {
  signup_bonus: strings.welcomeBonus,
  publish_reward: strings.publishedACard,
  public_search: strings.librarySearch,
  feedback_reward: strings.cardFoundUseful,
  pack_purchase: strings.boughtPack,
  plan_grant: strings.creditsOfPlan,
  invite_redeemed: strings.redeemedCode,
  invite_reward: strings.codeWasUsed,
  refund: strings.refund,
  adjustment: strings.correction,
}

const reasonWords = (reason: LedgerEntry['reason']) => WORDS[reason]

export const signed = (delta: number) =>
  `${delta > 0 ? '+' : delta < 0 ? '−' : ''}${formatNumber(Math.abs(delta))}`

/** Returns the newest purchase after the given booking; ids sort by time. */
export const purchaseAmong = (entries: readonly LedgerEntry[] | undefined, after: string | null) =>
  entries?.find(
    (entry) =>
      (entry.reason === 'pack_purchase' || entry.reason === 'plan_grant') && entry.entry_id > (after ?? ''),
  )

const MIN_BOOKINGS = 3

/** Returns whether the bookings, newest first, make a curve worth a look: several, on more than one day. */
export function hasCourse(entries: readonly LedgerEntry[]): boolean {
  const [newest, oldest] = [entries[0], entries.at(-1)]
  if (!newest || !oldest || entries.length < MIN_BOOKINGS) return false
  return newest.created_at.slice(0, 10) !== oldest.created_at.slice(0, 10)
}

type Curve = { times: number[]; values: number[] }

const WEEK_S = 7 * 86_400

/** Returns the balance over time, from entries sorted newest first. The curve starts at most a week ago and ends now. */
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

/** The chart needs strictly rising times, so bookings of one second are moved apart. */
function rising(times: number[]): number[] {
  const result: number[] = []
  for (const time of times) result.push(Math.max(time, (result.at(-1) ?? Number.NEGATIVE_INFINITY) + 1))
  return result
}
