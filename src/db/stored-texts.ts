import type { Selectable } from 'kysely'
import { JSON_FIELDS, TEXT_FIELDS } from '../shared/card-fields.ts'
import type { Schema } from './schema.ts'

export type Column<Table extends keyof Schema> = keyof Selectable<Schema[Table]> & string

export type StoredTexts<Name extends string = string> = {
  text: readonly Name[]
  /** JSON in which every string is a text. */
  json?: readonly Name[]
  /** Makes a rescan read the table, under this name and along this column. */
  rescan?: {
    name: string
    id: Name
    /** The further part of the key that decides the shard of the row. */
    shard?: Name
    /** The column that counts what redaction has replaced. */
    findings?: Name
  }
  /** Makes the texts count for the person in `writer`; `columns` if not all of them do. */
  counted?: { writer: Name; isOfCard?: true; columns?: readonly Name[] }
}

const OF_CARD = { isOfCard: true } as const

/** Columns of free text per table; a rescan reports tables in this order and leaves out cards. */
export const STORED_TEXTS = {
  context_events: {
    text: ['title', 'content', 'session_id', 'client'],
    json: ['meta'],
    rescan: { name: 'memory events', id: 'raw_id', shard: 'user_id', findings: 'redactions' },
    counted: { writer: 'user_id' },
  },
  project_commits: {
    text: ['subject', 'message'],
    json: ['files'],
    rescan: { name: 'commits', id: 'commit_id', shard: 'user_id', findings: 'redactions' },
    counted: { writer: 'user_id' },
  },
  // Sealed until the texts are cleaned.
  project_commits_due: { text: [], counted: { writer: 'user_id', columns: ['payload'] } },
  raw_materials: {
    text: ['kind', 'title', 'content', 'source_url'],
    json: ['tags', 'meta'],
    rescan: { name: 'raw materials', id: 'raw_id', findings: 'redactions' },
    counted: { writer: 'owner_id' },
  },
  support_tickets: {
    text: ['subject', 'message', 'category'],
    rescan: { name: 'support tickets', id: 'ticket_id' },
  },
  support_replies: { text: ['message'], rescan: { name: 'ticket replies', id: 'reply_id' } },
  support_attachments: { text: ['file_name'], rescan: { name: 'attachments', id: 'attachment_id' } },
  card_feedback: {
    text: ['comment'],
    rescan: { name: 'feedback comments', id: 'feedback_id' },
    counted: { writer: 'user_id', ...OF_CARD },
  },
  card_comments: {
    text: ['body'],
    rescan: { name: 'comments on cards', id: 'comment_id' },
    counted: { writer: 'user_id', ...OF_CARD },
  },
  card_reports: { text: ['note'], rescan: { name: 'reports of cards', id: 'report_id' } },
  moderation_matters: {
    text: ['ask_note', 'reason', 'appeal_note'],
    rescan: { name: 'moderation', id: 'matter_id' },
  },
  publishing_bans: { text: ['reason', 'lift_reason'], rescan: { name: 'bans', id: 'ban_id' } },
  oauth_clients: { text: ['name', 'uri'], rescan: { name: 'registered apps', id: 'client_id' } },
  api_keys: { text: ['name'], rescan: { name: 'API keys', id: 'key_id' } },
  users: { text: ['display_name'], json: ['onboarding'], rescan: { name: 'people', id: 'user_id' } },
  workspaces: { text: ['name'], json: ['policy_json'], rescan: { name: 'workspaces', id: 'workspace_id' } },
  notices: { text: [], json: ['details'], rescan: { name: 'notices', id: 'notice_id' } },
  card_links: { text: ['why'], rescan: { name: 'links of cards', id: 'link_id' } },
  card_merges: { text: ['why'], rescan: { name: 'merged cards', id: 'from_card_id' } },
  card_drafts: {
    text: ['project_key', 'session_id', 'client'],
    json: ['candidate'],
    rescan: { name: 'drafts', id: 'draft_id' },
    counted: { writer: 'user_id', columns: ['candidate'] },
  },
  kept_searches: {
    text: ['name', 'query'],
    json: ['filters'],
    rescan: { name: 'kept searches', id: 'search_id' },
  },
  billing_invites: { text: ['note'], rescan: { name: 'invite codes', id: 'invite_id' } },

  // A text of a card is written by the person who made that version of it.
  cards: {
    text: TEXT_FIELDS,
    json: JSON_FIELDS,
    counted: { writer: 'edited_by', ...OF_CARD },
  },
  card_versions: { text: [], json: ['content'], counted: { writer: 'edited_by', ...OF_CARD } },
  card_evidences: { text: ['content'], json: ['meta'], counted: { writer: 'added_by', ...OF_CARD } },
  card_verdicts: {
    text: ['evidence', 'note', 'applied_in'],
    counted: { writer: 'user_id', ...OF_CARD },
  },

  audit_log: { text: [], json: ['details'] },

  memory_marks: { text: ['hashes'], counted: { writer: 'user_id' } },

  // Keys, numbers and times.
  schema_migrations: null,
  sessions: null,
  email_tokens: null,
  first_steps: null,
  login_failures: null,
  reset_requests: null,
  rate_limits: null,
  text_usage: null,
  memberships: null,
  credit_balances: null,
  credit_entries: null,
  rewarded_texts: null,
  left_addresses: null,
  trust_due: null,
  card_images: null,
  card_image_parts: null,
  recall_items: null,
  mining_due: null,
  server_secret: null,
  server_settings: null,
  oauth_grants: null,
  oauth_codes: null,
  oauth_device_codes: null,
  oauth_tokens: null,
  billing_customers: null,
  billing_subscriptions: null,
  billing_events: null,
  billing_payments: null,
  billing_early_refunds: null,
  billing_disputes: null,
  billing_redemptions: null,
  card_reads: null,
  signing_keys: null,
  library_snapshots: null,
  // Addresses, names of projects, and settings.
  email_changes: null,
  workspace_invites: null,
  context_projects: null,
  context_project_aliases: null,
  context_partitions: null,
  project_histories: null,
  recall_calls: null,
  recoveries: null,
  withdrawals_told: null,
  billing_dev_objects: null,
  billing_dev_events: null,
  // Sealed, or for machines.
  idempotency_keys: null,
  support_conversations: null,
  outbox: null,
  // Made from texts above.
  card_tags: null,
  project_commit_words: null,
  missed_searches: null,
  missed_search_weeks: null,
  library_snapshot_parts: null,
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
} as const satisfies { [Table in keyof Schema]: StoredTexts<Column<Table>> | null }
