import { turnParts } from '#server/shared/memory.ts'
import type { MemoryEvent } from '../../../api/memory.ts'

/** One exchange: what the person asked, what the agent reported, and what was noted down along the way. */
export type Exchange = { id: string; message: Entry | null; report: Entry | null; notes: MemoryEvent[] }

export type Entry = { event: MemoryEvent; text: string }

/** The exchanges of one session, oldest first, as they were said. */
export type Session = {
  /** The same while events come at either end: one without a session id is counted from the latest. */
  id: string
  sessionId: string | null
  clients: string[]
  startedAt: string
  endedAt: string
  exchanges: Exchange[]
}

/** Events without a session id belong together while the pauses between them are shorter than this. */
const PAUSE_MS = 30 * 60_000

/** Groups events, newest first as the server gives them, into sessions, the latest session first. */
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

/** A message opens an exchange, the next report closes it; notes belong to the exchange they follow. */
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
