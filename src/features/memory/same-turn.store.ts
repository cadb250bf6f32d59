import type { Db } from '../../db/db.ts'
import { countText, rowsOf } from '../storage/text-usage.ts'
import type { EventRow } from './events.store.ts'
import type { ProjectRef } from './partitions.store.ts'

/** Turns of a session that another client wrote since a moment, newest first. */
export async function turnsOfOthers(
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

export async function saveMeta(
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
