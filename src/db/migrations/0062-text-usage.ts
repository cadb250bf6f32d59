import type { Migration } from './migrate.ts'

const lengths = (columns: string[]) =>
  columns.map((column) => `coalesce(octet_length(t.${column}), 0)`).join(' + ')

const ofCards = (table: string, writer: string, columns: string[]) => {
  const live = table === 'cards' ? 't.deleted_at is null' : 'cards.deleted_at is null'
  const join = table === 'cards' ? '' : 'join cards on cards.card_id = t.card_id'
  return `select t.${writer} as user_id, case when ${live} then ${lengths(columns)} else 0 end as bytes,
    case when ${live} then 0 else ${lengths(columns)} end as deleted_bytes from ${table} as t ${join}`
}

const ofPeople = (table: string, writer: string, columns: string[]) =>
  `select t.${writer} as user_id, ${lengths(columns)} as bytes, 0 as deleted_bytes from ${table} as t`

const PARTS = [
  ofCards('cards', 'edited_by', [
    'title',
    'tags',
    'environment',
    'symptom',
    'fix_summary',
    'root_cause',
    'steps',
    'card_payload',
    'body',
    'scope_notes',
  ]),
  ofCards('card_versions', 'edited_by', ['content']),
  ofCards('card_evidences', 'added_by', ['content', 'meta']),
  ofCards('card_comments', 'user_id', ['body']),
  ofCards('card_feedback', 'user_id', ['comment']),
  ofCards('card_verdicts', 'user_id', ['evidence', 'note', 'applied_in']),
  ofPeople('context_events', 'user_id', ['title', 'content', 'meta', 'session_id', 'client']),
  ofPeople('raw_materials', 'owner_id', ['kind', 'title', 'source_url', 'tags', 'meta', 'content']),
  ofPeople('card_drafts', 'user_id', ['candidate']),
]

/** How many bytes of text each person has written, counted once from what is there. */
export const textUsage: Migration = {
  name: '0062-text-usage',
  statements: () => [
    `create table text_usage (user_id text primary key, bytes bigint not null, deleted_bytes bigint not null)`,
    // One table after another: a cluster cannot unite tables that are distributed in different ways.
    ...PARTS.map(
      (part) => `insert into text_usage (user_id, bytes, deleted_bytes)
        select user_id, sum(bytes), sum(deleted_bytes) from (${part}) as parts where true group by user_id
        on conflict (user_id) do update set bytes = text_usage.bytes + excluded.bytes,
          deleted_bytes = text_usage.deleted_bytes + excluded.deleted_bytes`,
    ),
  ],
}
