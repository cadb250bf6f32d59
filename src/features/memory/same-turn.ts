import type { UserCtx } from '../../core/context.ts'
import { fromJson, fromJsonOrNull, toJson } from '../../db/columns.ts'
import { activityOf } from './activity.ts'
import { appendTo, type Cleaned, type Written } from './append.ts'
import { type EventRow, recount, removeEvent, termsOfEvent } from './events.store.ts'
import type { ResolvedProject } from './resolve-project.ts'
import { saveMeta, turnsOfOthers } from './same-turn.store.ts'
import { isSameMessage } from './turn-content.ts'

/** A hook and its agent send the same exchange at nearly the same time. This allows for a slow one. */
const SAME_EXCHANGE_MS = 10 * 60_000

export type WrittenTurn = Written & { merged: boolean }

/**
 * Writes a turn, unless another client has stored the same exchange of the same session a moment ago: then the fuller
 * of the two stays, with a note of whom it stands for. The text of an event never changes once it is written, so a fuller
 * one replaces the other under a new id. The same client may send the same text twice.
 */
export async function appendTurnOnce(
  ctx: UserCtx,
  resolved: ResolvedProject,
  turn: Cleaned,
): Promise<WrittenTurn> {
  const stored = await storedByAnother(ctx, resolved, turn)
  if (!stored || !resolved.project) return { ...(await appendTo(ctx, resolved, turn)), merged: false }
  const clients = [...clientsOf(stored), turn.client].slice(-MOST_CLIENTS)
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

/** More clients than ever work in one session. */
const MOST_CLIENTS = 20

type Client = string | null

/** The clients that have sent this exchange. */
function clientsOf({ client, meta }: Pick<EventRow, 'client' | 'meta'>): Client[] {
  const noted = fromJsonOrNull<{ merged_clients?: unknown }>(meta)?.merged_clients
  return Array.isArray(noted) ? noted : [client]
}

const standingFor = <T extends Pick<EventRow, 'meta'>>(turn: T, merged_clients: readonly Client[]): T => ({
  ...turn,
  meta: toJson({ ...fromJsonOrNull<object>(turn.meta), merged_clients }),
})

const hasActivity = (meta: string | null): boolean => activityOf(fromJsonOrNull(meta)) !== undefined

/** The agent's turn has more text, and only the hook's turn has the commands. The one that stays gets both. */
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
  // A turn that this client has its part in is an earlier exchange: people often send the same few words.
  return others.find((other) => isSameMessage(other.content, content) && !clientsOf(other).includes(client))
}
