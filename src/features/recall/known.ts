import type { UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { readableCard } from '../cards/access.ts'
import { type Delivered, deliveredIn } from '../deliveries/deliveries.ts'
import type { Snapshot } from '../memory/snapshot.ts'
import { spread } from '../memory/spread.ts'
import { FRAME_CHARACTERS } from './injected-text.ts'
import { type Asker, cardItem, type Found, memoryItem } from './items.ts'
import type { ProjectMemory } from './memory.ts'

type Event = NonNullable<Snapshot['facts']>

export const RECENT_EVENTS = 10
const MOST_CARDS = 5
/** A heading with its line ends. */
const HEADING_CHARACTERS = 40
/** The length of a card in the text. */
const CARD_CHARACTERS = 500
const SHARE_OF_CARDS = 0.4

const factOf = (title: string, event: Event | null, { resolved }: ProjectMemory, asker: Asker): Found[] => {
  if (!event) return []
  const { project_key: projectKey, raw_id: id, content: text } = event
  const home = { projectKey, workspaceId: resolved.workspaceId }
  return [
    {
      item: memoryItem({ kind: 'fact', id, title, text, why: 'current', ...home }, asker),
      confidence: null,
    },
  ]
}

const eventOf = (event: Event, { resolved }: ProjectMemory, asker: Asker): Found => {
  const { project_key: projectKey, raw_id: id, content: text, created_at } = event
  const home = { projectKey, workspaceId: resolved.workspaceId }
  const title = `Recent work, ${created_at.slice(0, 16).replace('T', ' ')}`
  return {
    item: memoryItem({ kind: 'event', id, title, text, why: 'recent', ...home }, asker),
    confidence: null,
  }
}

function documentsOf(memory: ProjectMemory, snapshot: Snapshot, asker: Asker): Found[] {
  return [
    ...factOf('Your preferences', snapshot.user_preferences, memory, asker),
    ...factOf('Project preferences', snapshot.project_preferences, memory, asker),
    ...factOf('Project facts', snapshot.facts, memory, asker),
    ...factOf('Current focus', snapshot.summary, memory, asker),
    ...snapshot.recent_events.map((event) => eventOf(event, memory, asker)),
  ]
}

const within = (snapshot: Snapshot, budget: number) =>
  spread<Event, Snapshot>(snapshot, budget, { answer: FRAME_CHARACTERS, event: HEADING_CHARACTERS })

/** For the start of a session: preferences, facts, focus and recent work, within the budget. */
export const knownAtStart = (memory: ProjectMemory, budget: number, asker: Asker): Found[] =>
  documentsOf(memory, within(memory.snapshot, budget), asker)

async function cardsOfSession(ctx: UserCtx, delivered: readonly Delivered[], asker: Asker): Promise<Found[]> {
  const found: Found[] = []
  for (const { item_id } of delivered.filter(({ kind }) => kind === 'card').slice(0, MOST_CARDS))
    try {
      const row = await readableCard(ctx, item_id)
      found.push({ item: cardItem(row, 'delivered in this session', asker), confidence: null })
    } catch (error) {
      // The card is gone, or the person may no longer read it.
      if (!(error instanceof AppError)) throw error
    }
  return found
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
  return [...documentsOf(memory, within(lasting, budget - room), asker), ...cards]
}
