import type { MemoryEvent } from '../../../api/memory.ts'
import { plainLine } from '../../../lib/plain-line.ts'
import type { Exchange } from './timeline.ts'

/** Each event of an exchange once; message and report of a turn are one event. */
export const eventsOf = (exchange: Exchange): MemoryEvent[] => [
  ...new Map(
    [exchange.message?.event, exchange.report?.event, ...exchange.notes].flatMap((event) =>
      event ? [[event.raw_id, event] as const] : [],
    ),
  ).values(),
]

const MOST_EVENTS_OF_A_CARD = 11

/** Message and report first: a card is made from these, and from as many notes as there is room for. */
export const rawIdsOf = (exchange: Exchange): [string, ...string[]] => {
  const [first = exchange.id, ...others] = eventsOf(exchange).map((event) => event.raw_id)
  return [first, ...others.slice(0, MOST_EVENTS_OF_A_CARD - 1)]
}

/** The line that stands for an exchange: the message, or else the title or text of its first event. */
export function headlineOf(exchange: Exchange): string {
  const first = eventsOf(exchange)[0]
  return plainLine(exchange.message?.text ?? first?.title ?? exchange.report?.text ?? first?.content ?? '')
}

/** Whether the headline already shows the whole message. */
export const isSaidByHeadline = ({ message }: Exchange): boolean =>
  message !== null && !message.event.truncated && message.text.trim() === plainLine(message.text)

export const secretsRemoved = (exchange: Exchange): number =>
  eventsOf(exchange)
    .flatMap((event) => event.redactions)
    .reduce((sum, { count }) => sum + count, 0)

const NOTE_NAMES: Record<string, string> = {
  project_facts: 'Facts',
  project_preferences: 'Preferences',
  user_preferences: 'Your preferences',
}

export const noteName = (event: MemoryEvent): string =>
  event.event_type === 'summary' ? 'Summary' : (NOTE_NAMES[String(event.meta?.fact_kind)] ?? 'Facts')
