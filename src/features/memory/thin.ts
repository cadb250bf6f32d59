import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import { partOf } from '../../core/parts.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { cutText } from '../../text/cut-text.ts'
import { EventType, LeftOut, type ProjectContextEventResponse, Redaction } from './schemas.ts'
import type { ProjectContextSearchResponse } from './search.ts'
import type { ProjectContextSnapshotResponse } from './snapshot.ts'
import { spread } from './spread.ts'
import type { ProjectContextTurnResponse } from './turns.ts'
import { WithdrawnCard } from './withdrawn.ts'

type Event = z.output<typeof ProjectContextEventResponse>
type Snapshot = z.output<typeof ProjectContextSnapshotResponse>
type Found = z.output<typeof ProjectContextSearchResponse>
type FoundEvent = Found['results'][number]

/** The limit if the caller names none: some 6,000 tokens. */
const MOST_CHARACTERS = 24_000
const LABEL_CHARACTERS = 100

const label = (title: string | null) => (title ? { title: cutText(title, LABEL_CHARACTERS).text } : {})
const ifAny = <T>(name: string, list: readonly T[]) => (list.length > 0 ? { [name]: list } : {})

const ThinDocument = z.object({
  raw_id: AnswerId,
  content: z.string(),
  truncated: z.literal(true).optional(),
})
const ThinEvent = ThinDocument.extend({
  event_type: EventType,
  title: z.string().optional(),
  created_at: Time,
})

const thinDocument = (event: Event) => ({
  raw_id: event.raw_id,
  content: event.content,
  ...(event.truncated ? { truncated: true as const } : {}),
})
const documentOrNothing = (name: string, event: Event | null) =>
  event ? { [name]: thinDocument(event) } : {}

export const thinSnapshot = thinAnswer({
  input: z.object({}),
  output: z.object({
    project_key: z.string(),
    user_preferences: ThinDocument.optional(),
    project_preferences: ThinDocument.optional(),
    facts: ThinDocument.optional(),
    summary: ThinDocument.optional(),
    recent_events: z.array(ThinEvent),
    total_events: z.int(),
    left_out: LeftOut.optional(),
    withdrawn_cards: z.array(WithdrawnCard).optional(),
  }),
  of: (whole: Snapshot) => {
    const { left_out, ...snapshot } = whole.left_out
      ? { ...whole, left_out: whole.left_out }
      : spread<Event, Snapshot>(whole, MOST_CHARACTERS)
    return {
      project_key: snapshot.project_key,
      ...documentOrNothing('user_preferences', snapshot.user_preferences),
      ...documentOrNothing('project_preferences', snapshot.project_preferences),
      ...documentOrNothing('facts', snapshot.facts),
      ...documentOrNothing('summary', snapshot.summary),
      recent_events: snapshot.recent_events.map((event) => ({
        ...thinDocument(event),
        event_type: event.event_type,
        ...label(event.title),
        created_at: event.created_at,
      })),
      total_events: snapshot.total_events,
      ...(left_out.characters > 0 || left_out.events > 0 ? { left_out } : {}),
      ...ifAny('withdrawn_cards', whole.withdrawn_cards ?? []),
    }
  },
})

const ThinHit = z.object({
  raw_id: AnswerId,
  event_type: EventType,
  title: z.string().optional(),
  snippet: z.string(),
  weak: z.literal(true).optional(),
  created_at: Time,
})

const thinHit = (hit: FoundEvent) => ({
  raw_id: hit.raw_id,
  event_type: hit.event_type,
  ...label(hit.title),
  snippet: hit.snippet,
  ...(hit.weak ? { weak: true as const } : {}),
  created_at: hit.created_at,
})

export const thinMemorySearch = thinAnswer({
  input: z.object({}),
  output: z.object({
    project_key: z.string(),
    results: z.array(ThinHit),
    related: z.array(ThinHit).optional(),
    corrected: z.record(z.string(), z.string()).optional(),
    period: z.object({ from: Time, to: Time }).optional(),
    total: z.int(),
  }),
  of: (found: Found & { related?: FoundEvent[] | undefined }) => ({
    project_key: found.project_key,
    results: found.results.map(thinHit),
    ...ifAny('related', (found.related ?? []).map(thinHit)),
    ...(found.corrected ? { corrected: found.corrected } : {}),
    ...(found.period ? { period: found.period } : {}),
    total: found.total,
  }),
})

/** An event in parts, since its text may be longer than a client takes at once. */
export const thinEvent = thinAnswer({
  input: z.object({
    part: z.int().min(1).max(1000).default(1),
  }),
  output: z.object({
    raw_id: AnswerId,
    project_key: z.string(),
    event_type: EventType,
    created_at: Time,
    part: z.int(),
    parts: z.int(),
    title: z.string().optional(),
    content: z.string().optional(),
    meta: z.record(z.string(), z.unknown()).optional(),
  }),
  of: (event: Event, { part }) => {
    const { title, content, meta } = event
    const text = { ...(title ? { title } : {}), content, ...(meta ? { meta } : {}) }
    const { content: shown, ...which } = partOf(text, part)
    return {
      raw_id: event.raw_id,
      project_key: event.project_key,
      event_type: event.event_type,
      created_at: event.created_at,
      ...which,
      ...shown,
    }
  },
})

/** A model gets all that it is told about a write as one hint. */
const hintsOf = ({ hint, search_note }: Partial<Pick<Event, 'hint' | 'search_note'>>): { hint?: string } => {
  const hints = [hint, search_note].filter((text) => text !== undefined)
  return hints.length > 0 ? { hint: hints.join(' ') } : {}
}

/** The answer to a write, without the text that the writer has just sent. */
export const thinAppended = thinAnswer({
  input: z.object({}),
  output: z.object({
    raw_id: AnswerId,
    project_key: z.string(),
    event_type: EventType,
    redactions: z.array(Redaction).optional(),
    hint: z.string().optional(),
  }),
  of: (event: Event) => ({
    raw_id: event.raw_id,
    project_key: event.project_key,
    event_type: event.event_type,
    ...ifAny('redactions', event.redactions),
    ...hintsOf(event),
  }),
})

export const thinTurn = thinAnswer({
  input: z.object({}),
  output: z.object({
    project_key: z.string(),
    raw_id: AnswerId,
    raw_ids: z.array(AnswerId),
    merged: z.literal(true).optional(),
    redactions: z.array(Redaction).optional(),
    hint: z.string().optional(),
  }),
  of: (turn: z.output<typeof ProjectContextTurnResponse>) => ({
    project_key: turn.project_key,
    raw_id: turn.raw_id,
    raw_ids: turn.raw_ids,
    ...(turn.merged ? { merged: true as const } : {}),
    ...ifAny('redactions', turn.redactions),
    ...hintsOf(turn),
  }),
})
