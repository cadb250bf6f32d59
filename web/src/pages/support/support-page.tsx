import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { ChevronRight, CircleCheck, LifeBuoy, Paperclip, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiError, requestJson, type SendOptions } from '../../api/client.ts'
import { useAttempt } from '../../api/query.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { formatAgo } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe, useShowsCredits, useSignedIn } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField, TextareaField, TextField } from '../../ui/field.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, FormError, Notice, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Chat } from './chat.tsx'
import * as strings from './strings.ts'
import { fileProblem, fileSize, MAX_FILES, MY_TICKETS_A_PAGE, myTicketsQuery } from './tickets.ts'

const route = getRouteApi('/app/support')

export function SupportPage() {
  const me = useMe()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title={strings.support}
      lead={strings.supportLead}
      narrow
      actions={me.is_admin && <LinkButton to="/admin/tickets">{strings.allTickets}</LinkButton>}
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
      <EmptyState icon={<LifeBuoy size={18} />} title={strings.noTicketsYet}>
        {strings.noTicketsHint}
      </EmptyState>
    )
  return (
    <>
      <ul aria-label={strings.myTickets} className="divide-y divide-line border-y border-line">
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
                    ` · ${ticket.reply_count === 1 ? strings.oneReply : `${ticket.reply_count} replies`}`}
                </span>
              </span>
              <Badge tone={ticket.status === 'open' ? 'accent' : 'neutral'}>
                {ticket.status === 'open' ? strings.openLabel : strings.closed}
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

const helpRoute = getRouteApi('/open/help')

export function HelpPage() {
  const me = useSignedIn()
  const { tab } = helpRoute.useSearch()
  const navigate = helpRoute.useNavigate()
  if (me) return <Navigate to="/support" search={{ tab }} replace />
  return (
    <main>
      <Page
        title={strings.help}
        lead={strings.supportLead}
        narrow
        back={
          <Link to="/sign-in" className="inline-flex items-center gap-2 rounded-sm font-semibold">
            <Logo />
            {strings.knowledgeVault}
          </Link>
        }
      >
        <Support
          email=""
          tab={tab ?? 'chat'}
          onTab={(next) =>
            void navigate({ search: { tab: next === 'ticket' ? next : undefined }, replace: true })
          }
        />
      </Page>
    </main>
  )
}

type SupportTab = 'chat' | 'ticket' | 'mine'

type Props = {
  email: string
  tab: SupportTab
  onTab: (tab: SupportTab) => void
  mine?: ReactNode
}

/** The last chat question starts the message of a ticket. */
function Support({ email, tab, onTab, mine }: Props) {
  const [asked, setAsked] = useState('')
  return (
    <Tabs<SupportTab>
      label={strings.support}
      value={tab}
      onChange={onTab}
      tabs={[
        {
          value: 'chat',
          label: strings.ask,
          keep: true,
          content: <Chat onAsked={setAsked} onTicket={() => onTab('ticket')} />,
        },
        {
          value: 'ticket',
          label: strings.writeToUs,
          keep: true,
          content: <TicketForm email={email} asked={asked} />,
        },
        ...(mine ? [{ value: 'mine' as const, label: strings.myTickets, content: mine }] : []),
      ]}
    />
  )
}

const CATEGORIES = [
  { value: 'question', label: strings.aQuestion },
  { value: 'bug', label: strings.somethingDoesNotWork },
  { value: 'billing', label: strings.billing },
  { value: 'account', label: strings.myAccount },
  { value: 'other', label: strings.somethingElse },
]

const FIRST_CATEGORY = 'question'

const asText = ([name, value]: [string, FormDataEntryValue]) =>
  value instanceof File ? [name, value.name, value.size, value.lastModified] : [name, value]

function TicketForm({ email: known, asked }: { email: string; asked: string }) {
  const [email, setEmail] = useState(known)
  const userId = useSignedIn()?.user_id
  const showsCredits = useShowsCredits()
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
    for (const [name, value] of Object.entries({ email, subject, message })) form.set(name, value.trim())
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
          label={strings.yourEmailAddress}
          type="email"
          required
          autoComplete="email"
          value={email}
          error={fault('email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label={strings.about}
          value={category}
          onChange={(event) => setCategory(event.target.value)}
        >
          {CATEGORIES.filter((one) => showsCredits || one.value !== 'billing').map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label={strings.subject}
        required
        autoFocus={isAnother}
        maxLength={200}
        value={subject}
        error={fault('subject')}
        onChange={(event) => setSubject(event.target.value)}
      />
      <TextareaField
        label={strings.message}
        required
        rows={6}
        maxLength={20_000}
        hint={strings.messageHint}
        value={message}
        error={fault('message')}
        onChange={(event) => [setWritten(true), change(event.target.value)]}
      />
      <Attachments files={files} problem={problem} onChange={attach} />
      {/* A page cannot keep files like texts. */}
      {named && files.length === 0 && <Notice tone="warn">{strings.attachAgain(named)}</Notice>}
      <FormError error={send.error} />
      <div>
        <Button type="submit" look="primary" busy={send.isPending} disabled={Boolean(problem)}>
          {strings.send}
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
        aria-label={strings.attachFiles}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => add(event.target.files)}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => input.current?.click()} disabled={files.length >= MAX_FILES}>
          <Paperclip size={14} aria-hidden />
          {strings.attachFiles}
        </Button>
        <span className="text-xs text-faint">{strings.attachmentLimit}</span>
      </div>
      {files.length > 0 && (
        <ul aria-label={strings.attachments} className="divide-y divide-line rounded-md border border-line">
          {files.map((file, index) => (
            <li
              key={`${file.name} ${file.size} ${file.lastModified}`}
              className="flex items-center gap-2 py-1 pr-1 pl-3 text-sm"
            >
              <span className="min-w-0 grow truncate">{file.name}</span>
              <span className="text-xs text-faint tabular-nums">{fileSize(file.size)}</span>
              <IconButton
                label={strings.removeFile(file.name)}
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
        {strings.messageReceived}
      </p>
      <p className="text-sm text-soft">{strings.personAnswers(email)}</p>
      <p className="flex items-center gap-1 font-mono text-xs">
        {ticket.ticket_id}
        <CopyButton text={ticket.ticket_id} label={strings.copyTicketNumber} />
      </p>
      <Button onClick={onAnother}>{strings.writeAnother}</Button>
    </div>
  )
}

type TicketReceipt = { ticket_id: string; status: 'open'; created_at: string }

/** Multipart: the browser sets the content type with its boundary. */
const sendTicket = (form: FormData, options: SendOptions): Promise<TicketReceipt> =>
  requestJson('/api/v1/support/tickets', { method: 'POST', body: form, ...options })
