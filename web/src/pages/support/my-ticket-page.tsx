import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { formatTime } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { ticketQuery } from './ticket-queries.ts'
import { TicketThread } from './ticket-thread.tsx'

const route = getRouteApi('/app/support/tickets/$ticketId')

/** A ticket of the person, with its replies. */
export function MyTicketPage() {
  const { ticketId } = route.useParams()
  const me = useMe()
  const query = useQuery(ticketQuery(ticketId))
  const ticket = query.data
  if (!ticket)
    return (
      <NotLoaded
        isPage
        query={query}
        action={
          <LinkButton to="/support" search={{ tab: 'mine' }}>
            My tickets
          </LinkButton>
        }
      >
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <Page
      title={ticket.subject}
      narrow
      back={
        <BackLink to="/support" search={{ tab: 'mine' }}>
          My tickets
        </BackLink>
      }
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {formatTime(ticket.created_at)}
          <Badge tone={ticket.status === 'open' ? 'accent' : 'neutral'}>
            {ticket.status === 'open' ? 'Open' : 'Closed'}
          </Badge>
        </span>
      }
    >
      <TicketThread ticket={ticket} isSupport={ticket.user_id !== me.user_id} />
    </Page>
  )
}
