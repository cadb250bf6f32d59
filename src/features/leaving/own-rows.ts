import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import { contentOfImage } from '../cards/images/content-of-image.ts'

const PAGE = 200

export type Row = Record<string, unknown>

export type Kind = {
  table: keyof Schema
  id: string
  columns?: readonly string[]
  alsoWhere?: 'deleted_at is null'
}

/**
 * Rows of one kind in pages, so that memory holds one page only. Each page continues at the last row, by an index over
 * the time: sorting all rows for every page would keep others waiting.
 */
async function* pagesOf(
  db: Db,
  { table, id, columns = ['*'], alsoWhere }: Kind,
  owner: Record<string, string>,
): AsyncGenerator<Row[]> {
  const wanted = sql.join(columns.map((column) => (column === '*' ? sql`*` : sql.ref(column))))
  const owned = sql.join(
    [
      ...Object.entries(owner).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
      ...(alsoWhere ? [sql.raw(alsoWhere)] : []),
    ],
    sql` and `,
  )
  for (let last: Row | undefined, full = true; full; ) {
    const further = last ? sql`and (created_at, ${sql.ref(id)}) > (${last.created_at}, ${last[id]})` : sql``
    const { rows } = await sql<Row>`select ${wanted} from ${sql.table(table)} where ${owned} ${further}
      order by created_at, ${sql.ref(id)} limit ${sql.lit(PAGE)}`.execute(db)
    yield rows
    last = rows.at(-1)
    full = rows.length === PAGE
  }
}

export async function* rowsOf(db: Db, kind: Kind, owner: Record<string, string>): AsyncGenerator<Row> {
  for await (const page of pagesOf(db, kind, owner)) yield* page
}

/** A card has up to a thousand pieces of evidence, of half a megabyte each. */
const EVIDENCES_AT_ONCE = 10

const EVIDENCED: Kind = {
  table: 'cards',
  id: 'card_id',
  columns: ['card_id', 'created_at', 'evidence_count'],
  alsoWhere: 'deleted_at is null',
}

export async function* evidencesOf(db: Db, userId: string): AsyncGenerator<Row> {
  for await (const card of rowsOf(db, EVIDENCED, { owner_id: userId }))
    for (let next = 0; next < Number(card.evidence_count); next += EVIDENCES_AT_ONCE)
      yield* await db
        .selectFrom('card_evidences')
        .selectAll()
        .where('card_id', '=', String(card.card_id))
        .where('position', '>=', next)
        .where('position', '<', next + EVIDENCES_AT_ONCE)
        .orderBy('position')
        .execute()
}

const IMAGES: Kind = { table: 'card_images', id: 'image_id' }

/** One picture at a time, as base64. */
export async function* imagesOf(db: Db, userId: string): AsyncGenerator<Row> {
  for await (const image of rowsOf(db, IMAGES, { uploaded_by: userId }))
    yield { ...image, content: (await contentOfImage(db, String(image.image_id))).toString('base64') }
}

const EVENTS: Kind = {
  table: 'context_events',
  id: 'event_no',
  columns: [
    'event_no',
    'raw_id',
    'event_type',
    'created_at',
    'title',
    'session_id',
    'client',
    'meta',
    'content',
  ],
}

export async function* eventsOf(db: Db, userId: string): AsyncGenerator<Row> {
  const projects = await db
    .selectFrom('context_projects')
    .select(['project_id', 'project_key'])
    .where('user_id', '=', userId)
    .execute()
  for (const { project_id, project_key } of projects)
    for await (const { event_no: _, ...event } of rowsOf(db, EVENTS, { user_id: userId, project_id }))
      yield { project_key, ...event }
}

const TICKETS: Kind = { table: 'support_tickets', id: 'ticket_id', columns: ['ticket_id', 'created_at'] }

export async function* repliesOf(db: Db, userId: string): AsyncGenerator<Row> {
  for await (const page of pagesOf(db, TICKETS, { user_id: userId })) {
    const ticketIds = page.map((ticket) => String(ticket.ticket_id))
    if (ticketIds.length > 0)
      yield* await db
        .selectFrom('support_replies')
        .select(['reply_id', 'ticket_id', 'from_support', 'message', 'created_at'])
        .where('ticket_id', 'in', ticketIds)
        .orderBy('created_at')
        .execute()
  }
}

const MAX_READS = 100_000

/** Returns the cards of others that the person's agents were shown. They have no time of making, so all come at once. */
export async function* readsOf(db: Db, userId: string): AsyncGenerator<Row> {
  yield* await db
    .selectFrom('card_reads')
    .select(['card_id', 'last_at'])
    .where('user_id', '=', userId)
    .orderBy('card_id')
    .limit(MAX_READS)
    .execute()
}
