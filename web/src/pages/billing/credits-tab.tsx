import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Pack } from '../../api/billing.ts'
import { credits, formatNumber, money, plural } from '../../lib/format.ts'
import { creditsPolicyQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { LazyChart } from '../../ui/lazy-chart.tsx'
import { Section } from '../../ui/page.tsx'
import { NotLoaded, Skeleton, SkeletonList } from '../../ui/states.tsx'
import { balanceQuery, chartQuery, packsQuery, statusQuery } from './billing-queries.ts'
import { balanceCurve } from './ledger.ts'
import { LedgerTable } from './ledger-table.tsx'
import { useCheckout } from './use-checkout.ts'

export function CreditsTab() {
  const { data: status } = useQuery(statusQuery)
  const { data: policy } = useQuery(creditsPolicyQuery)
  return (
    <>
      <Section title="Balance">
        <Balance />
      </Section>
      {status?.provider !== 'none' && !policy?.credits_off && (
        <Section title="Buy credits" lead="One payment, no subscription. Credits do not expire.">
          <Packs />
        </Section>
      )}
      <Section title="History" lead="Every booking, newest first. The balance is their sum, always.">
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
                Enough for{' '}
                {plural(Math.floor(balance.data.balance / cost), 'library search', 'library searches')} with a
                hit.
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
      <div className="min-h-40 min-w-0">
        {curve.times.length > 0 && (
          <LazyChart
            label={`Balance over the last ${plural(curve.times.length - 2, 'booking')}`}
            times={curve.times}
            values={curve.values}
            format={formatNumber}
            stepped
          />
        )}
      </div>
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
            Buy for {money(pack.price_cents, pack.currency)}
          </Button>
        </li>
      ))}
    </ul>
  )
}

const perCredit = (pack: Pack) => pack.price_cents / pack.credits

function saving(pack: Pack, highestPrice: number): string {
  const each = `${money(pack.price_cents / (pack.credits / 100), pack.currency)} for 100`
  const percent = Math.round((1 - perCredit(pack) / highestPrice) * 100)
  return percent > 0 ? `${each}, ${percent}% less` : each
}
