import { cutText } from '../../text/cut-text.ts'

/** What the spread needs to know of an event, as it is answered. */
type Shown = { content: string; truncated: boolean }

export type Spreadable<E extends Shown> = {
  user_preferences: E | null
  project_preferences: E | null
  facts: E | null
  summary: E | null
  recent_events: E[]
}

export type LeftOut = { events: number; characters: number }

/**
 * What stays true longest matters most. A share is reserved for each part that needs it; the rest goes to the parts in
 * this order.
 */
const SHARES = [
  ['user_preferences', 0.15],
  ['project_preferences', 0.15],
  ['facts', 0.3],
  ['summary', 0.15],
  ['recent_events', 0.25],
] as const

/** The characters around the texts: of the answer, of each event (its id, type and time), and after a text that is cut. */
export type Frame = { answer: number; event: number; cut: number }
const JSON_FRAME: Frame = { answer: 400, event: 140, cut: 0 }
/** A shorter piece of an event is useless. */
const LEAST_CHARACTERS = 40
/** The newest event takes at most this share, so that others fit too. */
const MOST_OF_RECENT = 0.25

/** The length as JSON, which is how it is sent. */
const lengthOf = (text: string): number => JSON.stringify(text).length
const costOf = (event: Shown, { event: head, cut }: Frame): number =>
  head + lengthOf(event.content) + (event.truncated ? cut : 0)

/** As much of an event as there is room for; undefined if that is too little. */
function fitted<E extends Shown>(event: E, room: number, frame: Frame): E | undefined {
  if (costOf(event, frame) <= room) return event
  const most = room - frame.event - frame.cut
  let length = most
  while (length >= LEAST_CHARACTERS) {
    const { text } = cutText(event.content, length)
    const needed = lengthOf(text)
    if (needed <= most) return { ...event, content: text, truncated: true }
    // A character may need more than one place: a quotation mark is escaped, an emoji has two halves.
    length = Math.floor((length * most) / needed)
  }
  return undefined
}

function newestThatFit<E extends Shown>(events: readonly E[], room: number, frame: Frame): E[] {
  const shown: E[] = []
  let left = room
  const most = Math.max(room * MOST_OF_RECENT, frame.event + frame.cut + 2 * LEAST_CHARACTERS)
  for (const event of events) {
    const some = fitted(event, Math.min(left, most), frame)
    if (!some) break
    shown.push(some)
    left -= costOf(some, frame)
  }
  return shown
}

/** Cuts the texts of a snapshot to a number of characters in all, and counts what was left out. */
export function spread<E extends Shown, S extends Spreadable<E>>(
  snapshot: S,
  maxTotalChars: number,
  frame: Frame = JSON_FRAME,
): S & { left_out: LeftOut } {
  const budget = maxTotalChars - frame.answer
  const eventsOf = (source: Spreadable<E>, part: (typeof SHARES)[number][0]): E[] => {
    if (part === 'recent_events') return source[part]
    const document = source[part]
    return document ? [document] : []
  }
  const needOf = (events: readonly E[]) => events.reduce((sum, event) => sum + costOf(event, frame), 0)
  const reserved = SHARES.map(([part, share]) =>
    Math.min(needOf(eventsOf(snapshot, part)), Math.floor(share * budget)),
  )
  const cut: S = { ...snapshot }
  let left = budget
  for (const [index, [part]] of SHARES.entries()) {
    const room = left - reserved.slice(index + 1).reduce((sum, later) => sum + later, 0)
    if (part === 'recent_events') cut[part] = newestThatFit(snapshot[part], room, frame)
    else if (cut[part]) cut[part] = (fitted<E>(cut[part], room, frame) ?? null) as S[typeof part]
    left -= needOf(eventsOf(cut, part))
  }
  const all = (source: S) => SHARES.flatMap(([part]) => eventsOf(source, part))
  const characters = (source: S) => all(source).reduce((sum, event) => sum + event.content.length, 0)
  const left_out = {
    events: all(snapshot).length - all(cut).length,
    characters: characters(snapshot) - characters(cut),
  }
  return { ...cut, left_out }
}
