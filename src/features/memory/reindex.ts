import { type Ctx, inTx } from '../../core/context.ts'
import type { Db, EngineName } from '../../db/db.ts'
import { dropFromIndex, indexedAmong, lacksNewest } from './events.search.ts'
import { findEvent, indexEvent, searchTextOf } from './events.store.ts'

const BATCH = 200

/**
 * Indexes every event of Agent Memory again, or only those that the index lacks; returns how many. It asks for each batch
 * what is there already, because several processes may start at once.
 */
export async function reindexEvents(ctx: Ctx, which: 'all' | 'missing' = 'all'): Promise<number> {
  const { engine } = ctx.database
  let done = 0
  for (let after = 0; ; ) {
    const { last, indexed } = await inTx(ctx, async ({ db }) => {
      const rows = await db
        .selectFrom('context_events')
        .selectAll()
        .where('event_no', '>', after)
        .orderBy('event_no')
        .limit(BATCH)
        .execute()
      const numbers = rows.map((row) => row.event_no)
      const present = which === 'missing' ? await indexedAmong(db, engine, numbers) : new Set()
      const wanted = rows.filter((row) => !present.has(row.event_no))
      for (const row of wanted) {
        if (which === 'all') await dropFromIndex(db, engine, row.user_id, [row.event_no])
        await indexEvent(db, engine, row)
      }
      return { last: numbers.at(-1), indexed: wanted.length }
    })
    done += indexed
    if (last === undefined) return done
    after = last
  }
}

/** Brings the search text and the index of an event to its texts, which a rescan has changed. */
export async function reindexRescanned(
  db: Db,
  engine: EngineName,
  { user_id = '', raw_id = '' }: Record<string, string>,
): Promise<void> {
  const event = await findEvent(db, user_id, raw_id)
  if (!event) return
  const search_text = searchTextOf(event.title, event.content)
  await db
    .updateTable('context_events')
    .set({ search_text })
    .where('user_id', '=', user_id)
    .where('raw_id', '=', raw_id)
    .execute()
  await dropFromIndex(db, engine, user_id, [event.event_no])
  await indexEvent(db, engine, { ...event, search_text })
}

/**
 * An upgrade empties the index, and a restore may be killed before it has filled it. This fills it before the first
 * search. The index is filled in the order of the events, so it has the newest event only when it has all. To look at
 * that event alone keeps a start quick, however many there are.
 */
export async function fillEventIndex(ctx: Ctx): Promise<number> {
  return (await lacksNewest(ctx.db, ctx.database.engine)) ? reindexEvents(ctx, 'missing') : 0
}
