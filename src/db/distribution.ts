import { sql } from 'kysely'
import type { Database, Db } from './db.ts'
import { acquireLock } from './locks.ts'
import type { Schema } from './schema.ts'

/** All tables, with those that only PostgreSQL has and no typed query names. */
export type Table = keyof Schema | 'context_event_index' | 'write_positions'

/** How tables are distributed over a cluster (docs/scale.md); `reference` is a full copy on every node. */
export const DISTRIBUTION = {
  // A card, its parts and its index entries share a shard.
  cards: 'card_id',
  card_tags: 'card_id',
  card_evidences: 'card_id',
  card_versions: 'card_id',
  card_feedback: 'card_id',
  card_verdicts: 'card_id',
  card_links: 'from_card_id',
  card_merges: 'from_card_id',
  trust_due: 'card_id',
  card_comments: 'card_id',
  search_docs: 'card_id',
  search_vectors: 'card_id',
  // The posting lists of one range of cards share a shard.
  search_runs: 'run',
  search_postings: 'run',
  context_projects: 'user_id',
  context_partitions: 'user_id',
  context_events: 'user_id',
  context_event_index: 'user_id',
  context_event_vectors: 'user_id',
  context_vector_marks: 'user_id',
  context_project_aliases: 'user_id',
  project_histories: 'user_id',
  project_commits: 'user_id',
  project_commit_words: 'user_id',
  memory_marks: 'user_id',
  credit_balances: 'user_id',
  credit_entries: 'user_id',
  rewarded_texts: 'user_id',
  raw_materials: 'raw_id',
  text_usage: 'user_id',
  notices: 'user_id',
  first_steps: 'user_id',
  kept_searches: 'user_id',
  missed_searches: 'workspace_id',
  missed_search_weeks: 'workspace_id',
  recall_calls: 'user_id',
  recall_items: 'user_id',
  card_reads: 'user_id',
  withdrawals_told: 'user_id',
  card_drafts: 'user_id',
  mining_due: 'user_id',
  recoveries: 'user_id',
  // Sharded by what the caller presents.
  sessions: 'token_hash',
  api_keys: 'key_hash',
  idempotency_keys: 'key_hash',
  rate_limits: 'key',

  users: 'reference',
  workspaces: 'reference',
  memberships: 'reference',
  search_words: 'reference',
  search_totals: 'reference',
  schema_migrations: 'reference',

  search_changes: 'single',
  search_fresh: 'single',
  search_dead: 'reference',
  search_vector_state: 'single',
  email_tokens: 'single',
  email_changes: 'single',
  login_failures: 'single',
  left_addresses: 'single',
  reset_requests: 'single',
  workspace_invites: 'single',
  audit_log: 'single',
  outbox: 'single',
  project_commits_due: 'single',
  server_secret: 'single',
  server_settings: 'single',
  oauth_clients: 'single',
  oauth_grants: 'single',
  oauth_codes: 'single',
  oauth_device_codes: 'single',
  oauth_tokens: 'single',
  billing_customers: 'single',
  billing_subscriptions: 'single',
  billing_events: 'single',
  billing_payments: 'single',
  billing_early_refunds: 'single',
  billing_disputes: 'single',
  billing_invites: 'single',
  billing_redemptions: 'single',
  billing_dev_objects: 'single',
  billing_dev_events: 'single',
  moderation_matters: 'single',
  card_reports: 'single',
  publishing_bans: 'single',
  support_tickets: 'single',
  support_attachments: 'single',
  support_conversations: 'single',
  support_replies: 'single',
  // An image may exist before its card, so no column can name the card's shard.
  card_images: 'single',
  card_image_parts: 'single',
  write_positions: 'single',
  signing_keys: 'single',
  library_snapshots: 'single',
  library_snapshot_parts: 'single',
} as const satisfies Record<Table, string>

type ForeignKey = { name: string; table: string; definition: string }

async function foreignKeys(db: Db): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
  `.execute(db)
  return rows
}

async function tablesLaidOut(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select logicalrelid::text as name from pg_dist_partition
  `.execute(db)
  return new Set(rows.map((row) => row.name))
}

/** Tables on the coordinator are registered too, so that Citus commits them together with workers. */
async function layOutTable(db: Db, table: string, by: string): Promise<void> {
  if (by === 'single') {
    await sql`select citus_add_local_table_to_metadata(${table}::regclass)`.execute(db)
    return
  }
  if (by === 'reference') await sql`select create_reference_table(${table}::regclass)`.execute(db)
  else await sql`select create_distributed_table(${table}::regclass, ${by})`.execute(db)
  // After a restore the rows are on their nodes; the coordinator's hidden copy is deleted.
  await sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.execute(db)
}

/** Drops foreign keys meanwhile, because Citus cannot move one end of a key alone. */
export function layOut(database: Database): Promise<string[]> {
  return database.transaction(
    async (db) => {
      await acquireLock(db, database.engine, 'migration')
      // Our triggers read only their own row, so they are safe on a shard.
      await sql`set local citus.enable_unsafe_triggers = on`.execute(db)
      await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(db)
      const done = await tablesLaidOut(db)
      const pending = Object.entries(DISTRIBUTION).filter(([table]) => !done.has(table))
      if (pending.length === 0) return []
      const keys = await foreignKeys(db)
      for (const { name, table } of keys)
        await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
      for (const [table, by] of pending) await layOutTable(db, table, by)
      for (const { name, table, definition } of keys)
        await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
          db,
        )
      return pending.map(([table]) => table)
    },
    { isolation: 'read committed', mayTakeLong: true },
  )
}
