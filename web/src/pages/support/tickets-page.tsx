import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronRight, Inbox, Paperclip } from 'lucide-react'
import type { ListedTicket } from '../../api/types.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Segmented } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import * as strings from './strings.ts'
import { planName, ticketsQuery } from './tickets.ts'

const route = getRouteApi('/app/admin/tickets')

export function TicketsPage() {
  const { status = 'open', page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const tickets = useQuery(ticketsQuery(status, page))
  return (
    <Page
      title={strings.supportTickets}
      lead={strings.ticketsLead}
      actions={
        <Segmented
          label={strings.state}
          value={status}
          options={[
            { value: 'open', label: strings.openLabel },
            { value: 'closed', label: strings.closed },
          ]}
          onChange={(next) =>
            void navigate({ search: { status: next === 'closed' ? next : undefined }, replace: true })
          }
        />
      }
    >
      {!tickets.data && (
        <NotLoaded query={tickets}>
          <SkeletonList rows={5} />
        </NotLoaded>
      )}
      {tickets.data?.total === 0 && (
        <EmptyState
          icon={<Inbox size={18} />}
          title={status === 'open' ? strings.nothingIsWaiting : strings.noClosedTickets}
        >
          {strings.ticketsHint}
        </EmptyState>
      )}
      {tickets.data && tickets.data.total > 0 && (
        <>
          <ul className="divide-y divide-line border-y border-line">
            {tickets.data.items.map((ticket) => (
              <TicketRow key={ticket.ticket_id} ticket={ticket} />
            ))}
          </ul>
          <Pager
            page={page}
            pageSize={tickets.data.page_size}
            total={tickets.data.total}
            onPage={(next) =>
              void navigate({ search: (before) => ({ ...before, page: next > 1 ? next : undefined }) })
            }
          />
        </>
      )}
    </Page>
  )
}

const TicketRow = ({ ticket }: { ticket: ListedTicket }) => (
  <li>
    <Link
      to="/admin/tickets/$ticketId"
      params={{ ticketId: ticket.ticket_id }}
      className="flex min-h-14 items-center gap-3 px-2 py-2 transition-colors hover:bg-hover"
    >
      <span className="min-w-0 grow">
        <span className="block truncate text-sm font-medium">{ticket.subject}</span>
        <span className="block truncate text-xs text-faint">
          {ticket.email} · {formatAgo(ticket.created_at)}
        </span>
      </span>
      {ticket.attachments.length > 0 && (
        <span className="flex shrink-0 items-center gap-1 text-xs text-faint">
          <Paperclip size={12} aria-hidden />
          {plural(ticket.attachments.length, 'file')}
        </span>
      )}
      {ticket.plan && (
        <Badge tone={ticket.plan === 'free' ? 'neutral' : 'accent'}>{planName(ticket.plan)}</Badge>
      )}
      <Badge>{ticket.category}</Badge>
      <ChevronRight size={16} className="shrink-0 text-faint" aria-hidden />
    </Link>
  </li>
)
