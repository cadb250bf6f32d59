import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check, Mail } from 'lucide-react'
import { queryClient } from '../../api/query.ts'
import { closeTicket, type Ticket } from '../../api/tickets.ts'
import { formatTime } from '../../lib/format.ts'
import { configQuery, useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass, LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { ticketQuery } from './ticket-queries.ts'
import { planName } from './ticket-rules.ts'
import { TicketThread } from './ticket-thread.tsx'

const route = getRouteApi('/app/admin/tickets/$ticketId')

const answerTo = ({ email, subject, ticket_id }: Ticket) =>
  `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Re: ${subject} [${ticket_id}]`)}`

export function TicketPage() {
  const { ticketId } = route.useParams()
  const query = useQuery(ticketQuery(ticketId))
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  const close = useMutation({
    mutationFn: () => closeTicket({ ticket_id: ticketId }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['tickets'] })
      toast('Closed.')
    },
    onError: toastError,
  })
  const ticket = query.data
  if (!ticket)
    return (
      <NotLoaded isPage query={query} action={<LinkButton to="/admin/tickets">All tickets</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <Page
      title={ticket.subject}
      narrow
      back={<BackLink to="/admin/tickets">Support tickets</BackLink>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {ticket.email} · {formatTime(ticket.created_at)}
          <Badge>{ticket.category}</Badge>
          {ticket.plan && (
            <Badge tone={ticket.plan === 'free' ? 'neutral' : 'accent'}>{planName(ticket.plan)}</Badge>
          )}
          {ticket.status === 'closed' && <Badge tone="ok">Closed</Badge>}
        </span>
      }
      actions={
        <>
          <a href={answerTo(ticket)} className={buttonClass()}>
            <Mail size={14} aria-hidden />
            Answer by mail
          </a>
          {ticket.status === 'open' && (
            <Button busy={close.isPending} onClick={() => close.mutate()}>
              <Check size={14} aria-hidden />
              Close
            </Button>
          )}
        </>
      }
    >
      {config?.mail === false && ticket.user_id === null && (
        <Notice tone="warn">
          This server sends no mail, and the author has no account. “Answer by mail” opens your own mail
          program.
        </Notice>
      )}
      <TicketThread
        ticket={ticket}
        isSupport={ticket.user_id !== me.user_id}
        attachmentsLead="Sent by somebody you may not know: open them with care."
      />
      <p className="flex items-center gap-1 font-mono text-xs text-faint">
        {ticket.ticket_id}
        <CopyButton text={ticket.ticket_id} label="Copy ticket number" />
      </p>
    </Page>
  )
}
