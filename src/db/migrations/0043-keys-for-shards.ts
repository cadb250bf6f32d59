import type { EngineName } from '../db.ts'
import type { Migration } from './migrate.ts'

/** The column that decides the shard of a row becomes the second part of its key, so a lookup by id alone still uses the key. */
const keyWith = (table: string, id: string, shardColumn: string) => [
  `alter table ${table} drop constraint ${table}_pkey`,
  `alter table ${table} add primary key (${id}, ${shardColumn})`,
]

const KEYS = [
  ['api_keys', 'key_id', 'key_hash'],
  ['sessions', 'session_id', 'token_hash'],
  ['card_comments', 'comment_id', 'card_id'],
  ['card_evidences', 'evidence_id', 'card_id'],
  ['card_feedback', 'feedback_id', 'card_id'],
  ['card_verdicts', 'verdict_id', 'card_id'],
  ['card_links', 'link_id', 'from_card_id'],
  ['search_docs', 'doc_no', 'card_id'],
  ['context_partitions', 'partition_no', 'user_id'],
  ['context_event_index', 'event_no', 'user_id'],
  ['context_events', 'event_no', 'user_id'],
  ['context_projects', 'project_id', 'user_id'],
  ['credit_entries', 'entry_id', 'user_id'],
  ['notices', 'notice_id', 'user_id'],
  ['kept_searches', 'search_id', 'user_id'],
  ['recall_calls', 'call_id', 'user_id'],
  ['recall_items', 'delivery_id', 'user_id'],
  ['card_drafts', 'draft_id', 'user_id'],
  ['recoveries', 'recovery_id', 'user_id'],
] as const

const PROJECT_PARTS = ['context_events', 'context_partitions', 'context_project_aliases']

/** These rows are on one node or in the shard of a person, so a foreign key to a card cannot reach across. */
const APART_FROM_CARDS = ['card_images', 'card_reports', 'card_reads', 'withdrawals_told']

/** Rows that are deleted only together with their card, by the foreign key. */
const KEPT_WITH_CARD = ['card_evidences', 'card_versions', 'card_verdicts']

const onPostgres = () => [
  ...PROJECT_PARTS.map((table) => `alter table ${table} drop constraint ${table}_project_id_fkey`),
  'alter table context_event_index drop constraint context_event_index_event_no_fkey',
  ...KEYS.flatMap(([table, id, shardColumn]) => keyWith(table, id, shardColumn)),
  'alter table context_events drop constraint context_events_raw_id_key',
  'alter table context_events add constraint context_events_raw_id_key unique (raw_id, user_id)',
  ...PROJECT_PARTS.map(
    (table) => `alter table ${table} add constraint ${table}_project_id_fkey
      foreign key (project_id, user_id) references context_projects(project_id, user_id)`,
  ),
  `alter table context_event_index add constraint context_event_index_event_no_fkey
    foreign key (event_no, user_id) references context_events(event_no, user_id) on delete cascade`,
  ...APART_FROM_CARDS.map((table) => `alter table ${table} drop constraint ${table}_card_id_fkey`),
  ...KEPT_WITH_CARD.flatMap((table) => [
    `drop trigger ${table}_no_change on ${table}`,
    `alter table ${table} drop constraint ${table}_card_id_fkey`,
    `alter table ${table} add constraint ${table}_card_id_fkey
      foreign key (card_id) references cards(card_id) on delete cascade`,
  ]),
  'drop function refuse_unless_card_deleted',
  // Reads only its own row, so that it works on a shard. A deletion by the foreign key runs inside that key's own trigger.
  `create function refuse_unless_card_goes() returns trigger language plpgsql as
    $$ begin
      if tg_op = 'DELETE' and pg_trigger_depth() > 1 then return old; end if;
      raise exception '% is append-only', tg_table_name;
    end $$`,
  ...KEPT_WITH_CARD.map(
    (table) => `create trigger ${table}_no_change before update or delete on ${table}
      for each row execute function refuse_unless_card_goes()`,
  ),
  `create function refuse_unless_deleted() returns trigger language plpgsql as
    $$ begin raise exception 'a card goes only after it was deleted'; end $$`,
  `create trigger cards_no_delete before delete on cards
    for each row when (old.deleted_at is null) execute function refuse_unless_deleted()`,
]

/**
 * Changes keys, foreign keys and the triggers that protect rows so that they also work when PostgreSQL is spread over
 * several machines (docs/scale.md). SQLite is one file and keeps its own. A card now records that its successor is deleted,
 * so that no query has to read both cards.
 */
export const keysForShards: Migration = {
  name: '0043-keys-for-shards',
  statements: (engine: EngineName) => [
    'alter table cards add column successor_gone integer not null default 0',
    `update cards set successor_gone = 1 where superseded_by is not null and not exists (
      select 1 from cards as successor where successor.card_id = cards.superseded_by
        and successor.deleted_at is null and successor.hidden_at is null)`,
    'create index cards_by_successor on cards(superseded_by) where superseded_by is not null',
    ...(engine === 'postgres' ? onPostgres() : []),
  ],
}
