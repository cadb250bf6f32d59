import type { UserCtx } from '../../core/context.ts'
import { InvalidInput, invalid } from '../../core/errors.ts'
import { presentWithin } from '../../core/schemas.ts'
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { ContextEventType, ContextSlot } from '../../db/knowledge-schema.ts'
import { cleanJson, cleanLongText, cleanOptional, Findings } from '../../redaction/redact.ts'
import { isSameMessage } from '../../shared/memory.ts'
import { cutText } from '../../text/unicode.ts'
import { requireRole } from '../permissions/index.ts'
import { chargeText, countText, rowsOf, textBytes } from '../storage/index.ts'
import { eventNumber } from './event-index.ts'
import { activityOf } from './mining-queue.ts'
import { insertProject, learnHost, type Project, type ResolvedProject, refuseUnfitKey } from './projects.ts'
import { type EventAnswer, MAX_CONTENT_LENGTH } from './schemas.ts'
import {
  type EventHead,
  type EventRow,
  type EventTerms,
  insertEvent,
  nextPosition,
  type ProjectRef,
  recount,
  removeEvent,
  searchTextOf,
  termsOfEvent,
} from './store.ts'

export type Draft = {
  event_type: ContextEventType
  content: string
  title?: string | null | undefined
  session_id?: string | null | undefined
  client?: string | null | undefined
  meta?: Record<string, unknown> | null | undefined
}

type Written = { project: Project; event: EventRow }

/** An event after all work that needs no database: secrets are replaced, the text is analysed. */
export type Cleaned = Pick<
  EventRow,
  'title' | 'content' | 'session_id' | 'client' | 'meta' | 'redactions' | 'search_text'
> & { draft: Draft; words: EventTerms }

/** Checks the length of a text that is composed here, since its parts have limits of their own. */
export function requireFits(field: string, content: string): void {
  if (cutText(content, MAX_CONTENT_LENGTH).truncated)
    throw invalid(
      field,
      `Together this makes ${[...content].length} characters; an event takes ${MAX_CONTENT_LENGTH}`,
    )
}

/** Call it before the transaction: it is slow, and other writers would wait. */
export async function clean({ work }: UserCtx, draft: Draft): Promise<Cleaned> {
  const findings = new Findings()
  const title = cleanOptional(draft.title, findings)
  const content = await cleanLongText(work, draft.content, findings)
  const session_id = cleanOptional(draft.session_id, findings)
  const client = cleanOptional(draft.client, findings)
  const meta = work.measure(() => (draft.meta ? toJsonOrNull(cleanJson(draft.meta, findings)) : null))
  await work.pause()
  return {
    draft,
    title,
    content,
    session_id,
    client,
    meta,
    redactions: toJson(findings.list()),
    search_text: searchTextOf(title, content),
    words: await work.inPieces(termsOfEvent({ title, content })),
  }
}

/** Cost of storing a word in the index of memory, in bytes of an ordinary log. */
const BYTES_PER_WORD = 80
/** An ordinary text has no more different words. */
const FREE_WORDS = 300

/** Writes one event, in the caller's transaction. The project comes from `resolveForWriting`. */
export async function appendTo(ctx: UserCtx, resolved: ResolvedProject, cleaned: Cleaned): Promise<Written> {
  const { draft, words, ...fields } = cleaned
  checkUserPreferences(resolved, draft)
  const now = ctx.now().toISOString()
  const project = await projectFor(ctx, resolved, now)
  const { partition, sequence } = await nextPosition(ctx.db, project)
  // Clocks of nodes differ, and the event that is written last must be the newest.
  const last = project.last_event_at ?? ''
  const created_at = last > now ? last : now
  const event: EventRow = {
    event_no: eventNumber(partition, sequence),
    raw_id: newId(ctx.now().getTime()),
    user_id: ctx.viewer.userId,
    project_id: project.project_id,
    workspace_id: resolved.workspaceId,
    event_type: draft.event_type,
    slot: slotOf(resolved, draft),
    created_at,
    ...fields,
  }
  await chargeText(ctx, textBytes('context_events', event))
  ctx.work.owe(BYTES_PER_WORD * Math.max(0, words.different - FREE_WORDS))
  await insertEvent(ctx.db, ctx.database.engine, event, words.terms)
  return { project: { ...project, last_event_at: created_at }, event }
}

export async function projectFor(ctx: UserCtx, resolved: ResolvedProject, now: string): Promise<Project> {
  if (resolved.workspaceId !== resolved.personalWorkspaceId)
    await requireRole(ctx, resolved.workspaceId, 'viewer')
  if (resolved.project) return learnHost(ctx.db, resolved.project, resolved.name)
  refuseUnfitKey(resolved.writtenKey)
  const owner = { userId: ctx.viewer.userId, workspaceId: resolved.workspaceId }
  return insertProject(ctx.db, owner, resolved.name, now)
}

const isUserPreferences = ({ event_type, meta }: Draft): boolean =>
  event_type === 'fact_snapshot' && meta?.fact_kind === 'user_preferences'

/** User preferences in an ordinary project must not replace the project's preferences. */
function slotOf(resolved: ResolvedProject, draft: Draft): ContextSlot {
  if (draft.event_type === 'summary') return 'summary'
  if (draft.event_type !== 'fact_snapshot') return 'recent'
  if (resolved.name.form === 'user_preferences') return 'preferences'
  const kind = draft.meta?.fact_kind ?? 'project_facts'
  if (kind === 'project_facts') return 'facts'
  return kind === 'project_preferences' ? 'preferences' : 'recent'
}

const MISPLACED =
  'This was kept as an event and changed no preferences. What the user prefers in every project belongs to the key __user__/preferences, with meta.confirmed_by_user true; what holds for this project alone is meta.fact_kind project_preferences.'

export const searchNote = (cleaned: readonly Cleaned[]): { search_note?: string } =>
  cleaned.some(({ words }) => words.isPartial) ? { search_note: LEFT_OUT } : {}

const LEFT_OUT =
  'This event has more different words than the index keeps. Questions do not find some words of its end; a search for the exact text does.'

export const hintFor = (resolved: ResolvedProject, draft: Draft): string | undefined =>
  isUserPreferences(draft) && resolved.name.form !== 'user_preferences' ? MISPLACED : undefined

/** Lists all conditions, so that a caller can fix them at once. */
const RESERVED =
  'The key __user__/preferences takes only event_type fact_snapshot with meta.fact_kind user_preferences and meta.confirmed_by_user true'

function checkUserPreferences(resolved: ResolvedProject, { event_type, meta }: Draft): void {
  if (resolved.name.form !== 'user_preferences') return
  const violated: string[][] = []
  if (event_type !== 'fact_snapshot') violated.push(['event_type'])
  if (meta?.fact_kind !== 'user_preferences') violated.push(['meta', 'fact_kind'])
  if (meta?.confirmed_by_user !== true) violated.push(['meta', 'confirmed_by_user'])
  if (violated.length === 0) return
  throw new InvalidInput(violated.map((path) => ({ type: 'value_error', path, msg: RESERVED })))
}

export function present(
  event: EventHead,
  projectKey: string,
  cut: { text: string; truncated: boolean } = { text: event.content, truncated: false },
): EventAnswer {
  return {
    raw_id: event.raw_id,
    project_key: projectKey,
    event_type: event.event_type,
    title: event.title,
    content: cut.text,
    session_id: event.session_id,
    client: event.client,
    meta: fromJsonOrNull(event.meta),
    workspace_id: event.workspace_id,
    redactions: fromJson(event.redactions),
    truncated: cut.truncated,
    created_at: event.created_at,
  }
}

export const presentCut = (event: EventHead, projectKey: string, length: number): EventAnswer =>
  present(event, projectKey, cutText(event.content, length))

const LIGHT_CHARACTERS = 200

export const presentEvents = (
  events: readonly EventHead[],
  projectKey: string,
  length: number,
): EventAnswer[] =>
  presentWithin(
    events,
    ({ content, meta, title }) => [content, meta, title],
    (event, isLight) =>
      isLight
        ? { ...presentCut({ ...event, meta: null }, projectKey, LIGHT_CHARACTERS), truncated: true }
        : presentCut(event, projectKey, length),
  )

async function turnsOfOthers(
  db: Db,
  { user_id, project_id }: ProjectRef,
  { since, sessionId, client }: { since: string; sessionId: string; client: string | null },
): Promise<EventRow[]> {
  return db
    .selectFrom('context_events')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('created_at', '>=', since)
    .where('session_id', '=', sessionId)
    .where('event_type', '=', 'turn')
    .where((eb) =>
      client === null
        ? eb('client', 'is not', null)
        : eb.or([eb('client', 'is', null), eb('client', '!=', client)]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .execute()
}

async function saveMeta(
  db: Db,
  { user_id, event_no, meta }: Pick<EventRow, 'user_id' | 'event_no' | 'meta'>,
): Promise<void> {
  const event = { user_id, event_no }
  await countText(db, [rowsOf('context_events', event)], () =>
    db
      .updateTable('context_events')
      .set({ meta })
      .where('user_id', '=', user_id)
      .where('event_no', '=', event_no)
      .execute(),
  )
}

/** A hook and its agent send the same exchange at nearly the same time; in ms. */
const SAME_EXCHANGE_MS = 10 * 60_000

type WrittenTurn = Written & { merged: boolean }

/** Event texts never change, so a fuller turn replaces the other one under a new id. */
export async function appendTurnOnce(
  ctx: UserCtx,
  resolved: ResolvedProject,
  turn: Cleaned,
): Promise<WrittenTurn> {
  const stored = await storedByAnother(ctx, resolved, turn)
  if (!stored || !resolved.project) return { ...(await appendTo(ctx, resolved, turn)), merged: false }
  const clients = [...clientsOf(stored), turn.client].slice(-MAX_CLIENTS)
  const isFuller = turn.content.length > stored.content.length
  if (!isFuller && (hasActivity(stored.meta) || !hasActivity(turn.meta))) {
    const event = standingFor(stored, clients)
    await saveMeta(ctx.db, event)
    return { project: resolved.project, event, merged: true }
  }
  await removeEvent(ctx.db, ctx.database.engine, stored)
  await recount(ctx.db, stored, -1)
  const together = isFuller ? withActivityOf(turn, stored) : await withWordsOf(ctx, turn, stored)
  return { ...(await appendTo(ctx, resolved, standingFor(together, clients))), merged: true }
}

const MAX_CLIENTS = 20

type Client = string | null

function clientsOf({ client, meta }: Pick<EventRow, 'client' | 'meta'>): Client[] {
  const noted = fromJsonOrNull<{ merged_clients?: unknown }>(meta)?.merged_clients
  return Array.isArray(noted) ? noted : [client]
}

const standingFor = <T extends Pick<EventRow, 'meta'>>(turn: T, merged_clients: readonly Client[]): T => ({
  ...turn,
  meta: toJson({ ...fromJsonOrNull<object>(turn.meta), merged_clients }),
})

const hasActivity = (meta: string | null): boolean => activityOf(fromJsonOrNull(meta)) !== undefined

/** Merges both turns: the agent's turn has more text, the hook's turn has the commands. */
function withActivityOf(turn: Cleaned, stored: EventRow): Cleaned {
  if (hasActivity(turn.meta) || !hasActivity(stored.meta)) return turn
  const { activity } = fromJson<{ activity: unknown }>(stored.meta ?? '{}')
  return { ...turn, meta: toJson({ ...fromJsonOrNull<object>(turn.meta), activity }) }
}

const withWordsOf = async (
  { work }: UserCtx,
  turn: Cleaned,
  { title, content, search_text, redactions }: EventRow,
): Promise<Cleaned> => ({
  ...turn,
  title,
  content,
  search_text,
  redactions,
  words: await work.inPieces(termsOfEvent({ title, content })),
})

async function storedByAnother(ctx: UserCtx, { project }: ResolvedProject, turn: Cleaned) {
  const { session_id, client, content } = turn
  if (!project || session_id === null) return undefined
  const since = new Date(ctx.now().getTime() - SAME_EXCHANGE_MS).toISOString()
  const others = await turnsOfOthers(ctx.db, project, { since, sessionId: session_id, client })
  // A turn that this client has already sent is an earlier exchange: people often repeat the same few words.
  return others.find((other) => isSameMessage(other.content, content) && !clientsOf(other).includes(client))
}
