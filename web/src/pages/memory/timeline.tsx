import { useInfiniteQuery } from '@tanstack/react-query'
import { Bot, ChevronRight, History, MessageSquareText, ShieldCheck, StickyNote, X } from 'lucide-react'
import { useEffect, useId, useMemo, useState } from 'react'
import { turnParts } from '#server/shared/memory.ts'
import type { MemoryEvent } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatClock, formatDay, formatTime, plainLine, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { EmptyState, FormError, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { CommitsBlock } from './commits.tsx'
import { type Entry, ExchangeText, MakeCard } from './event-page.tsx'
import { DeleteEvents, MarkBadges, MarkEvents } from './mark-events.tsx'
import {
  type Commit,
  commitsQuery,
  type ProjectName,
  type TimelineFilter,
  timelineQuery,
} from './memory-queries.ts'
import { TIMELINE_TYPES, type TimelineType } from './routes.ts'
import * as strings from './strings.ts'

type TimelineProps = {
  project: ProjectName
  filter: TimelineFilter
  onSession: (sessionId: string) => void
}

/** Conversations and what the repository says, the newest first. */
export function Timeline({ project, filter, onSession }: TimelineProps) {
  const { blocks, isLoaded, missing, hasOlder, isFetchingOlder, errorOfOlder, showOlder } = useTimeline(
    project,
    filter,
  )
  if (!isLoaded)
    return (
      <NotLoaded query={missing}>
        <SkeletonList rows={5} />
      </NotLoaded>
    )
  if (blocks.length === 0 && (filter.session || filter.type))
    return (
      <EmptyState icon={<History size={18} />} title={strings.noSuchEvents}>
        {strings.nothingFitsFilter}
      </EmptyState>
    )
  if (blocks.length === 0)
    return (
      <EmptyState
        icon={<History size={18} />}
        title={strings.nothingHereYet}
        action={<LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>}
      >
        {strings.timelineHint}
      </EmptyState>
    )
  const latest = blocks.find((block) => 'session' in block)
  return (
    <>
      <ol aria-label={strings.timeline} className="grid gap-8">
        {blocks.map((block) =>
          'session' in block ? (
            <SessionBlock
              key={block.session.id}
              session={block.session}
              isLatest={block === latest}
              onSession={filter.session ? undefined : onSession}
            />
          ) : (
            <CommitsBlock key={block.commits[0]?.commit_id} commits={block.commits} />
          ),
        )}
      </ol>
      {hasOlder && (
        <div className="mt-6 border-t border-line pt-4">
          <Button busy={isFetchingOlder} onClick={showOlder}>
            {strings.showOlder}
          </Button>
          {errorOfOlder && <FormError error={errorOfOlder} />}
        </div>
      )}
    </>
  )
}

/** Reads both sources of the timeline, as far as the filter asks for them. */
function useTimeline(project: ProjectName, { session, type }: TimelineFilter) {
  const asksEvents = type !== 'commit'
  const asksCommits = session === undefined && (type === undefined || type === 'commit')
  const eventPages = useInfiniteQuery({
    ...timelineQuery(project, { session, type: type === 'commit' ? undefined : type }),
    enabled: asksEvents,
  })
  const commitPages = useInfiniteQuery({ ...commitsQuery(project), enabled: asksCommits })
  const events = useMemo(
    () => (asksEvents ? (eventPages.data?.pages.flatMap((page) => page.items) ?? []) : []),
    [asksEvents, eventPages.data],
  )
  const commits = asksCommits ? (commitPages.data?.pages.flatMap((page) => page.commits) ?? []) : []
  const sessions = useMemo(() => sessionsOf(events), [events])
  // With a filter the server reads a part of the project at a time: continue until something fits.
  const { fetchNextPage, hasNextPage, isFetching, isFetchNextPageError } = eventPages
  const looksFurther = asksEvents && sessions.length === 0 && hasNextPage
  useEffect(() => {
    if (looksFurther && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [looksFurther, isFetching, isFetchNextPageError, fetchNextPage])
  const ends = {
    events: asksEvents && eventPages.hasNextPage ? events.at(-1)?.created_at : undefined,
    commits: asksCommits && commitPages.hasNextPage ? commits.at(-1)?.committed_at : undefined,
  }
  const end = endOfBoth(ends)
  // Older ones of the other source wait until this one has been read as far.
  const behind =
    end === undefined
      ? []
      : [...(ends.events === end ? [eventPages] : []), ...(ends.commits === end ? [commitPages] : [])]
  return {
    blocks: blocksOf(sessions, commits, end),
    isLoaded: (!asksEvents || (eventPages.data && !looksFurther)) && (!asksCommits || commitPages.data),
    missing: asksEvents && (!eventPages.data || looksFurther) ? eventPages : commitPages,
    hasOlder: behind.length > 0,
    isFetchingOlder: behind.some((pages) => pages.isFetchingNextPage),
    errorOfOlder: behind.find((pages) => pages.isFetchNextPageError)?.error,
    showOlder: () => {
      for (const pages of behind) void pages.fetchNextPage()
    },
  }
}

type Ends = { events: string | undefined; commits: string | undefined }

/** The time down to which both sources are known; undefined if both are whole. */
const endOfBoth = ({ events, commits }: Ends): string | undefined =>
  events && commits ? (events > commits ? events : commits) : (events ?? commits)

type Block = { session: Session } | { commits: Commit[] }

/** Puts commits between the sessions, the newest first, down to the time that both are known for. */
export function blocksOf(
  sessions: readonly Session[],
  commits: readonly Commit[],
  end: string | undefined,
): Block[] {
  const blocks: Block[] = []
  let next = 0
  const addCommits = (isNewer: (commit: Commit) => boolean) => {
    const first = next
    while (next < commits.length && isNewer(commits[next] as Commit)) next++
    if (next > first) blocks.push({ commits: commits.slice(first, next) })
  }
  for (const session of sessions) {
    if (end !== undefined && session.endedAt < end) break
    addCommits(({ committed_at }) => committed_at > session.endedAt)
    blocks.push({ session })
  }
  addCommits(({ committed_at }) => end === undefined || committed_at >= end)
  return blocks
}

type Props = { filter: TimelineFilter; onChange: (filter: TimelineFilter) => void }

export function TimelineFilterBar({ filter, onChange }: Props) {
  const isNarrowed = filter.session !== undefined || filter.type !== undefined
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <Select
        aria-label={strings.typeOfEvents}
        className="w-52"
        value={filter.type ?? ''}
        onChange={(event) =>
          onChange({ ...filter, type: (event.target.value || undefined) as TimelineType | undefined })
        }
      >
        <option value="">{strings.allTypes}</option>
        {Object.entries(TIMELINE_TYPES).map(([type, label]) => (
          <option key={type} value={type}>
            {label}
          </option>
        ))}
      </Select>
      {filter.session && (
        <span className="max-w-64 truncate text-sm text-soft" title={filter.session}>
          {strings.sessionBefore}
          <span className="font-mono text-xs">{filter.session}</span>
        </span>
      )}
      {isNarrowed && (
        <Button look="ghost" size="sm" onClick={() => onChange({})}>
          <X size={14} aria-hidden />
          {strings.showAll}
        </Button>
      )}
    </div>
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
            {formatClock(session.startedAt)}
            {formatTime(session.startedAt) !== formatTime(session.endedAt) &&
              `–${sameDay ? formatClock(session.endedAt) : formatTime(session.endedAt)}`}
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
            {strings.onlyThisSession}
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

function ExchangeRow({ exchange, startsOpen }: { exchange: Exchange; startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  const panelId = useId()
  const first = eventsOf(exchange)[0]
  if (!first) return null
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
        <ExchangeLine exchange={exchange} open={open} />
        <time
          dateTime={first.created_at}
          title={formatTime(first.created_at)}
          className="shrink-0 text-xs leading-5 text-faint tabular-nums"
        >
          {formatClock(first.created_at)}
        </time>
      </button>
      {open && <ExchangePanel exchange={exchange} id={panelId} />}
    </li>
  )
}

function ExchangeLine({ exchange, open }: { exchange: Exchange; open: boolean }) {
  return (
    <span className="min-w-0 grow">
      <span className={cx('block text-sm font-medium', !open && 'line-clamp-2')}>{headlineOf(exchange)}</span>
      {!open && exchange.message && exchange.report && (
        <span className="mt-0.5 flex items-start gap-1.5 text-sm text-soft">
          <Bot size={14} aria-label={strings.agent} className="mt-1 shrink-0 text-faint" />
          <span className="line-clamp-2">{plainLine(exchange.report.text)}</span>
        </span>
      )}
      <ExchangeBadges exchange={exchange} />
    </span>
  )
}

function ExchangeBadges({ exchange }: { exchange: Exchange }) {
  const removed = secretsRemoved(exchange)
  return (
    <span className="mt-1 flex flex-wrap gap-1 empty:hidden">
      <MarkBadges events={eventsOf(exchange)} />
      {exchange.notes.map((note) => (
        <Badge key={note.raw_id} icon={<StickyNote size={12} aria-hidden />}>
          {noteName(note)}
        </Badge>
      ))}
      {removed > 0 && (
        <Badge tone="ok" icon={<ShieldCheck size={12} aria-hidden />}>
          {strings.secretsRemovedCount(plural(removed, 'secret'))}
        </Badge>
      )}
    </span>
  )
}

function ExchangePanel({ exchange, id }: { exchange: Exchange; id: string }) {
  return (
    <div id={id} className="grid animate-enter gap-4 pt-1 pr-2 pb-5 pl-8">
      {exchange.message && !isHeadlineWholeMessage(exchange) && (
        <ExchangeText
          who={strings.you}
          icon={<MessageSquareText size={14} aria-hidden />}
          entry={exchange.message}
          side="message"
        >
          {(text) => <p className="text-base whitespace-pre-wrap">{text}</p>}
        </ExchangeText>
      )}
      {exchange.report && (
        <ExchangeText
          who={strings.agent}
          icon={<Bot size={14} aria-hidden />}
          entry={exchange.report}
          side="report"
        >
          {(text) => <LazyMarkdown>{text}</LazyMarkdown>}
        </ExchangeText>
      )}
      {exchange.notes.map((note) => (
        <ExchangeText
          key={note.raw_id}
          who={noteName(note)}
          icon={<StickyNote size={14} aria-hidden />}
          entry={{ event: note, text: note.content }}
          side="note"
        >
          {(text) => <LazyMarkdown>{text}</LazyMarkdown>}
        </ExchangeText>
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <MakeCard rawIds={rawIdsOf(exchange)} />
        <MarkEvents events={eventsOf(exchange)} />
        <DeleteEvents events={eventsOf(exchange)} />
      </div>
    </div>
  )
}

/** Returns each event once; message and report of a turn are one event. */
export const eventsOf = (exchange: Exchange): MemoryEvent[] => [
  ...new Map(
    [exchange.message?.event, exchange.report?.event, ...exchange.notes].flatMap((event) =>
      event ? [[event.raw_id, event] as const] : [],
    ),
  ).values(),
]

const MAX_EVENTS_OF_A_CARD = 11

/** Message and report first, then as many notes as a card can have. */
const rawIdsOf = (exchange: Exchange): [string, ...string[]] => {
  const [first = exchange.id, ...others] = eventsOf(exchange).map((event) => event.raw_id)
  return [first, ...others.slice(0, MAX_EVENTS_OF_A_CARD - 1)]
}

/** Returns the message, else the title or text of the first event. */
export function headlineOf(exchange: Exchange): string {
  const first = eventsOf(exchange)[0]
  return plainLine(exchange.message?.text ?? first?.title ?? exchange.report?.text ?? first?.content ?? '')
}

export const isHeadlineWholeMessage = ({ message }: Exchange): boolean =>
  message !== null && !message.event.truncated && message.text.trim() === plainLine(message.text)

export const secretsRemoved = (exchange: Exchange): number =>
  eventsOf(exchange)
    .flatMap((event) => event.redactions)
    .reduce((sum, { count }) => sum + count, 0)

const NOTE_NAMES: Record<string, string> = {
  project_facts: strings.facts,
  project_preferences: strings.preferences,
  user_preferences: strings.yourPreferences,
}

export const noteName = (event: MemoryEvent): string =>
  event.event_type === 'summary'
    ? strings.summary
    : (NOTE_NAMES[String(event.meta?.fact_kind)] ?? strings.facts)

export type Exchange = { id: string; message: Entry | null; report: Entry | null; notes: MemoryEvent[] }

type Session = {
  /** Stable while events arrive: sessions without an id are counted from the latest. */
  id: string
  sessionId: string | null
  clients: string[]
  startedAt: string
  endedAt: string
  exchanges: Exchange[]
}

/** Events without a session id belong together while pauses are shorter. */
const PAUSE_MS = 30 * 60_000

/** Groups events, newest first, into sessions, the latest session first. */
export function sessionsOf(events: readonly MemoryEvent[]): Session[] {
  const oldestFirst = events.toReversed()
  const groups: { key: string | null; events: MemoryEvent[] }[] = []
  const named = new Map<string, { key: string; events: MemoryEvent[] }>()
  for (const event of oldestFirst) {
    if (event.session_id) {
      const group = named.get(event.session_id) ?? { key: event.session_id, events: [] }
      if (!named.has(event.session_id)) groups.push(group)
      named.set(event.session_id, group)
      group.events.push(event)
      continue
    }
    const open = groups.findLast((group) => group.key === null)
    const last = open?.events.at(-1)
    if (open && last && Date.parse(event.created_at) - Date.parse(last.created_at) < PAUSE_MS)
      open.events.push(event)
    else groups.push({ key: null, events: [event] })
  }
  const unnamed = groups.filter(({ key }) => key === null)
  return groups
    .map((group) => sessionOf(group, group.key ?? `without-${unnamed.length - unnamed.indexOf(group)}`))
    .toSorted((a, b) => (a.endedAt < b.endedAt ? 1 : a.endedAt > b.endedAt ? -1 : 0))
}

function sessionOf({ key, events }: { key: string | null; events: MemoryEvent[] }, id: string): Session {
  const first = events[0] as MemoryEvent
  const last = events.at(-1) as MemoryEvent
  return {
    id,
    sessionId: key,
    clients: [...new Set(events.flatMap((event) => event.client ?? []))],
    startedAt: first.created_at,
    endedAt: last.created_at,
    exchanges: exchangesOf(events),
  }
}

/** A message opens an exchange, the next report closes it; notes belong to the exchange before them. */
function exchangesOf(events: readonly MemoryEvent[]): Exchange[] {
  const exchanges: Exchange[] = []
  let open: Exchange | null = null
  const begin = (event: MemoryEvent): Exchange => {
    const exchange: Exchange = { id: event.raw_id, message: null, report: null, notes: [] }
    exchanges.push(exchange)
    return exchange
  }
  for (const event of events) {
    switch (event.event_type) {
      case 'user_message':
        open = begin(event)
        open.message = { event, text: event.content }
        break
      case 'agent_report':
        open = open && !open.report ? open : begin(event)
        open.report = { event, text: event.content }
        break
      case 'turn': {
        open = begin(event)
        const { message, report } = turnParts(event.content)
        open.message = message === null ? null : { event, text: message }
        open.report = report === null ? null : { event, text: report }
        break
      }
      default:
        open ??= begin(event)
        open.notes.push(event)
    }
  }
  return exchanges
}
