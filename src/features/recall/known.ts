import type { UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { type CardRow, readableCard } from '../cards/access.ts'
import { successorOf } from '../cards/successor.ts'
import { type Delivered, deliveredIn } from '../deliveries/deliveries.ts'
import type { Snapshot } from '../memory/snapshot.ts'
import { spread } from '../memory/spread.ts'
import { FRAME_CHARACTERS } from './injected-text.ts'
import { type Asker, cardItem, type Found, isWithheld, memoryItem } from './items.ts'
import type { ProjectMemory } from './memory.ts'

type Event = NonNullable<Snapshot['facts']>

export const RECENT_EVENTS = 10
const MOST_CARDS = 5
/** A heading with its line ends. */
const HEADING_CHARACTERS = 40
/** The length of a card in the text. */
const CARD_CHARACTERS = 500
const SHARE_OF_CARDS = 0.4

/** With a smaller budget the address of the rest would take the place of the text. */
const LEAST_BUDGET_FOR_REST = 1000

/** Follows a text of which only the beginning is given, so that nobody takes it for the whole. */
type Rest = (rawId: string) => string
const restWithin = (budget: number): Rest =>
  budget < LEAST_BUDGET_FOR_REST ? () => '…' : (rawId) => `… (whole by get_context_event ${rawId})`

const textOf = ({ raw_id, content, truncated }: Event, rest: Rest): string =>
  truncated ? `${content.trimEnd()}${rest(raw_id)}` : content

/** As long as every id. */
const SOME_ID = '-'.repeat(36)

type Given = { memory: ProjectMemory; asker: Asker; rest: Rest }

const factOf = (title: string, event: Event | null, { memory, asker, rest }: Given): Found[] => {
  if (!event) return []
  const { project_key: projectKey, raw_id: id } = event
  const text = textOf(event, rest)
  const home = { projectKey, workspaceId: memory.resolved.workspaceId }
  return [
    {
      item: memoryItem({ kind: 'fact', id, title, text, why: 'current', ...home }, asker),
      confidence: null,
    },
  ]
}

const eventOf = (event: Event, { memory, asker, rest }: Given): Found => {
  const { project_key: projectKey, raw_id: id, created_at } = event
  const text = textOf(event, rest)
  const home = { projectKey, workspaceId: memory.resolved.workspaceId }
  const title = `Recent work, ${created_at.slice(0, 16).replace('T', ' ')}`
  return {
    item: memoryItem({ kind: 'event', id, title, text, why: 'recent', ...home }, asker),
    confidence: null,
  }
}

/** The documents and the recent work of a snapshot, within the budget. */
function documentsOf(memory: ProjectMemory, snapshot: Snapshot, budget: number, asker: Asker): Found[] {
  const rest = restWithin(budget)
  const given = { memory, asker, rest }
  const { user_preferences, project_preferences, facts, summary, recent_events } = spread<Event, Snapshot>(
    snapshot,
    budget,
    { answer: FRAME_CHARACTERS, event: HEADING_CHARACTERS, cut: rest(SOME_ID).length },
  )
  return [
    ...factOf('Your preferences', user_preferences, given),
    ...factOf('Project preferences', project_preferences, given),
    ...factOf('Project facts', facts, given),
    ...factOf('Current focus', summary, given),
    ...recent_events.map((event) => eventOf(event, given)),
  ]
}

/** For the start of a session: preferences, facts, focus and recent work, within the budget. */
export const knownAtStart = (memory: ProjectMemory, budget: number, asker: Asker): Found[] =>
  documentsOf(memory, memory.snapshot, budget, asker)

/** A card that was superseded or merged since gives way to the one in its place, as long as the person can read that. */
async function cardOrSuccessor(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  return (await successorOf(ctx, row)) ?? row
}

async function cardsOfSession(ctx: UserCtx, delivered: readonly Delivered[], asker: Asker): Promise<Found[]> {
  const rows = new Map<string, CardRow>()
  for (const { item_id } of delivered.filter(({ kind }) => kind === 'card').slice(0, MOST_CARDS))
    try {
      const row = await cardOrSuccessor(ctx, item_id)
      if (!isWithheld(row)) rows.set(row.card_id, row)
    } catch (error) {
      // The card is gone, or the person may no longer read it.
      if (!(error instanceof AppError)) throw error
    }
  return [...rows.values()].map((row) => ({
    item: cardItem(row, 'delivered in this session', asker),
    confidence: null,
  }))
}

/** Before a session is compacted: facts and preferences of the project, and the cards that the session received. */
export async function knownAtCompaction(
  ctx: UserCtx,
  memory: ProjectMemory,
  sessionId: string | null,
  budget: number,
  asker: Asker,
): Promise<Found[]> {
  const cards = await cardsOfSession(ctx, await deliveredIn(ctx, sessionId), asker)
  const room = Math.min(cards.length * CARD_CHARACTERS, Math.floor(budget * SHARE_OF_CARDS))
  const lasting = { ...memory.snapshot, summary: null, recent_events: [] }
  return [...documentsOf(memory, lasting, budget - room, asker), ...cards]
}
