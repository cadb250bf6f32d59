import type { UserCtx } from '../../core/context.ts'
import { fromJson, fromJsonOrNull, toJson } from '../../db/columns.ts'
import { activityOf } from './activity.ts'
import { appendTo, type Cleaned, type Written } from './append.ts'
import { type EventRow, recount, removeEvent, termsOfEvent } from './events.store.ts'
import type { ResolvedProject } from './resolve-project.ts'
import { turnsOfOthers } from './same-turn.store.ts'
import { isSameMessage } from './turn-content.ts'

/** A hook and its agent send the same exchange at nearly the same time. This allows for a slow one. */
const SAME_EXCHANGE_MS = 10 * 60_000

export type WrittenTurn = Written & { merged: boolean }

/**
 * Writes a turn, unless another client has stored the same exchange of the same session a moment ago: then the fuller
 * of the two stays. Events never change once they are written, so a fuller one replaces the other under a new id. The
 * same client may send the same text twice.
 */
export async function appendTurnOnce(
  ctx: UserCtx,
  resolved: ResolvedProject,
  turn: Cleaned,
): Promise<WrittenTurn> {
  const stored = await storedByAnother(ctx, resolved, turn)
  if (!stored || !resolved.project) return { ...(await appendTo(ctx, resolved, turn)), merged: false }
  const isFuller = turn.content.length > stored.content.length
  if (!isFuller && (hasActivity(stored.meta) || !hasActivity(turn.meta)))
    return { project: resolved.project, event: stored, merged: true }
  await removeEvent(ctx.db, ctx.database.engine, stored)
  await recount(ctx.db, stored, -1)
  const together = isFuller ? withActivityOf(turn, stored) : withWordsOf(turn, stored)
  return { ...(await appendTo(ctx, resolved, together)), merged: true }
}

const hasActivity = (meta: string | null): boolean => activityOf(fromJsonOrNull(meta)) !== undefined

/** The agent's turn has more text, and only the hook's turn has the commands. The one that stays gets both. */
function withActivityOf(turn: Cleaned, stored: EventRow): Cleaned {
  if (hasActivity(turn.meta) || !hasActivity(stored.meta)) return turn
  const { activity } = fromJson<{ activity: unknown }>(stored.meta ?? '{}')
  return { ...turn, meta: toJson({ ...fromJsonOrNull<object>(turn.meta), activity }) }
}

const withWordsOf = (turn: Cleaned, { title, content, search_text, redactions }: EventRow): Cleaned => ({
  ...turn,
  title,
  content,
  search_text,
  redactions,
  terms: termsOfEvent({ title, content }),
})

async function storedByAnother(ctx: UserCtx, { project }: ResolvedProject, turn: Cleaned) {
  const { session_id, client, content } = turn
  if (!project || session_id === null) return undefined
  const since = new Date(ctx.now().getTime() - SAME_EXCHANGE_MS).toISOString()
  const others = await turnsOfOthers(ctx.db, project, { since, sessionId: session_id, client })
  return others.find((other) => isSameMessage(other.content, content))
}
