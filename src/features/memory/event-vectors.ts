import { sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import {
  bytesOf,
  type Made,
  type Missing,
  nearestTo,
  pgvectorOrNull,
  questionVector,
  type VectorScope,
  type VectorSource,
} from '../../embeddings/index.ts'
import { type EventRange, eventNumber, partitionOf } from './event-index.ts'

/** How many events near in meaning join those found by words. */
const MAX_NEAR = 50
const PARTITIONS_AT_ONCE = 50
const REMOVED_AT_ONCE = 500

/** Returns the events of a person's ranges nearest in meaning, best first; undefined if only words can be compared. */
export async function eventsByMeaning(
  ctx: Ctx,
  ranges: readonly EventRange[],
  question: string,
): Promise<number[] | undefined> {
  const [first] = ranges
  const vector = first && (await questionVector(ctx, question))
  if (!vector) return undefined
  const within = ranges.map(({ from, to }) => sql`context_event_vectors.event_no between ${from} and ${to}`)
  const events: VectorScope = {
    table: 'context_event_vectors',
    number: sql<number>`context_event_vectors.event_no`,
    from: sql`context_event_vectors
      where context_event_vectors.user_id = ${first.userId} and (${sql.join(within, sql` or `)})`,
  }
  const near = await nearestTo(ctx, events, vector, MAX_NEAR)
  return near?.map(({ number }) => number)
}

type Partition = { partition_no: number; user_id: string; last_seq: number; done: number }

/** Events never change, so a partition has all its vectors up to a position. */
async function openPartitions(ctx: Ctx, model: string): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select partitions.partition_no, partitions.user_id, partitions.last_seq, coalesce(marks.last_seq, 0) as done
    from context_partitions as partitions
    left join context_vector_marks as marks on marks.partition_no = partitions.partition_no
      and marks.user_id = partitions.user_id and marks.model = ${model}
    where partitions.last_seq > coalesce(marks.last_seq, 0)
    order by partitions.partition_no limit ${sql.lit(PARTITIONS_AT_ONCE)}`.execute(ctx.db)
  return rows
}

async function missingEvents(ctx: Ctx, model: string, _after: number, limit: number): Promise<Missing[]> {
  const missing: Missing[] = []
  for (const { partition_no, user_id, last_seq, done } of await openPartitions(ctx, model)) {
    const end = eventNumber(partition_no, last_seq)
    const rows = await ctx.db
      .selectFrom('context_events')
      .select('event_no')
      .where('user_id', '=', user_id)
      .where('event_no', '>', eventNumber(partition_no, done))
      .where('event_no', '<=', end)
      .orderBy('event_no')
      .limit(limit - missing.length)
      .execute()
    // All events after the mark are deleted.
    if (rows.length === 0) await markDone(ctx, model, [{ eventNo: end, userId: user_id }])
    for (const { event_no } of rows) missing.push({ id: user_id, mark: event_no, hash: null })
    if (missing.length >= limit) break
  }
  return missing
}

type EventRef = { eventNo: number; userId: string }

const markDone = (ctx: Ctx, model: string, events: readonly EventRef[]): Promise<void> =>
  inTx(
    ctx,
    async ({ db, database }) => {
      const key =
        database.engine === 'sqlite' ? ['partition_no' as const] : (['partition_no', 'user_id'] as const)
      for (const { eventNo, userId } of events) {
        const partition = partitionOf(eventNo)
        const last_seq = eventNo - eventNumber(partition, 0)
        await db
          .insertInto('context_vector_marks')
          .values({ partition_no: partition, user_id: userId, model, last_seq })
          .onConflict((conflict) => conflict.columns([...key]).doUpdateSet({ model, last_seq }))
          .execute()
      }
    },
    SELF_GUARDED,
  )

async function textsOfEvents(ctx: Ctx, missing: readonly Missing[]): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  for (const [userId, some] of Map.groupBy(missing, ({ id }) => id)) {
    const numbers = some.map(({ mark }) => mark)
    const rows = await ctx.db
      .selectFrom('context_events')
      .select(['event_no', 'title', 'content'])
      .where('user_id', '=', userId)
      .where('event_no', 'in', numbers)
      .execute()
    for (const { event_no, title, content } of rows)
      texts.set(event_no, title ? `${title}\n${content}` : content)
  }
  return texts
}

async function storeVectors(ctx: Ctx, made: readonly Made[], hasPgvector: boolean): Promise<void> {
  const bytes = sql.raw(ctx.database.engine === 'sqlite' ? 'blob' : 'bytea')
  const key = sql.raw(ctx.database.engine === 'sqlite' ? 'event_no' : 'event_no, user_id')
  const last = new Map<number, EventRef>()
  for (const { id, mark, model, vector } of made) {
    await sql`insert into context_event_vectors (event_no, user_id, model, dimensions, vector)
      select event_no, user_id, cast(${model} as text), cast(${vector?.length ?? 0} as integer),
        cast(${vector ? bytesOf(vector) : null} as ${bytes})
      from context_events where user_id = ${id} and event_no = ${mark}
      on conflict (${key}) do update set model = excluded.model, dimensions = excluded.dimensions,
        vector = excluded.vector`.execute(ctx.db)
    if (hasPgvector)
      await sql`update context_event_vectors set embedding = ${pgvectorOrNull(vector)}
        where user_id = ${id} and event_no = ${mark}`.execute(ctx.db)
    last.set(partitionOf(mark), { eventNo: mark, userId: id })
  }
  const [first] = made
  if (first) await markDone(ctx, first.model, [...last.values()])
}

/** Vectors go with their events. */
async function removeLooseMarks(ctx: Ctx): Promise<void> {
  const gone = sql`delete from context_vector_marks where not exists (select 1 from context_partitions
    where context_partitions.partition_no = context_vector_marks.partition_no
      and context_partitions.user_id = context_vector_marks.user_id)`
  await inTx(ctx, ({ db }) => gone.execute(db), SELF_GUARDED)
}

async function removeVectors(ctx: Ctx, all: boolean): Promise<number> {
  if (!all) {
    await removeLooseMarks(ctx)
    return 0
  }
  const rows = await ctx.db
    .selectFrom('context_event_vectors')
    .select(['event_no', 'user_id'])
    .limit(REMOVED_AT_ONCE)
    .execute()
  const remove = async ({ db }: Ctx) => {
    for (const { event_no, user_id } of rows)
      await db
        .deleteFrom('context_event_vectors')
        .where('user_id', '=', user_id)
        .where('event_no', '=', event_no)
        .execute()
    if (rows.length === 0) await db.deleteFrom('context_vector_marks').execute()
  }
  await inTx(ctx, remove, SELF_GUARDED)
  return rows.length
}

export const eventVectors: VectorSource = {
  name: 'events',
  last: async () => 0,
  missing: missingEvents,
  texts: textsOfEvents,
  store: storeVectors,
  keep: async () => {},
  remove: removeVectors,
}
