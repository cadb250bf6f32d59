import type { UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { itemsOf, USER_PREFERENCES_KEY } from '../../shared/memory.ts'
import { queryTerms, termsOf } from '../../text/analyse.ts'
import { beginningOf, cutText } from '../../text/unicode.ts'
import { type CardRow, type Delivered, deliveredIn, readableCard, successorOf } from '../cards/index.ts'
import {
  type Conversation,
  commitWithoutMarked,
  contradictionsOf,
  type ExcerptLine,
  excerptOf,
  type FoundCommit,
  findCommits,
  laterThanDocument,
  type Marked,
  markedIn,
  type ResolvedProject,
  refuseUnfitKey,
  remember,
  resolveProject,
  type Snapshot,
  snapshotOf,
  spokenLines,
  spread,
  withoutMarked,
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
import { FLOORS, type RecallContext } from './judge.ts'

export type ProjectMemory = {
  resolved: ResolvedProject
  /** Without passages that the person has marked. */
  snapshot: Snapshot
  isMarked: Marked | undefined
}

const DOCUMENT_CHARACTERS = 8000

/** Refuses a key with a secret in it, because the key is stored. */
export async function readMemory(
  ctx: UserCtx,
  projectKey: string | undefined,
  recentEvents: number,
): Promise<ProjectMemory> {
  const resolved = await resolveProject(ctx, projectKey ?? USER_PREFERENCES_KEY, null)
  if (projectKey !== undefined && !resolved.project) refuseUnfitKey(projectKey)
  const snapshot = await snapshotOf(ctx, resolved, recentEvents, DOCUMENT_CHARACTERS)
  const isMarked = resolved.project && (await markedIn(ctx.db, resolved.project))
  return { resolved, snapshot: isMarked ? unmarked(snapshot, isMarked) : snapshot, isMarked }
}

type Document = NonNullable<Snapshot['facts']>

function unmarked(snapshot: Snapshot, isMarked: Marked): Snapshot {
  const left = (event: Document | null): Document | null => {
    const content = event && withoutMarked(event.content, isMarked)
    return event && content !== undefined && content !== null ? { ...event, content } : null
  }
  const { facts, summary, project_preferences, recent_events } = snapshot
  return {
    ...snapshot,
    facts: left(facts),
    summary: left(summary),
    project_preferences: left(project_preferences),
    recent_events: recent_events.map(left).filter((event) => event !== null),
  }
}

const MAX_LINES = 3
const MINUTE_CHARACTERS = 16
const MAX_QUERY_CHARACTERS = 2000
/** Commits looked at for one text. */
const LOOKED_AT = 5

export type Asked = {
  moment: RecallContext['moment']
  text: string
  sessionId: string | null
  /** In characters, for all that memory says. */
  room: number
  asker: Asker
}

/** Finds memory about a text, without events of the same session and without replaced documents. */
export async function findInMemory(
  ctx: UserCtx,
  memory: ProjectMemory,
  { moment, text, sessionId, room, asker }: Asked,
): Promise<ScoredItem[]> {
  const { resolved, snapshot, isMarked } = memory
  const { project, workspaceId } = resolved
  if (!project || project.events === 0) return []
  const query = cutText(text, MAX_QUERY_CHARACTERS).text
  const floors = { event: FLOORS[moment].memory, conversation: FLOORS[moment].conversation }
  const { conversations, documents } = await remember(ctx, project, query, { floors, sessionId, isMarked })
  const home: Home = { projectKey: project.project_key, workspaceId, asker }
  const current = [snapshot.facts, snapshot.project_preferences].flatMap((document) => {
    const found = documents.find(({ raw_id }) => raw_id === document?.raw_id)
    return document && found ? [{ document, found, lines: linesAbout(document, text) }] : []
  })[0]
  if (!current) return itemsOfConversations(conversations, { text, room, isMarked }, home)
  const { document, found, lines } = current
  const later =
    conversations.length > 0
      ? []
      : await laterThanDocument(ctx, project, lines, { document: found, sessionId, isMarked })
  const title = `Project facts of ${minuteOf(document)}`
  const said = { kind: 'fact' as const, id: found.raw_id, title, text: lines, why: whyOf(home) }
  const fact = { item: memoryItem({ ...said, ...home }, asker), confidence: found.confidence }
  const left = room - lines.length - HEADING_CHARACTERS
  return [
    fact,
    ...itemsOfConversations([...conversations, ...later], { text, room: left, isMarked }, home, document),
  ]
}

/** Finds commits, pull requests and records of the repository that are surely about a text. */
export async function findInHistory(
  ctx: UserCtx,
  { resolved: { project }, isMarked }: ProjectMemory,
  moment: RecallContext['moment'],
  text: string,
): Promise<FoundCommit[]> {
  if (!project) return []
  const found = await findCommits(ctx, project, text, LOOKED_AT)
  return found.flatMap((one) => {
    const row = one.confidence < FLOORS[moment].history ? undefined : commitWithoutMarked(one.row, isMarked)
    return row ? [{ ...one, row }] : []
  })
}

export function itemsOfHistory(
  found: readonly FoundCommit[],
  { resolved: { project, workspaceId } }: ProjectMemory,
  { text, room, asker }: Pick<Asked, 'text' | 'room' | 'asker'>,
): ScoredItem[] {
  if (!project) return []
  const home = { projectKey: project.project_key, workspaceId, prompt: text, budget: room }
  return found.map((commit) => ({ item: commitItem(commit, home, asker), confidence: commit.confidence }))
}

type Home = { projectKey: string; workspaceId: string; asker: Asker }

const whyOf = ({ projectKey }: Home) => `memory of ${projectKey}`

const minuteOf = ({ created_at }: { created_at: string }): string =>
  created_at.slice(0, MINUTE_CHARACTERS).replace('T', ' ')

const endOf = ({ told }: Conversation): string => told.at(-1)?.created_at ?? ''

/** The latest of several conversations gets this share of the room, because it counts. */
const SHARE_OF_LATEST = 0.55
const TITLE_CHARACTERS = 90
const MIN_EXCERPT = 60

/** What came out of conversations about one matter, the latest first, each marked as later or earlier than another. */
function itemsOfConversations(
  conversations: readonly Conversation[],
  { text, room, isMarked }: { text: string; room: number; isMarked: Marked | undefined },
  home: Home,
  document?: Document,
): ScoredItem[] {
  const known = new Set(termsOf(text))
  const ids = conversations.flatMap(({ told }) => told.map(({ raw_id }) => raw_id))
  const items: ScoredItem[] = []
  let left = room
  for (const [at, conversation] of conversations.entries()) {
    const { told, confidence } = conversation
    const isLast = at === conversations.length - 1
    const share = Math.floor(isLast ? left : left * SHARE_OF_LATEST) - TITLE_CHARACTERS
    const lines =
      share < MIN_EXCERPT
        ? []
        : excerptOf(told, { known, room: share, isSearched: told.length === 1, isLeftOut: isMarked })
    const most = lines.toSorted((a, b) => b.text.length - a.text.length)[0]
    if (!most) continue
    const { raw_id: id = '', title } = told[most.event] ?? {}
    const [earlier, later] = [conversations[at + 1], conversations[at - 1]]
    const order = later
      ? `, the one of ${minuteOf({ created_at: endOf(later) })} is later and counts`
      : earlier
        ? `, later than ${minuteOf({ created_at: endOf(earlier) })}`
        : document && endOf(conversation) > document.created_at
          ? ', later than the facts'
          : ''
    const said = {
      kind: 'event' as const,
      id,
      title: `${minuteOf({ created_at: endOf(conversation) })} ${title ?? 'Earlier conversation'}${order}`,
      text: saidBy(lines, told),
      why: whyOf(home),
    }
    items.push({ item: memoryItem({ ...said, ...home }, home.asker), confidence, covers: ids })
    for (const line of lines) for (const term of termsOf(line.text)) known.add(term)
    left -= said.title.length + said.text.length
  }
  return items
}

/** With the day of a line, where it is another one than that of the title. */
function saidBy(lines: readonly ExcerptLine[], told: Conversation['told']): string {
  const dayOf = (event: number) => (told[event]?.created_at ?? '').slice(0, DAY_CHARACTERS)
  const end = dayOf(told.length - 1)
  return spokenLines(lines, (event) => (dayOf(event) === end ? '' : `${dayOf(event)} `))
}

const DAY_CHARACTERS = 10

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

/** Says of a document what later events decided about its lines, dated. */
function laterThan(document: Event | null, name: string, { memory, asker }: RecallSources): ScoredItem[] {
  if (!document) return []
  const later = memory.snapshot.recent_events.filter(({ created_at }) => created_at > document.created_at)
  const found = contradictionsOf(itemsOf(document.content), later)
  return found.flatMap(({ line, event, said }): ScoredItem[] => {
    const { raw_id: id, created_at, project_key: projectKey } = later[event] as Event
    const title = `${minuteOf({ created_at })}, later than ${name}`
    const text = `${beginningOf(line, LINE_SHOWN)}\n${beginningOf(said, SAID_SHOWN)}`
    const home = { projectKey, workspaceId: memory.resolved.workspaceId }
    return [
      {
        item: memoryItem({ kind: 'event', id, title, text, why: 'later', ...home }, asker),
        confidence: null,
      },
    ]
  })
}

const LINE_SHOWN = 120
const SAID_SHOWN = 240
/** The share of the budget that later events may take from the documents that they are about. */
const SHARE_OF_LATER = 0.25

function withinShare(items: readonly ScoredItem[], room: number): ScoredItem[] {
  let left = room
  return items.filter(({ item }) => {
    left -= item.title.length + item.fix.length + HEADING_CHARACTERS
    return left >= 0
  })
}

function documentsOf(memory: ProjectMemory, snapshot: Snapshot, whole: number, asker: Asker): ScoredItem[] {
  const rest = restWithin(whole)
  const given = { memory, asker, rest }
  const decided = [
    ...laterThan(snapshot.facts, 'the project facts', given),
    ...laterThan(snapshot.project_preferences, 'the project preferences', given),
  ]
  const later = withinShare(decided, whole * SHARE_OF_LATER)
  const budget = later.reduce(
    (left, { item }) => left - item.title.length - item.fix.length - HEADING_CHARACTERS,
    whole,
  )
  const { user_preferences, project_preferences, facts, summary, recent_events } = spread<Event, Snapshot>(
    snapshot,
    budget,
    { answer: FRAME_CHARACTERS, event: HEADING_CHARACTERS, cut: rest(SOME_ID).length },
  )
  return [
    ...factOf('Your preferences', user_preferences, given),
    ...factOf('Project preferences', project_preferences, given),
    ...factOf('Project facts', facts, given),
    ...later,
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
