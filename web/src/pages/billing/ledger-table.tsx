import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import type { LedgerEntry } from '../../api/billing.ts'
import { cx } from '../../lib/cx.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager, Table } from '../../ui/table.tsx'
import { historyQuery } from './billing-queries.ts'
import { reasonWords, signed } from './ledger.ts'

const route = getRouteApi('/app/billing')

export function LedgerTable() {
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
      <EmptyState icon={<Coins size={18} />} title="No bookings yet">
        The first is usually the welcome bonus. Each line says what moved, when, and the balance after it.
      </EmptyState>
    )
  return (
    <>
      <Table
        label="Credit history"
        rows={history.data.items}
        rowKey={(entry) => entry.entry_id}
        columns={[
          {
            name: 'When',
            wide: true,
            cell: (entry) => (
              <span className="whitespace-nowrap text-soft tabular-nums">{formatTime(entry.created_at)}</span>
            ),
          },
          {
            name: 'What',
            cell: (entry) => (
              <>
                <Reason entry={entry} />
                <span className="block text-xs text-faint sm:hidden">{formatTime(entry.created_at)}</span>
              </>
            ),
          },
          {
            name: 'Credits',
            end: true,
            cell: (entry) => (
              <span className={cx('font-medium', entry.delta > 0 && 'text-ok')}>{signed(entry.delta)}</span>
            ),
          },
          {
            name: 'Balance',
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

/** A booking about a card names the card and leads to it. */
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
