import { useMutation } from '@tanstack/react-query'
import { Paperclip } from 'lucide-react'
import { type FormEvent, useRef } from 'react'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { replyToTicket, type Ticket } from '../../api/tickets.ts'
import { useAttempt } from '../../api/use-attempt.ts'
import { formatTime } from '../../lib/format.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useMe } from '../../session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { fileSize } from './ticket-rules.ts'

type Props = { ticket: Ticket; isSupport: boolean; attachmentsLead?: string }

/** What was said, oldest first, and the box to answer in. */
export function TicketThread({ ticket, isSupport, attachmentsLead }: Props) {
  const nameOf = (fromSupport: boolean) =>
    fromSupport === isSupport ? 'You' : fromSupport ? 'Support' : ticket.email
  return (
    <>
      <Section title="Message">
        <p className="text-base break-words whitespace-pre-wrap">{ticket.message}</p>
      </Section>
      {ticket.attachments.length > 0 && (
        <Section title="Attachments" lead={attachmentsLead}>
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
      <Section title="Replies">
        <ol aria-label="Replies" className="mb-4 grid gap-4 empty:hidden">
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
      attempt(message, (options) => replyToTicket({ ticket_id: ticket.ticket_id, message }, options)),
    onSuccess: async (_, sent) => {
      dropSent(sent)
      // The button had the focus, and is disabled while there is nothing to send.
      field.current?.focus()
      toast(isSupport ? 'Sent to the author.' : 'Sent.')
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
        label="Your reply"
        maxLength={20_000}
        hint={!isSupport && ticket.status === 'closed' ? 'A reply opens the ticket again.' : undefined}
        value={message}
        error={wrong}
        onChange={(event) => change(event.target.value)}
      />
      {!wrong && <FormError error={send.error} />}
      <div>
        <Button type="submit" look="primary" busy={send.isPending} disabled={!message.trim()}>
          Send reply
        </Button>
      </div>
    </form>
  )
}
