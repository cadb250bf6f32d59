import { sql } from 'kysely'
import { toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { Table } from '../../db/distribution.ts'
import type { Schema, UsersTable } from '../../db/schema.ts'
import type { Column } from '../../db/stored-texts.ts'
import { contentOfImage } from '../cards/index.ts'
import { DEFAULT_SETTINGS } from '../identity/index.ts'
import { freeText, holdsText, storedTextBytes } from '../storage/index.ts'

const PAGE = 200

type Row = Record<string, unknown>

type Kind = {
  table: keyof Schema
  id: string
  columns?: readonly string[]
  alsoWhere?: 'deleted_at is null'
}

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

/** A card has up to a thousand pieces of evidence, of half a megabyte each. */
const EVIDENCES_AT_ONCE = 10

const EVIDENCED: Kind = {
  table: 'cards',
  id: 'card_id',
  columns: ['card_id', 'created_at', 'evidence_count'],
  alsoWhere: 'deleted_at is null',
}

async function* evidencesOf(db: Db, userId: string): AsyncGenerator<Row> {
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

const TICKETS: Kind = { table: 'support_tickets', id: 'ticket_id', columns: ['ticket_id', 'created_at'] }

async function* repliesOf(db: Db, userId: string): AsyncGenerator<Row> {
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
async function* readsOf(db: Db, userId: string): AsyncGenerator<Row> {
  yield* await db
    .selectFrom('card_reads')
    .select(['card_id', 'last_at'])
    .where('user_id', '=', userId)
    .orderBy('card_id')
    .limit(MAX_READS)
    .execute()
}

/** How rows appear in an export: along `id` by their time of making, or as `read` returns them. */
type Export<Name extends string> = {
  kind: string
  /** Columns that hold JSON, which an export shows as JSON. */
  json?: readonly Name[]
} & (
  | { id: Name; columns?: readonly Name[]; alsoWhere?: 'deleted_at is null' }
  | { read: (db: Db, userId: string) => AsyncGenerator<Row> }
)

/** `deleted`: by `deleteOwnRows`; `removed` and `partly`: by the feature; `kept`: under a deleted user. */
type End = 'deleted' | 'removed' | 'partly' | 'kept'

type Personal<Name extends string = string> = {
  /** The column with the id of the person. */
  owner: Name
  end: End
  export?: Export<Name>
}

/** Rows that share the end of the row they belong to. */
type Part<Name extends string = string> = { partOf: keyof Schema; export?: Export<Name> }

/** Rows that name nobody but an address. */
type Addressed<Name extends string = string> = { address: Name; end: End }

/** The data of a person, by table, in the order of the export; null where rows belong to nobody. */
export const PERSONAL_DATA = {
  users: { owner: 'user_id', end: 'partly' },
  memberships: { owner: 'user_id', end: 'removed', export: { kind: 'membership', id: 'workspace_id' } },
  cards: {
    owner: 'owner_id',
    end: 'partly',
    export: {
      kind: 'card',
      id: 'card_id',
      alsoWhere: 'deleted_at is null',
      json: [
        'tags',
        'environment',
        'steps',
        'card_payload',
        'review_reasons',
        'edited_fields',
        'origin',
        'cites',
        'trust',
        'team_trust',
      ],
    },
  },
  card_evidences: {
    partOf: 'cards',
    export: { kind: 'evidence', read: evidencesOf, json: ['meta', 'secrets'] },
  },
  card_tags: { partOf: 'cards' },
  card_versions: { partOf: 'cards' },
  card_images: { owner: 'uploaded_by', end: 'partly', export: { kind: 'card_image', read: imagesOf } },
  card_image_parts: { partOf: 'card_images' },
  card_verdicts: {
    owner: 'user_id',
    end: 'kept',
    export: {
      kind: 'verdict',
      id: 'verdict_id',
      json: ['environment'],
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
    },
  },
  card_feedback: {
    owner: 'user_id',
    end: 'kept',
    export: {
      kind: 'feedback',
      id: 'feedback_id',
      columns: ['feedback_id', 'card_id', 'kind', 'comment', 'created_at', 'withdrawn_at'],
    },
  },
  card_comments: {
    owner: 'user_id',
    end: 'removed',
    export: {
      kind: 'comment',
      id: 'comment_id',
      columns: ['comment_id', 'card_id', 'workspace_id', 'body', 'created_at', 'edited_at'],
    },
  },
  card_links: { owner: 'created_by', end: 'kept', export: { kind: 'card_link', id: 'link_id' } },
  card_merges: { owner: 'merged_by', end: 'kept', export: { kind: 'card_merge', id: 'from_card_id' } },
  context_events: {
    owner: 'user_id',
    end: 'removed',
    export: { kind: 'memory_event', read: eventsOf, json: ['meta'] },
  },
  context_projects: { owner: 'user_id', end: 'removed' },
  context_project_aliases: { owner: 'user_id', end: 'removed' },
  context_partitions: { owner: 'user_id', end: 'removed' },
  project_histories: { owner: 'user_id', end: 'removed' },
  project_commits: {
    owner: 'user_id',
    end: 'removed',
    export: {
      kind: 'commit',
      id: 'commit_id',
      columns: ['commit_id', 'kind', 'ref', 'committed_at', 'subject', 'message', 'files', 'created_at'],
      json: ['files'],
    },
  },
  project_commit_words: { owner: 'user_id', end: 'removed' },
  project_commits_due: { owner: 'user_id', end: 'removed' },
  memory_marks: {
    owner: 'user_id',
    end: 'removed',
    export: {
      kind: 'memory_mark',
      id: 'mark_id',
      columns: ['mark_id', 'project_id', 'raw_id', 'reason', 'is_whole', 'created_at'],
    },
  },
  raw_materials: {
    owner: 'owner_id',
    end: 'deleted',
    export: { kind: 'raw_material', id: 'raw_id', json: ['tags', 'meta', 'redactions'] },
  },
  credit_entries: {
    owner: 'user_id',
    end: 'kept',
    export: {
      kind: 'credit_entry',
      id: 'entry_id',
      columns: ['entry_id', 'delta', 'balance_after', 'reason', 'ref_type', 'ref_id', 'created_at'],
    },
  },
  billing_payments: { owner: 'user_id', end: 'kept', export: { kind: 'payment', id: 'payment_id' } },
  card_drafts: {
    owner: 'user_id',
    end: 'deleted',
    export: {
      kind: 'card_draft',
      id: 'draft_id',
      json: ['candidate'],
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
    },
  },
  recoveries: {
    owner: 'user_id',
    end: 'deleted',
    export: {
      kind: 'recovery',
      id: 'recovery_id',
      columns: [
        'recovery_id',
        'project_key',
        'session_id',
        'signature',
        'attempts',
        'is_lesson',
        'no_draft',
        'created_at',
      ],
    },
  },
  notices: {
    owner: 'user_id',
    end: 'deleted',
    export: {
      kind: 'notice',
      id: 'notice_id',
      json: ['details'],
      columns: ['notice_id', 'kind', 'workspace_id', 'details', 'created_at', 'read_at'],
    },
  },
  recall_calls: {
    owner: 'user_id',
    end: 'deleted',
    export: {
      kind: 'recall_call',
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
    },
  },
  recall_items: {
    owner: 'user_id',
    end: 'deleted',
    export: {
      kind: 'recall_item',
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
    },
  },
  card_reports: {
    owner: 'user_id',
    end: 'partly',
    export: {
      kind: 'card_report',
      id: 'report_id',
      columns: ['report_id', 'card_id', 'kind', 'note', 'card_version', 'created_at'],
    },
  },
  // Without the person who decided.
  moderation_matters: {
    owner: 'owner_id',
    end: 'partly',
    export: {
      kind: 'moderation_matter',
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
    },
  },
  publishing_bans: {
    owner: 'user_id',
    end: 'kept',
    export: {
      kind: 'publishing_ban',
      id: 'ban_id',
      columns: ['ban_id', 'workspace_id', 'matter_id', 'reason', 'created_at', 'lifted_at', 'lift_reason'],
    },
  },
  card_reads: { owner: 'user_id', end: 'deleted', export: { kind: 'card_read', read: readsOf } },
  kept_searches: {
    owner: 'user_id',
    end: 'deleted',
    export: {
      kind: 'search',
      id: 'search_id',
      json: ['filters'],
      columns: ['search_id', 'kind', 'name', 'query', 'filters', 'created_at', 'used_at'],
    },
  },
  support_tickets: {
    owner: 'user_id',
    end: 'kept',
    export: {
      kind: 'support_ticket',
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
    },
  },
  support_replies: { partOf: 'support_tickets', export: { kind: 'support_reply', read: repliesOf } },

  support_attachments: { partOf: 'support_tickets' },
  support_conversations: { owner: 'user_id', end: 'deleted' },
  sessions: { owner: 'user_id', end: 'deleted' },
  api_keys: { owner: 'user_id', end: 'deleted' },
  email_tokens: { owner: 'user_id', end: 'deleted' },
  email_changes: { owner: 'user_id', end: 'deleted' },
  oauth_grants: { owner: 'user_id', end: 'removed' },
  oauth_codes: { partOf: 'oauth_grants' },
  oauth_device_codes: { partOf: 'oauth_grants' },
  oauth_tokens: { partOf: 'oauth_grants' },
  first_steps: { owner: 'user_id', end: 'deleted' },
  withdrawals_told: { owner: 'user_id', end: 'deleted' },
  mining_due: { owner: 'user_id', end: 'deleted' },
  rewarded_texts: { owner: 'user_id', end: 'deleted' },
  left_addresses: { owner: 'user_id', end: 'kept' },
  text_usage: { owner: 'user_id', end: 'kept' },
  workspaces: { owner: 'created_by', end: 'kept' },
  workspace_invites: { owner: 'invited_by', end: 'partly' },
  credit_balances: { owner: 'user_id', end: 'kept' },
  billing_customers: { owner: 'user_id', end: 'kept' },
  billing_subscriptions: { owner: 'user_id', end: 'kept' },
  billing_invites: { owner: 'created_by', end: 'partly' },
  billing_redemptions: { owner: 'user_id', end: 'kept' },
  billing_disputes: { partOf: 'billing_payments' },
  audit_log: { owner: 'actor_id', end: 'kept' },
  server_settings: { owner: 'changed_by', end: 'kept' },
  outbox: { address: 'to_address', end: 'partly' },
  login_failures: { address: 'subject', end: 'kept' },
  reset_requests: { address: 'email_normal', end: 'kept' },

  // The service and its operation.
  schema_migrations: null,
  server_secret: null,
  idempotency_keys: null,
  rate_limits: null,
  oauth_clients: null,
  billing_events: null,
  billing_early_refunds: null,
  billing_dev_objects: null,
  billing_dev_events: null,
  signing_keys: null,
  library_snapshots: null,
  library_snapshot_parts: null,
  write_positions: null,
  trust_due: null,
  missed_searches: null,
  missed_search_weeks: null,
  // Indexes, which follow the rows they are made of.
  context_event_index: null,
  search_docs: null,
  search_words: null,
  search_changes: null,
  search_totals: null,
  search_fresh: null,
  search_runs: null,
  search_postings: null,
  search_dead: null,
  search_vectors: null,
  context_event_vectors: null,
  context_vector_marks: null,
  search_vector_state: null,
} as const satisfies {
  [Name in Table]: Name extends keyof Schema
    ? Personal<Column<Name>> | Part<Column<Name>> | Addressed<Column<Name>> | null
    : null
}

const ENTRIES = Object.entries(PERSONAL_DATA) as [keyof Schema, Personal | Part | Addressed | null][]

/** The reader of each kind of row that belongs to a person, oldest rows first. */
export const ownRows: Record<string, (db: Db, userId: string) => AsyncGenerator<Row>> = Object.fromEntries(
  ENTRIES.flatMap(([table, data]) => {
    if (data === null || !('export' in data) || data.export === undefined) return []
    const { export: exported } = data
    const owner = 'owner' in data ? data.owner : ''
    const read =
      'read' in exported
        ? exported.read
        : (db: Db, userId: string) => rowsOf(db, { table, ...exported }, { [owner]: userId })
    return [[exported.kind, (db: Db, userId: string) => withJson(read(db, userId), exported.json ?? [])]]
  }),
)

async function* withJson(rows: AsyncGenerator<Row>, columns: readonly string[]): AsyncGenerator<Row> {
  for await (const row of rows) {
    const parsed = columns.flatMap((column) => {
      const value = row[column]
      return typeof value === 'string' ? [[column, JSON.parse(value)]] : []
    })
    yield { ...row, ...Object.fromEntries(parsed) }
  }
}

/** Deletes the rows of one person that end with the account; returns how many went from tables whose text counts. */
export async function deleteOwnRows(db: Db, userId: string): Promise<Map<keyof Schema, number>> {
  const deleted = new Map<keyof Schema, number>()
  for (const [table, data] of ENTRIES) {
    if (data === null || !('owner' in data) || data.end !== 'deleted') continue
    const rows = sql`delete from ${sql.table(table)} where ${sql.ref(data.owner)} = ${userId}`
    if (!holdsText(table)) {
      await rows.execute(db)
      continue
    }
    const freed = sql<{ user_id: string; bytes: number }>`${rows}
      returning ${sql.ref(data.owner)} as user_id, ${storedTextBytes(table)} as bytes`
    const gone = (await freed.execute(db)).rows
    await freeText(db, gone)
    deleted.set(table, gone.length)
  }
  return deleted
}

const KEPT = Symbol('kept')

/** Keeps whether an address was proven: verdicts and reports keep the weight that they had. */
const deletedUser = (now: string): { [Name in keyof UsersTable]: UsersTable[Name] | typeof KEPT } => ({
  user_id: KEPT,
  email: null,
  email_normal: null,
  password_hash: null,
  google_subject: null,
  display_name: 'deleted user',
  email_verified: KEPT,
  onboarding: null,
  plan: 'free',
  settings: toJson(DEFAULT_SETTINGS),
  personal_workspace_id: KEPT,
  created_at: KEPT,
  updated_at: now,
  deleted_at: now,
  service_admin: 0,
})

export async function anonymiseUser(db: Db, userId: string, now: string): Promise<void> {
  const changes = Object.entries(deletedUser(now)).filter(([, value]) => value !== KEPT)
  await db.updateTable('users').set(Object.fromEntries(changes)).where('user_id', '=', userId).execute()
}
