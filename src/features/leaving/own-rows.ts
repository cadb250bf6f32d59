import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import { contentOfImage } from '../cards/images/content-of-image.ts'

const PAGE = 200

export type Row = Record<string, unknown>

type Kind = { table: keyof Schema; id: string; columns?: readonly string[]; alsoWhere?: 'deleted_at is null' }

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

async function* rowsOf(db: Db, kind: Kind, owner: Record<string, string>): AsyncGenerator<Row> {
  for await (const page of pagesOf(db, kind, owner)) yield* page
}

const CARDS: Kind = { table: 'cards', id: 'card_id', alsoWhere: 'deleted_at is null' }

/** A card has up to a thousand pieces of evidence, of half a megabyte each. */
const EVIDENCES_AT_ONCE = 10

async function* evidencesOf(db: Db, userId: string): AsyncGenerator<Row> {
  const cards: Kind = { ...CARDS, columns: ['card_id', 'created_at', 'evidence_count'] }
  for await (const card of rowsOf(db, cards, { owner_id: userId }))
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
async function* imagesOf(db: Db, userId: string): AsyncGenerator<Row> {
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

async function* eventsOf(db: Db, userId: string): AsyncGenerator<Row> {
  const projects = await db
    .selectFrom('context_projects')
    .select(['project_id', 'project_key'])
    .where('user_id', '=', userId)
    .execute()
  for (const { project_id, project_key } of projects)
    for await (const { event_no: _, ...event } of rowsOf(db, EVENTS, { user_id: userId, project_id }))
      yield { project_key, ...event }
}

const ENTRIES: Kind = {
  table: 'credit_entries',
  id: 'entry_id',
  columns: ['entry_id', 'delta', 'balance_after', 'reason', 'ref_type', 'ref_id', 'created_at'],
}
const TICKETS: Kind = {
  table: 'support_tickets',
  id: 'ticket_id',
  columns: [
    'ticket_id',
    'email',
    'subject',
    'message',
    'category',
    'plan',
    'status',
    'created_at',
    'closed_at',
  ],
}

async function* repliesOf(db: Db, userId: string): AsyncGenerator<Row> {
  const ids: Kind = { ...TICKETS, columns: ['ticket_id', 'created_at'] }
  for await (const page of pagesOf(db, ids, { user_id: userId })) {
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

const VERDICTS: Kind = {
  table: 'card_verdicts',
  id: 'verdict_id',
  columns: [
    'verdict_id',
    'card_id',
    'card_version',
    'outcome',
    'environment',
    'evidence',
    'note',
    'applied_in',
    'created_at',
  ],
}

const FEEDBACK: Kind = {
  table: 'card_feedback',
  id: 'feedback_id',
  columns: ['feedback_id', 'card_id', 'kind', 'comment', 'created_at', 'withdrawn_at'],
}

const COMMENTS: Kind = {
  table: 'card_comments',
  id: 'comment_id',
  columns: ['comment_id', 'card_id', 'workspace_id', 'body', 'created_at', 'edited_at'],
}

const NOTICES: Kind = {
  table: 'notices',
  id: 'notice_id',
  columns: ['notice_id', 'kind', 'workspace_id', 'details', 'created_at', 'read_at'],
}

const DRAFTS: Kind = {
  table: 'card_drafts',
  id: 'draft_id',
  columns: [
    'draft_id',
    'status',
    'candidate',
    'project_key',
    'session_id',
    'client',
    'card_id',
    'created_at',
    'expires_at',
    'decided_at',
  ],
}

const RECOVERIES: Kind = {
  table: 'recoveries',
  id: 'recovery_id',
  columns: ['recovery_id', 'project_key', 'session_id', 'signature', 'attempts', 'is_lesson', 'created_at'],
}

const RECALL_CALLS: Kind = {
  table: 'recall_calls',
  id: 'call_id',
  columns: [
    'call_id',
    'project_key',
    'session_id',
    'client',
    'moment',
    'signature',
    'is_silent',
    'reason',
    'chars',
    'created_at',
  ],
}
const RECALL_ITEMS: Kind = {
  table: 'recall_items',
  id: 'delivery_id',
  columns: [
    'delivery_id',
    'call_id',
    'session_id',
    'kind',
    'item_id',
    'confidence',
    'opened_at',
    'created_at',
  ],
}

const SEARCHES: Kind = {
  table: 'kept_searches',
  id: 'search_id',
  columns: ['search_id', 'kind', 'name', 'query', 'filters', 'created_at', 'used_at'],
}

const REPORTS: Kind = {
  table: 'card_reports',
  id: 'report_id',
  columns: ['report_id', 'card_id', 'kind', 'note', 'card_version', 'created_at'],
}
/** Without who decided. */
const MODERATION: Kind = {
  table: 'moderation_matters',
  id: 'matter_id',
  columns: [
    'matter_id',
    'card_id',
    'workspace_id',
    'cause',
    'status',
    'ask_note',
    'decision',
    'reason',
    'decided_at',
    'appeal_note',
    'appealed_at',
    'created_at',
  ],
}
const BANS: Kind = {
  table: 'publishing_bans',
  id: 'ban_id',
  columns: ['ban_id', 'workspace_id', 'matter_id', 'reason', 'created_at', 'lifted_at', 'lift_reason'],
}

/** Which cards of others the person's agents were shown; there is no time of making, so all at once. */
async function* readsOf(db: Db, userId: string): AsyncGenerator<Row> {
  yield* await db
    .selectFrom('card_reads')
    .select(['card_id', 'last_at'])
    .where('user_id', '=', userId)
    .orderBy('card_id')
    .limit(MOST_READS)
    .execute()
}
const MOST_READS = 100_000

/** What belongs to one person, by kind, oldest first. */
export const ownRows: Record<string, (db: Db, userId: string) => AsyncGenerator<Row>> = {
  card: (db, userId) => rowsOf(db, CARDS, { owner_id: userId }),
  evidence: evidencesOf,
  card_image: imagesOf,
  verdict: (db, userId) => rowsOf(db, VERDICTS, { user_id: userId }),
  feedback: (db, userId) => rowsOf(db, FEEDBACK, { user_id: userId }),
  comment: (db, userId) => rowsOf(db, COMMENTS, { user_id: userId }),
  card_link: (db, userId) => rowsOf(db, { table: 'card_links', id: 'link_id' }, { created_by: userId }),
  card_merge: (db, userId) => rowsOf(db, { table: 'card_merges', id: 'from_card_id' }, { merged_by: userId }),
  memory_event: eventsOf,
  raw_material: (db, userId) => rowsOf(db, { table: 'raw_materials', id: 'raw_id' }, { owner_id: userId }),
  credit_entry: (db, userId) => rowsOf(db, ENTRIES, { user_id: userId }),
  payment: (db, userId) => rowsOf(db, { table: 'billing_payments', id: 'payment_id' }, { user_id: userId }),
  card_draft: (db, userId) => rowsOf(db, DRAFTS, { user_id: userId }),
  recovery: (db, userId) => rowsOf(db, RECOVERIES, { user_id: userId }),
  notice: (db, userId) => rowsOf(db, NOTICES, { user_id: userId }),
  recall_call: (db, userId) => rowsOf(db, RECALL_CALLS, { user_id: userId }),
  recall_item: (db, userId) => rowsOf(db, RECALL_ITEMS, { user_id: userId }),
  card_report: (db, userId) => rowsOf(db, REPORTS, { user_id: userId }),
  moderation_matter: (db, userId) => rowsOf(db, MODERATION, { owner_id: userId }),
  publishing_ban: (db, userId) => rowsOf(db, BANS, { user_id: userId }),
  card_read: readsOf,
  search: (db, userId) => rowsOf(db, SEARCHES, { user_id: userId }),
  support_ticket: (db, userId) => rowsOf(db, TICKETS, { user_id: userId }),
  support_reply: repliesOf,
}
