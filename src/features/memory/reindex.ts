import { sql } from 'kysely'
import { type Ctx, inTx } from '../../core/context.ts'
import { dropFromIndex } from './events.search.ts'
import { indexEvent } from './events.store.ts'

const BATCH = 200

/**
 * Indexes every event of Agent Memory again; returns how many. With `from`, only the events after it, which the index
 * lacks.
 */
export async function reindexEvents(ctx: Ctx, { from = -1 } = {}): Promise<number> {
  const { engine } = ctx.database
  let done = 0
  for (let after = Math.max(0, from); ; ) {
    const batch = await inTx(ctx, async ({ db }) => {
      const rows = await db
        .selectFrom('context_events')
        .selectAll()
        .where('event_no', '>', after)
        .orderBy('event_no')
        .limit(BATCH)
        .execute()
      for (const row of rows) {
        if (from === -1) await dropFromIndex(db, engine, row.user_id, [row.event_no])
        await indexEvent(db, engine, row)
      }
      return rows
    })
    done += batch.length
    const last = batch.at(-1)
    if (!last) return done
    after = last.event_no
  }
}

/**
 * An upgrade empties the index. This fills it before the first search, in the order of the events, and continues where it
 * was stopped, so the last event is in the index only when all are.
 */
export async function fillEmptyEventIndex(ctx: Ctx): Promise<number> {
  if (ctx.database.engine !== 'sqlite') return 0
  // Reads the content table, not the index itself: a connection that has seen the index empty fails its integrity
  // check afterwards.
  const { rows } = await sql<{ indexed: number | null; last: number | null }>`select
    (select max(id) from context_event_words_content) as indexed,
    (select max(event_no) from context_events) as last`.execute(ctx.db)
  const { indexed, last } = { indexed: rows[0]?.indexed ?? 0, last: rows[0]?.last ?? 0 }
  return indexed >= last ? 0 : reindexEvents(ctx, { from: indexed })
}
