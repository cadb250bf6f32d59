import type { UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { RunAgain } from '../../db/db.ts'
import { type EventWithKey, findEvent } from './events.store.ts'
import { lockProject } from './projects.store.ts'

/** An event of the caller's own memory; an event of anybody else is answered like one that does not exist. */
export async function requireOwnEvent(ctx: UserCtx, rawId: string): Promise<EventWithKey> {
  const event = await findEvent(ctx.db, ctx.viewer.userId, rawId)
  if (!event) throw notFound('Event')
  return event
}

/** The same for a transaction that removes it. It locks the project, as all that write to the project do. */
export async function holdOwnEvent(ctx: UserCtx, rawId: string): Promise<EventWithKey> {
  const event = await requireOwnEvent(ctx, rawId)
  if (ctx.database.engine === 'sqlite') return event
  await lockProject(ctx.db, event)
  const locked = await requireOwnEvent(ctx, rawId)
  // Its project was merged into another one in between.
  if (locked.project_id !== event.project_id) throw new RunAgain()
  return locked
}
