import type { UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { type EventWithKey, findEvent } from './events.store.ts'

/** An event of the caller's own memory; an event of anybody else is answered like one that does not exist. */
export async function requireOwnEvent(ctx: UserCtx, rawId: string): Promise<EventWithKey> {
  const event = await findEvent(ctx.db, ctx.viewer.userId, rawId)
  if (!event) throw notFound('Event')
  return event
}
