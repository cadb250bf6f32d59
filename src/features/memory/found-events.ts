import { z } from 'zod'
import type { UserCtx } from '../../core/context.ts'
import { AnswerId, JsonValue, Time } from '../../core/schemas.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import { tokens } from '../../text/analyse.ts'
import { foldCase } from '../../text/fold.ts'
import { snippetAround } from '../../text/literal-snippet.ts'
import { type EventRow, loadEvents } from './events.store.ts'
import type { RankedHits } from './ranked/find-ranked.ts'
import { isWeak } from './ranked/judge.ts'
import { EventType } from './schemas.ts'

export const FoundEvent = z.object({
  raw_id: AnswerId,
  event_type: EventType,
  title: z.string().nullable(),
  snippet: z.string().describe('The surroundings of the match.'),
  session_id: z.string().nullable(),
  client: z.string().nullable(),
  meta: z.record(z.string(), JsonValue).nullable(),
  created_at: Time,
  score: z
    .number()
    .optional()
    .describe('In a search by words: how likely the event answers the query, 0 to 1.'),
  weak: z.literal(true).optional().describe('The event shares words with the query but hardly answers it.'),
})

export type ShownEvent = z.input<typeof FoundEvent>

export function presentRanked(
  rows: readonly EventRow[],
  page: RankedHits['hits'],
  { terms }: Pick<RankedHits, 'terms'>,
): ShownEvent[] {
  const confidenceOf = new Map(page.map(({ eventNo, confidence }) => [eventNo, confidence]))
  return rows.map((row) => {
    const shown = presentEvent(row, tellingWord(row.content, terms))
    const score = confidenceOf.get(row.event_no)
    if (score === undefined) return shown
    return { ...shown, score: Math.round(score * 10_000) / 10_000, ...(isWeak(score) ? { weak: true } : {}) }
  })
}

export const presentEvent = (row: EventRow, needle: string): ShownEvent => ({
  raw_id: row.raw_id,
  event_type: row.event_type,
  title: row.title,
  snippet: snippetAround(row.content, needle),
  session_id: row.session_id,
  client: row.client,
  meta: fromJsonOrNull<Record<string, z.core.util.JSONType>>(row.meta),
  created_at: row.created_at,
})

/** A snippet is cut around the most telling word. Only this much of the content is searched for it. */
const LOOKED_THROUGH = 20_000

/** The most telling of the query's words that the content has, as it is written there. */
function tellingWord(content: string, terms: readonly string[]): string {
  const beginning = content.slice(0, LOOKED_THROUGH)
  const positionOf = new Map(terms.map((term, position) => [term, position]))
  let best = { position: terms.length, word: '' }
  for (const { start, end, terms } of tokens(beginning))
    for (const term of terms) {
      const position = positionOf.get(term)
      if (position !== undefined && position < best.position)
        best = { position, word: beginning.slice(start, end) }
    }
  return foldCase(best.word)
}

/** The events with these numbers, in this order. */
export async function rowsOf(ctx: UserCtx, eventNos: readonly number[]): Promise<EventRow[]> {
  const rows = new Map(
    (await loadEvents(ctx.db, ctx.viewer.userId, eventNos)).map((row) => [row.event_no, row]),
  )
  return eventNos.flatMap((eventNo) => rows.get(eventNo) ?? [])
}
