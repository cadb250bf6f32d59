import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight, LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import { formatAgo } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { Support } from './support.tsx'
import { MY_TICKETS_A_PAGE, myTicketsQuery } from './tickets.ts'

const route = getRouteApi('/app/support')

export function SupportPage() {
  const me = useMe()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title="Support"
      lead="Answers come from the guide. A person answers tickets."
      narrow
      actions={me.is_admin && <LinkButton to="/admin/tickets">All tickets</LinkButton>}
    >
      <Support
        email={me.email}
        tab={tab ?? 'chat'}
        onTab={(next) =>
          void navigate({ search: { tab: next === 'chat' ? undefined : next }, replace: true })
        }
        mine={<MyTickets />}
      />
    </Page>
  )
}

function MyTickets() {
  const [page, setPage] = useState(1)
  const tickets = useQuery(myTicketsQuery(page))
  if (!tickets.data)
    return (
      <NotLoaded query={tickets}>
        <SkeletonList rows={3} />
      </NotLoaded>
    )
  if (tickets.data.total === 0)
    return (
      <EmptyState icon={<LifeBuoy size={18} />} title="No tickets yet">
        Your tickets appear here, with the answers.
      </EmptyState>
    )
  return (
    <>
      <ul aria-label="My tickets" className="divide-y divide-line border-y border-line">
        {tickets.data.items.map((ticket) => (
          <li key={ticket.ticket_id}>
            <Link
              to="/support/tickets/$ticketId"
              params={{ ticketId: ticket.ticket_id }}
              className="flex min-h-14 items-center gap-3 px-2 py-2 transition-colors hover:bg-hover"
            >
              <span className="min-w-0 grow">
                <span className="block truncate text-sm font-medium">{ticket.subject}</span>
                <span className="block text-xs text-faint">
                  {formatAgo(ticket.created_at)}
                  {ticket.reply_count > 0 &&
                    ` · ${ticket.reply_count === 1 ? '1 reply' : `${ticket.reply_count} replies`}`}
                </span>
              </span>
              <Badge tone={ticket.status === 'open' ? 'accent' : 'neutral'}>
                {ticket.status === 'open' ? 'Open' : 'Closed'}
              </Badge>
              <ChevronRight size={16} className="shrink-0 text-faint" aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
      <Pager page={page} pageSize={MY_TICKETS_A_PAGE} total={tickets.data.total} onPage={setPage} />
    </>
  )
}
