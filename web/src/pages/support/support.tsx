import { useMutation } from '@tanstack/react-query'
import { CircleCheck, Paperclip, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError, requestJson, type SendOptions } from '../../api/client.ts'
import { useAttempt } from '../../api/use-attempt.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useSignedIn } from '../../session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField, TextareaField, TextField } from '../../ui/field.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Chat } from './chat.tsx'
import { fileProblem, fileSize, MAX_FILES } from './tickets.ts'

type SupportTab = 'chat' | 'ticket' | 'mine'

type Props = {
  email: string
  tab: SupportTab
  onTab: (tab: SupportTab) => void
  mine?: ReactNode
}

/** The last chat question starts the message of a ticket. */
export function Support({ email, tab, onTab, mine }: Props) {
  const [asked, setAsked] = useState('')
  return (
    <Tabs<SupportTab>
      label="Support"
      value={tab}
      onChange={onTab}
      tabs={[
        {
          value: 'chat',
          label: 'Ask',
          keep: true,
          content: <Chat onAsked={setAsked} onTicket={() => onTab('ticket')} />,
        },
        {
          value: 'ticket',
          label: 'Write to us',
          keep: true,
          content: <TicketForm email={email} asked={asked} />,
        },
        ...(mine ? [{ value: 'mine' as const, label: 'My tickets', content: mine }] : []),
      ]}
    />
  )
}

const CATEGORIES = [
  { value: 'question', label: 'A question' },
  { value: 'bug', label: 'Something does not work' },
  { value: 'billing', label: 'Billing' },
  { value: 'account', label: 'My account' },
  { value: 'other', label: 'Something else' },
]

const FIRST_CATEGORY = 'question'

const asText = ([name, value]: [string, FormDataEntryValue]) =>
  value instanceof File ? [name, value.name, value.size, value.lastModified] : [name, value]

function TicketForm({ email: known, asked }: { email: string; asked: string }) {
  const [email, setEmail] = useState(known)
  const userId = useSignedIn()?.user_id
  const keptAs = userId && `kv-ticket:${userId}:`
  const {
    text: subject,
    change: setSubject,
    dropSent: dropSubject,
  } = useKeptText(keptAs && `${keptAs}subject`, '')
  const { text: category, change: setCategory } = useKeptText(keptAs && `${keptAs}category`, FIRST_CATEGORY)
  const { text, change, dropSent } = useKeptText(keptAs, '')
  const [isWritten, setWritten] = useState(text !== '')
  const message = isWritten ? text : asked
  const [files, setFiles] = useState<readonly File[]>([])
  const { text: named, change: setNamed } = useKeptText(keptAs && `${keptAs}files`, '')
  const [isAnother, setAnother] = useState(false)
  const attempt = useAttempt()
  const send = useMutation({
    mutationFn: ({ form }: { form: FormData; written: string; about: string }) =>
      attempt([...form].map(asText), (options) => sendTicket(form, options)),
    // Later typing stays.
    onSuccess: (_ticket, { written, about }) => [
      dropSent(written),
      dropSubject(about),
      setNamed(''),
      setCategory(FIRST_CATEGORY),
    ],
  })
  const problem = fileProblem(files)
  const attach = (next: readonly File[]) => {
    setFiles(next)
    setNamed(next.map((file) => file.name).join(', '))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const form = new FormData()
    form.set('email', email.trim())
    form.set('subject', subject.trim())
    form.set('message', message.trim())
    form.set('category', category)
    for (const file of files) form.append('attachments', file)
    send.mutate({ form, written: text, about: subject })
  }
  if (send.data)
    return (
      <Sent
        ticket={send.data}
        email={email}
        onAnother={() => [send.reset(), setWritten(true), setFiles([]), setAnother(true)]}
      />
    )
  const fault = (field: string) => (send.error instanceof ApiError ? send.error.field(field) : undefined)
  return (
    <form className="grid max-w-form gap-4" onSubmit={submit}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Your e-mail address"
          type="email"
          required
          autoComplete="email"
          value={email}
          error={fault('email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField label="About" value={category} onChange={(event) => setCategory(event.target.value)}>
          {CATEGORIES.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label="Subject"
        required
        autoFocus={isAnother}
        maxLength={200}
        value={subject}
        error={fault('subject')}
        onChange={(event) => setSubject(event.target.value)}
      />
      <TextareaField
        label="Message"
        required
        rows={6}
        maxLength={20_000}
        hint="What you did, what happened, what you expected. A request id helps; secrets do not."
        value={message}
        error={fault('message')}
        onChange={(event) => [setWritten(true), change(event.target.value)]}
      />
      <Attachments files={files} problem={problem} onChange={attach} />
      {/** A page cannot keep files as it keeps texts. */}
      {named && files.length === 0 && <Notice tone="warn">Attach these files again: {named}.</Notice>}
      <FormError error={send.error} />
      <div>
        <Button type="submit" look="primary" busy={send.isPending} disabled={Boolean(problem)}>
          Send
        </Button>
      </div>
    </form>
  )
}

type AttachmentsProps = {
  files: readonly File[]
  problem: string | undefined
  onChange: (files: readonly File[]) => void
}

function Attachments({ files, problem, onChange }: AttachmentsProps) {
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const add = (chosen: FileList | null) => {
    onChange([...files, ...(chosen ?? [])])
    if (input.current) input.current.value = ''
  }
  return (
    <div ref={box} className="grid gap-2">
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Attach files"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => add(event.target.files)}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => input.current?.click()} disabled={files.length >= MAX_FILES}>
          <Paperclip size={14} aria-hidden />
          Attach files
        </Button>
        <span className="text-xs text-faint">Up to 5 files of 10 MB.</span>
      </div>
      {files.length > 0 && (
        <ul aria-label="Attachments" className="divide-y divide-line rounded-md border border-line">
          {files.map((file, index) => (
            <li
              key={`${file.name} ${file.size} ${file.lastModified}`}
              className="flex items-center gap-2 py-1 pr-1 pl-3 text-sm"
            >
              <span className="min-w-0 grow truncate">{file.name}</span>
              <span className="text-xs text-faint tabular-nums">{fileSize(file.size)}</span>
              <IconButton
                label={`Remove ${file.name}`}
                onClick={(event) => {
                  neighbourGetsFocus(event.currentTarget, () => (box.current ? [box.current] : []))
                  onChange(files.toSpliced(index, 1))
                }}
              >
                <X size={14} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

function Sent({ ticket, email, onAnother }: { ticket: TicketReceipt; email: string; onAnother: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <div
      ref={box}
      role="status"
      tabIndex={-1}
      className="grid animate-enter justify-items-start gap-3 py-4 focus:outline-none"
    >
      <p className="flex items-center gap-2 text-base font-semibold">
        <CircleCheck size={18} aria-hidden className="text-ok" />
        We have your message
      </p>
      <p className="text-sm text-soft">A person answers to {email}. Quote this number if you write again:</p>
      <p className="flex items-center gap-1 font-mono text-xs">
        {ticket.ticket_id}
        <CopyButton text={ticket.ticket_id} label="Copy ticket number" />
      </p>
      <Button onClick={onAnother}>Write another</Button>
    </div>
  )
}

type TicketReceipt = { ticket_id: string; status: 'open'; created_at: string }

/** Multipart: the browser sets the content type with its boundary. */
const sendTicket = (form: FormData, options: SendOptions): Promise<TicketReceipt> =>
  requestJson('/api/v1/support/tickets', { method: 'POST', body: form, ...options })
