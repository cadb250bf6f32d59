import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, Check, Mail, Paperclip } from 'lucide-react'
import { queryClient } from '../../api/query.ts'
import { closeTicket, type Ticket } from '../../api/tickets.ts'
import { formatTime } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass, LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ErrorState, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { ticketQuery } from './ticket-queries.ts'
import { fileSize, planName } from './ticket-rules.ts'

const route = getRouteApi('/app/admin/tickets/$ticketId')

const answerTo = ({ email, subject, ticket_id }: Ticket) =>
  `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Re: ${subject} [${ticket_id}]`)}`

export function TicketPage() {
  const { ticketId } = route.useParams()
  const { data: ticket, error, refetch } = useQuery(ticketQuery(ticketId))
  const close = useMutation({
    mutationFn: () => closeTicket({ ticket_id: ticketId }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['tickets'] })
      toast('Closed.')
    },
    onError: toastError,
  })
  if (error)
    return (
      <ErrorState
        error={error}
        onRetry={() => void refetch()}
        action={<LinkButton to="/admin/tickets">All tickets</LinkButton>}
      />
    )
  if (!ticket) return <SkeletonPage />
  return (
    <Page
      title={ticket.subject}
      narrow
      back={
        <Link
          to="/admin/tickets"
          className="inline-flex items-center gap-1 rounded-sm text-soft hover:text-ink"
        >
          <ArrowLeft size={14} aria-hidden />
          Support tickets
        </Link>
      }
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
          <a href={answerTo(ticket)} className={buttonClass('primary')}>
            <Mail size={14} aria-hidden />
            Answer
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
      <Section title="Message">
        <p className="text-base break-words whitespace-pre-wrap">{ticket.message}</p>
      </Section>
      {ticket.attachments.length > 0 && (
        <Section title="Attachments" lead="Sent by somebody you may not know: open them with care.">
          <ul className="grid gap-2">
            {ticket.attachments.map((file) => (
              <li key={file.attachment_id}>
                <a href={file.url} download className={buttonClass()}>
                  <Paperclip size={14} aria-hidden />
                  <span className="max-w-60 truncate">{file.file_name}</span>
                  <span className="text-xs text-faint">{fileSize(file.size_bytes)}</span>
                </a>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <p className="flex items-center gap-1 font-mono text-xs text-faint">
        {ticket.ticket_id}
        <CopyButton text={ticket.ticket_id} label="Copy ticket number" />
      </p>
    </Page>
  )
}
