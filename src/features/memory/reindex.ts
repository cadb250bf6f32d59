import { type Ctx, inTx } from '../../core/context.ts'
import { dropFromIndex } from './events.search.ts'
import { indexEvent } from './events.store.ts'

const BATCH = 200

/** Indexes every event of Agent Memory anew; returns how many. */
export async function reindexEvents(ctx: Ctx): Promise<number> {
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
      await dropFromIndex(
        db,
        engine,
        rows.map((row) => row.event_no),
      )
      for (const row of rows) await indexEvent(db, engine, row)
      return rows
    })
    done += batch.length
    const last = batch.at(-1)
    if (!last) return done
    after = last.event_no
  }
}
