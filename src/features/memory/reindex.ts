import { sql } from 'kysely'
import { type Ctx, inTx } from '../../core/context.ts'
import { dropFromIndex } from './events.search.ts'
import { indexEvent } from './events.store.ts'

const BATCH = 200

/** Indexes every event of Agent Memory anew; returns how many. From an empty index nothing is taken out first. */
export async function reindexEvents(ctx: Ctx, { isEmpty = false } = {}): Promise<number> {
  const { engine } = ctx.database
  let done = 0
  for (let after = 0; ; ) {
    const batch = await inTx(ctx, async ({ db }) => {
      const rows = await db
        .selectFrom('context_events')
        .selectAll()
        .where('event_no', '>', after)
        .orderBy('event_no')
        .limit(BATCH)
        .execute()
      const numbers = rows.map((row) => row.event_no)
      if (!isEmpty) await dropFromIndex(db, engine, numbers)
      for (const row of rows) await indexEvent(db, engine, row)
      return rows
    })
    done += batch.length
    const last = batch.at(-1)
    if (!last) return done
    after = last.event_no
  }
}

/** A vault with events and an empty index comes from an upgrade: fills the index before anybody searches in vain. */
export async function fillEmptyEventIndex(ctx: Ctx): Promise<number> {
  if (ctx.database.engine !== 'sqlite') return 0
  // Its content, not the index itself: a connection that has seen it empty fails its integrity check afterwards.
  const { rows } = await sql`select id from context_event_words_content limit 1`.execute(ctx.db)
  return rows.length > 0 ? 0 : reindexEvents(ctx, { isEmpty: true })
}
