import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check, Mail, Paperclip } from 'lucide-react'
import { type FormEvent, useRef } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, useAttempt } from '../../api/query.ts'
import type { Ticket } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { configQuery, useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass, LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { BackLink, Page, Section } from '../../ui/page.tsx'
import { FormError, Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import * as strings from './strings.ts'
import { fileSize, planName, ticketQuery } from './tickets.ts'

const route = getRouteApi('/app/admin/tickets/$ticketId')

const answerTo = ({ email, subject, ticket_id }: Ticket) =>
  `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Re: ${subject} [${ticket_id}]`)}`

export function TicketPage() {
  const { ticketId } = route.useParams()
  const query = useQuery(ticketQuery(ticketId))
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  const close = useMutation({
    mutationFn: () => call('POST /api/v1/support/tickets/{ticket_id}/close', { ticket_id: ticketId }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['tickets'] })
      toast(strings.closedNotice)
    },
    onError: toastError,
  })
  const ticket = query.data
  if (!ticket)
    return (
      <NotLoaded
        isPage
        query={query}
        action={<LinkButton to="/admin/tickets">{strings.allTickets}</LinkButton>}
      >
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <Page
      title={ticket.subject}
      narrow
      back={<BackLink to="/admin/tickets">{strings.supportTickets}</BackLink>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {ticket.email} · {formatTime(ticket.created_at)}
          <Badge>{ticket.category}</Badge>
          {ticket.plan && (
            <Badge tone={ticket.plan === 'free' ? 'neutral' : 'accent'}>{planName(ticket.plan)}</Badge>
          )}
          {ticket.status === 'closed' && <Badge tone="ok">{strings.closed}</Badge>}
        </span>
      }
      actions={
        <>
          <a href={answerTo(ticket)} className={buttonClass()}>
            <Mail size={14} aria-hidden />
            {strings.answerByMail}
          </a>
          {ticket.status === 'open' && (
            <Button busy={close.isPending} onClick={() => close.mutate()}>
              <Check size={14} aria-hidden />
              {strings.closeLabel}
            </Button>
          )}
        </>
      }
    >
      {config?.mail === false && ticket.user_id === null && (
        <Notice tone="warn">{strings.noMailToAuthor}</Notice>
      )}
      <TicketThread
        ticket={ticket}
        isSupport={ticket.user_id !== me.user_id}
        attachmentsLead={strings.openWithCare}
      />
      <p className="flex items-center gap-1 font-mono text-xs text-faint">
        {ticket.ticket_id}
        <CopyButton text={ticket.ticket_id} label={strings.copyTicketNumber} />
      </p>
    </Page>
  )
}

const myRoute = getRouteApi('/app/support/tickets/$ticketId')

export function MyTicketPage() {
  const { ticketId } = myRoute.useParams()
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
            {strings.myTickets}
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
          {strings.myTickets}
        </BackLink>
      }
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {formatTime(ticket.created_at)}
          <Badge tone={ticket.status === 'open' ? 'accent' : 'neutral'}>
            {ticket.status === 'open' ? strings.openLabel : strings.closed}
          </Badge>
        </span>
      }
    >
      <TicketThread ticket={ticket} isSupport={ticket.user_id !== me.user_id} />
    </Page>
  )
}

type Props = { ticket: Ticket; isSupport: boolean; attachmentsLead?: string }

function TicketThread({ ticket, isSupport, attachmentsLead }: Props) {
  const nameOf = (fromSupport: boolean) =>
    fromSupport === isSupport ? strings.you : fromSupport ? strings.support : ticket.email
  return (
    <>
      <Section title={strings.message}>
        <p className="text-base break-words whitespace-pre-wrap">{ticket.message}</p>
      </Section>
      {ticket.attachments.length > 0 && (
        <Section title={strings.attachments} lead={attachmentsLead}>
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
      <Section title={strings.replies}>
        <ol aria-label={strings.replies} className="mb-4 grid gap-4 empty:hidden">
          {ticket.replies.map((reply) => (
            <li key={reply.reply_id} className="rounded-md bg-sunken px-3 py-2">
              <p className="text-xs text-faint">
                <span className="font-medium text-soft">{nameOf(reply.from_support)}</span> ·{' '}
                {formatTime(reply.created_at)}
              </p>
              <p className="mt-1 text-base break-words whitespace-pre-wrap">{reply.message}</p>
            </li>
          ))}
        </ol>
        <ReplyForm ticket={ticket} isSupport={isSupport} />
      </Section>
    </>
  )
}

function ReplyForm({ ticket, isSupport }: { ticket: Ticket; isSupport: boolean }) {
  const { user_id } = useMe()
  const { text: message, change, dropSent } = useKeptText(`kv-reply:${user_id}:${ticket.ticket_id}`, '')
  const field = useRef<HTMLTextAreaElement>(null)
  const attempt = useAttempt()
  const send = useMutation({
    mutationFn: (message: string) =>
      attempt(message, (options) =>
        call(
          'POST /api/v1/support/tickets/{ticket_id}/replies',
          { ticket_id: ticket.ticket_id, message },
          options,
        ),
      ),
    onSuccess: async (_, sent) => {
      dropSent(sent)
      // The button had the focus, and is disabled while the field is empty.
      field.current?.focus()
      toast(isSupport ? strings.sentToAuthor : strings.sent)
      await queryClient.invalidateQueries({ queryKey: ['tickets'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (message.trim() && !send.isPending) send.mutate(message)
  }
  const wrong = send.error instanceof ApiError ? send.error.field('message') : undefined
  return (
    <form className="grid max-w-form gap-3" onSubmit={submit}>
      <TextareaField
        ref={field}
        label={strings.yourReply}
        maxLength={20_000}
        hint={!isSupport && ticket.status === 'closed' ? strings.replyReopens : undefined}
        value={message}
        error={wrong}
        onChange={(event) => change(event.target.value)}
      />
      {!wrong && <FormError error={send.error} />}
      <div>
        <Button type="submit" look="primary" busy={send.isPending} disabled={!message.trim()}>
          {strings.sendReply}
        </Button>
      </div>
    </form>
  )
}
