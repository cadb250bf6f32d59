import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Bot, ChevronRight, History, MessageSquareText, ShieldCheck, StickyNote, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { turnParts } from '../../../../src/features/memory/turn-content.ts'
import { deleteEvent, type MemoryEvent } from '../../api/memory.ts'
import { cx } from '../../lib/cx.ts'
import { formatDay, formatTime, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { EmptyState, ErrorState, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import {
  eventQuery,
  memoryChanged,
  type ProjectPlace,
  type TimelineFilter,
  timelineQuery,
} from './memory-queries.ts'
import { type Entry, type Exchange, type Session, sessionsOf } from './timeline.ts'

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

type TimelineProps = {
  place: ProjectPlace
  filter: TimelineFilter
  onSession: (sessionId: string) => void
}

export function Timeline({ place, filter, onSession }: TimelineProps) {
  const timeline = useInfiniteQuery(timelineQuery(place, filter))
  const sessions = useMemo(
    () => sessionsOf(timeline.data?.pages.flatMap((page) => page.items) ?? []),
    [timeline.data],
  )
  // With a filter the server looks at a part of the project at a time: go on until something fits, or all was looked at.
  const looksFurther = sessions.length === 0 && timeline.hasNextPage && !timeline.isFetching
  const { fetchNextPage } = timeline
  useEffect(() => {
    if (looksFurther) void fetchNextPage()
  }, [looksFurther, fetchNextPage])
  if (timeline.error) return <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
  if (!timeline.data || (sessions.length === 0 && timeline.hasNextPage)) return <SkeletonList rows={5} />
  if (sessions.length === 0 && (filter.session || filter.type))
    return (
      <EmptyState icon={<History size={18} />} title="No such events">
        Nothing in this project fits the filter. Show all to see the rest.
      </EmptyState>
    )
  if (sessions.length === 0)
    return (
      <EmptyState
        icon={<History size={18} />}
        title="Nothing here yet"
        action={<LinkButton to="/connect">Connect your agent</LinkButton>}
      >
        Each session of an agent becomes an entry: what you asked, what it reported.
      </EmptyState>
    )
  return (
    <>
      <ol aria-label="Sessions" className="grid gap-8">
        {sessions.map((session, index) => (
          <SessionBlock
            key={session.id}
            session={session}
            isLatest={index === 0}
            onSession={filter.session ? undefined : onSession}
          />
        ))}
      </ol>
      {timeline.hasNextPage && (
        <div className="mt-6 border-t border-line pt-4">
          <Button busy={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </>
  )
}

type SessionProps = {
  session: Session
  isLatest: boolean
  onSession: ((sessionId: string) => void) | undefined
}

function SessionBlock({ session, isLatest, onSession }: SessionProps) {
  const headingId = useId()
  const sameDay = formatDay(session.startedAt) === formatDay(session.endedAt)
  return (
    <li aria-labelledby={headingId}>
      <div className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id={headingId} className="text-sm font-semibold">
          {formatDay(session.startedAt)}{' '}
          <span className="font-normal text-soft tabular-nums">
            {clock.format(new Date(session.startedAt))}
            {formatTime(session.startedAt) !== formatTime(session.endedAt) &&
              `–${sameDay ? clock.format(new Date(session.endedAt)) : formatTime(session.endedAt)}`}
          </span>
        </h2>
        {session.clients.map((client) => (
          <Badge key={client}>{client}</Badge>
        ))}
        {session.sessionId && (
          <span className="max-w-40 truncate font-mono text-xs text-faint" title={session.sessionId}>
            {session.sessionId}
          </span>
        )}
        {session.sessionId && onSession && (
          <Button look="ghost" size="sm" onClick={() => onSession(session.sessionId ?? '')}>
            Only this session
          </Button>
        )}
      </div>
      <ol className="grid border-l border-line">
        {session.exchanges.toReversed().map((exchange, index) => (
          <ExchangeRow key={exchange.id} exchange={exchange} startsOpen={isLatest && index === 0} />
        ))}
      </ol>
    </li>
  )
}

const firstEvent = (exchange: Exchange) => (exchange.message ?? exchange.report)?.event ?? exchange.notes[0]

function ExchangeRow({ exchange, startsOpen }: { exchange: Exchange; startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  const panelId = useId()
  const first = firstEvent(exchange)
  if (!first) return null
  const redacted = eventsOf(exchange)
    .flatMap((event) => event.redactions)
    .reduce((sum, { count }) => sum + count, 0)
  const { message } = exchange
  const isSaidByHeadline =
    message && !message.event.truncated && message.text.trim() === plainLine(message.text)
  const headline = exchange.message?.text ?? first.title ?? exchange.report?.text ?? first.content
  return (
    <li className="relative -ml-px border-l-2 border-transparent pl-4 has-[>button[aria-expanded=true]]:border-accent">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
        className="flex w-full items-start gap-2 rounded-md px-2 py-2 text-left transition-colors hover:bg-hover"
      >
        <ChevronRight
          size={16}
          aria-hidden
          className={cx('mt-0.5 shrink-0 text-faint transition-transform', open && 'rotate-90')}
        />
        <span className="min-w-0 grow">
          <span className={cx('block text-sm font-medium', !open && 'line-clamp-2')}>
            {plainLine(headline)}
          </span>
          {!open && exchange.message && exchange.report && (
            <span className="mt-0.5 flex items-start gap-1.5 text-sm text-soft">
              <Bot size={14} aria-label="Agent" className="mt-1 shrink-0 text-faint" />
              <span className="line-clamp-2">{plainLine(exchange.report.text)}</span>
            </span>
          )}
          <span className="mt-1 flex flex-wrap gap-1 empty:hidden">
            {exchange.notes.map((note) => (
              <Badge key={note.raw_id} icon={<StickyNote size={12} aria-hidden />}>
                {noteName(note)}
              </Badge>
            ))}
            {redacted > 0 && (
              <Badge tone="ok" icon={<ShieldCheck size={12} aria-hidden />}>
                {plural(redacted, 'secret')} removed
              </Badge>
            )}
          </span>
        </span>
        <time
          dateTime={first.created_at}
          title={formatTime(first.created_at)}
          className="shrink-0 text-xs leading-5 text-faint tabular-nums"
        >
          {clock.format(new Date(first.created_at))}
        </time>
      </button>
      {open && (
        <div id={panelId} className="grid animate-enter gap-4 pt-1 pr-2 pb-5 pl-8">
          {exchange.message && !isSaidByHeadline && (
            <Said
              who="You"
              icon={<MessageSquareText size={14} aria-hidden />}
              entry={exchange.message}
              side="message"
            >
              {(text) => <p className="text-base whitespace-pre-wrap">{text}</p>}
            </Said>
          )}
          {exchange.report && (
            <Said who="Agent" icon={<Bot size={14} aria-hidden />} entry={exchange.report} side="report">
              {(text) => <LazyMarkdown>{text}</LazyMarkdown>}
            </Said>
          )}
          {exchange.notes.map((note) => (
            <Said
              key={note.raw_id}
              who={noteName(note)}
              icon={<StickyNote size={14} aria-hidden />}
              entry={{ event: note, text: note.content }}
              side="note"
            >
              {(text) => <LazyMarkdown>{text}</LazyMarkdown>}
            </Said>
          ))}
          <DeleteEvents events={eventsOf(exchange)} />
        </div>
      )}
    </li>
  )
}

const eventsOf = (exchange: Exchange) => [
  ...new Map(
    [exchange.message?.event, exchange.report?.event, ...exchange.notes].flatMap((event) =>
      event ? [[event.raw_id, event] as const] : [],
    ),
  ).values(),
]

/** A closed line shows words, not the signs of Markdown. */
const plainLine = (text: string) =>
  text
    .replace(/```\w*|[`*]{1,2}(?=\S)|(?<=\S)[`*]{1,2}|^\s*(?:#{1,6}|[-*>])\s+/gm, '')
    .replace(/\s+/g, ' ')
    .trim()

const noteNames: Record<string, string> = {
  project_facts: 'Facts',
  project_preferences: 'Preferences',
  user_preferences: 'Your preferences',
}
const noteName = (event: MemoryEvent) =>
  event.event_type === 'summary' ? 'Summary' : (noteNames[String(event.meta?.fact_kind)] ?? 'Facts')

type SaidProps = {
  who: string
  icon: ReactNode
  entry: Entry
  side: 'message' | 'report' | 'note'
  children: (text: string) => ReactNode
}

/** One side of an exchange. A text that was cut in the list is read in full before it shows. */
function Said({ who, icon, entry, side, children }: SaidProps) {
  const whole = useQuery({ ...eventQuery(entry.event.raw_id), enabled: entry.event.truncated })
  const text = whole.data ? textOf(whole.data, side) : entry.text
  return (
    <section aria-label={who} className="grid gap-1">
      <div className="flex items-center gap-1.5 text-xs text-faint">
        {icon}
        <span className="grow">{who}</span>
        <CopyButton text={text} label={`Copy: ${who}`} />
      </div>
      <div className="min-w-0 break-words">{children(text)}</div>
      {whole.isFetching && <p className="text-xs text-faint">Reading the rest …</p>}
      {whole.error && <p className="text-xs text-bad">The rest did not load. {whole.error.message}</p>}
    </section>
  )
}

function textOf(event: MemoryEvent, side: SaidProps['side']): string {
  if (event.event_type !== 'turn') return event.content
  const parts = turnParts(event.content)
  return (side === 'message' ? parts.message : parts.report) ?? ''
}

function DeleteEvents({ events }: { events: MemoryEvent[] }) {
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: async () => {
      for (const event of events) await deleteEvent({ raw_id: event.raw_id })
    },
    onSuccess: () => toast(`${plural(events.length, 'event')} deleted.`),
    onError: toastError,
    onSettled: async () => {
      setAsking(false)
      await memoryChanged()
    },
  })
  return (
    <div>
      <Button look="ghost" size="sm" onClick={() => setAsking(true)}>
        <Trash2 size={14} aria-hidden />
        Delete from memory
      </Button>
      {asking && (
        <ConfirmDialog
          open
          title="Delete from memory"
          action={`Delete ${plural(events.length, 'event')}`}
          busy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate()}
        >
          <p>
            This removes {plural(events.length, 'event')} for good: the text, and what search knows of it.
            Agents no longer read it. It cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
