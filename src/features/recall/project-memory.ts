import type { UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { itemsOf, USER_PREFERENCES_KEY } from '../../shared/memory.ts'
import { queryTerms, termsOf } from '../../text/analyse.ts'
import { type CardRow, type Delivered, deliveredIn, readableCard, successorOf } from '../cards/index.ts'
import {
  eventsFor,
  findCommits,
  type ResolvedProject,
  refuseUnfitKey,
  resolveProject,
  type ShownEvent,
  type Snapshot,
  snapshotOf,
  spread,
} from '../memory/index.ts'
import {
  type Asker,
  cardItem,
  commitItem,
  FRAME_CHARACTERS,
  isWithheld,
  memoryItem,
  type ScoredItem,
} from './items.ts'

export type ProjectMemory = { resolved: ResolvedProject; snapshot: Snapshot }

const DOCUMENT_CHARACTERS = 8000

/** Refuses a key with a secret in it, because the key is stored. */
export async function readMemory(
  ctx: UserCtx,
  projectKey: string | undefined,
  recentEvents: number,
): Promise<ProjectMemory> {
  const resolved = await resolveProject(ctx, projectKey ?? USER_PREFERENCES_KEY, null)
  if (projectKey !== undefined && !resolved.project) refuseUnfitKey(projectKey)
  return { resolved, snapshot: await snapshotOf(ctx, resolved, recentEvents, DOCUMENT_CHARACTERS) }
}

type Document = NonNullable<Snapshot['facts']>

const LOOKED_AT = 5
const MAX_LINES = 3
const DAY_CHARACTERS = 10

/** Finds memory about a text, without events of the same session and without replaced documents. */
export async function findInMemory(
  ctx: UserCtx,
  { resolved: { project, workspaceId }, snapshot }: ProjectMemory,
  text: string,
  { floor, sessionId, asker }: { floor: number; sessionId: string | null; asker: Asker },
): Promise<ScoredItem[]> {
  if (!project || project.events === 0) return []
  const events = await eventsFor(ctx, project, text, LOOKED_AT)
  const home = { projectKey: project.project_key, workspaceId }
  return events.flatMap((event): ScoredItem[] => {
    const confidence = event.score ?? 0
    if (confidence < floor || (sessionId !== null && event.session_id === sessionId)) return []
    const why = `memory of ${project.project_key}`
    const document = [snapshot.facts, snapshot.project_preferences].find(
      (one) => one?.raw_id === event.raw_id,
    )
    if (document) {
      const said = { kind: 'fact' as const, id: event.raw_id, title: 'Project facts', why, ...home }
      return [{ item: memoryItem({ ...said, text: linesAbout(document, text) }, asker), confidence }]
    }
    if (event.event_type === 'fact_snapshot' || event.event_type === 'summary') return []
    const said = { kind: 'event' as const, id: event.raw_id, title: titleOf(event), why, ...home }
    return [{ item: memoryItem({ ...said, text: event.snippet }, asker), confidence }]
  })
}

/** Finds commits, pull requests and records of the repository about a text. */
export async function findInHistory(
  ctx: UserCtx,
  { resolved: { project, workspaceId } }: ProjectMemory,
  text: string,
  { floor, budget, asker }: { floor: number; budget: number; asker: Asker },
): Promise<ScoredItem[]> {
  if (!project) return []
  const found = await findCommits(ctx, project, text, LOOKED_AT)
  const home = {
    projectKey: project.project_key,
    workspaceId,
    prompt: text,
    budget: budget - FRAME_CHARACTERS,
  }
  return found
    .filter(({ confidence }) => confidence >= floor)
    .map((commit) => ({ item: commitItem(commit, home, asker), confidence: commit.confidence }))
}

const titleOf = ({ title, created_at }: ShownEvent): string =>
  `${created_at.slice(0, DAY_CHARACTERS)} ${title ?? 'Earlier work on this project'}`

function linesAbout({ content }: Document, text: string): string {
  const asked = new Set(queryTerms(text))
  return itemsOf(content)
    .map((line) => ({ line, shared: new Set(termsOf(line).filter((term) => asked.has(term))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MAX_LINES)
    .map(({ line }) => `- ${line}`)
    .join('\n')
}

type Event = NonNullable<Snapshot['facts']>

export const RECENT_EVENTS = 10
const MAX_CARDS = 5
const HEADING_CHARACTERS = 40
const CARD_CHARACTERS = 500
const SHARE_OF_CARDS = 0.4

/** With a smaller budget the pointer to the rest would displace the text itself. */
const MIN_BUDGET_FOR_REST = 1000

type Rest = (rawId: string) => string
const restWithin = (budget: number): Rest =>
  budget < MIN_BUDGET_FOR_REST ? () => '…' : (rawId) => `… (whole by get_context_event ${rawId})`

const textOf = ({ raw_id, content, truncated }: Event, rest: Rest): string =>
  truncated ? `${content.trimEnd()}${rest(raw_id)}` : content

/** A sample with the length of every id. */
const SOME_ID = '-'.repeat(36)

type RecallSources = { memory: ProjectMemory; asker: Asker; rest: Rest }

const factOf = (title: string, event: Event | null, { memory, asker, rest }: RecallSources): ScoredItem[] => {
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

const eventOf = (event: Event, { memory, asker, rest }: RecallSources): ScoredItem => {
  const { project_key: projectKey, raw_id: id, created_at } = event
  const text = textOf(event, rest)
  const home = { projectKey, workspaceId: memory.resolved.workspaceId }
  const title = `Recent work, ${created_at.slice(0, 16).replace('T', ' ')}`
  return {
    item: memoryItem({ kind: 'event', id, title, text, why: 'recent', ...home }, asker),
    confidence: null,
  }
}

function documentsOf(memory: ProjectMemory, snapshot: Snapshot, budget: number, asker: Asker): ScoredItem[] {
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

/** Returns what a session needs at its start within the budget: preferences, facts, focus and recent work. */
export const knownAtStart = (memory: ProjectMemory, budget: number, asker: Asker): ScoredItem[] =>
  documentsOf(memory, memory.snapshot, budget, asker)

async function cardOrSuccessor(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  return (await successorOf(ctx, row)) ?? row
}

async function cardsOfSession(
  ctx: UserCtx,
  delivered: readonly Delivered[],
  asker: Asker,
): Promise<ScoredItem[]> {
  const rows = new Map<string, CardRow>()
  for (const { item_id } of delivered.filter(({ kind }) => kind === 'card').slice(0, MAX_CARDS))
    try {
      const row = await cardOrSuccessor(ctx, item_id)
      if (!isWithheld(row)) rows.set(row.card_id, row)
    } catch (error) {
      // The card is deleted or no longer readable.
      if (!(error instanceof AppError)) throw error
    }
  return [...rows.values()].map((row) => ({
    item: cardItem(row, 'delivered in this session', asker),
    confidence: null,
  }))
}

export async function knownAtCompaction(
  ctx: UserCtx,
  memory: ProjectMemory,
  sessionId: string | null,
  budget: number,
  asker: Asker,
): Promise<ScoredItem[]> {
  const cards = await cardsOfSession(ctx, await deliveredIn(ctx, sessionId), asker)
  const room = Math.min(cards.length * CARD_CHARACTERS, Math.floor(budget * SHARE_OF_CARDS))
  const lasting = { ...memory.snapshot, summary: null, recent_events: [] }
  return [...documentsOf(memory, lasting, budget - room, asker), ...cards]
}

const SAID = 0.7
const MIN_WORDS = 3
const MAX_FACT_LINES = 500
const FIX_READ = 600

export const linesSaid = (documents: readonly string[]): ReadonlySet<string>[] =>
  documents
    .flatMap(itemsOf)
    .slice(0, MAX_FACT_LINES)
    .map((line) => new Set(termsOf(line)))

/** Returns true if one line of the facts already says a fix. The agent received the facts at its start. */
export function isSaid(fix: string, lines: readonly ReadonlySet<string>[]): boolean {
  const words = queryTerms(fix.slice(0, FIX_READ))
  if (words.length < MIN_WORDS) return false
  return lines.some((line) => words.filter((word) => line.has(word)).length >= SAID * words.length)
}
