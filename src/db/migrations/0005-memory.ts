import type { Migration } from './migrate.ts'

export const memory: Migration = {
  name: '0005-memory',
  statements: (engine) => [
    `create table context_projects (
      project_id text primary key,
      user_id text not null references users(user_id),
      workspace_id text not null references workspaces(workspace_id),
      project_key text not null,
      host text,
      events integer not null,
      last_event_at text,
      created_at text not null
    )`,
    'create index context_projects_by_user on context_projects(user_id, last_event_at, project_id)',
    `create table context_project_aliases (
      user_id text not null,
      workspace_id text not null,
      alias text not null,
      project_id text not null references context_projects(project_id),
      primary key (user_id, alias, workspace_id)
    )`,
    'create index context_project_aliases_by_project on context_project_aliases(project_id)',

    // The events of a partition have neighbouring numbers, so the search indexes can be asked for one project.
    // A project that another one was merged into has several partitions; nothing is indexed anew for that.
    `create table context_partitions (
      partition_no ${engine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'},
      project_id text not null references context_projects(project_id),
      last_seq integer not null
    )`,
    'create index context_partitions_by_project on context_partitions(project_id, partition_no)',

    `create table context_events (
      event_no ${engine === 'sqlite' ? 'integer' : 'bigint'} primary key,
      raw_id text not null unique,
      user_id text not null references users(user_id),
      project_id text not null references context_projects(project_id),
      workspace_id text not null references workspaces(workspace_id),
      event_type text not null
        check (event_type in ('user_message', 'agent_report', 'turn', 'summary', 'fact_snapshot')),
      slot text not null check (slot in ('recent', 'summary', 'facts', 'preferences')),
      created_at text not null,
      title text,
      session_id text,
      client text,
      meta text,
      redactions text not null,
      content text not null,
      search_text text not null
    )`,
    'create index context_events_by_slot on context_events(project_id, slot, created_at, event_no)',
    'create index context_events_by_time on context_events(project_id, created_at, event_no)',
    'create index context_events_by_user on context_events(user_id)',

    // Engine difference: SQLite has full-text tables for trigrams and for words; PostgreSQL gets both as arrays of
    // hashes under a GIN index, which needs no extension and treats every script alike.
    ...(engine === 'sqlite'
      ? [
          `create virtual table context_event_grams using fts5(
            grams, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
          )`,
          `create virtual table context_event_words using fts5(words, columnsize=0, detail=none, tokenize='ascii')`,
        ]
      : [
          `create table context_event_index (
            event_no bigint primary key references context_events(event_no) on delete cascade,
            grams integer[] not null,
            words integer[] not null
          )`,
          'create index context_event_index_grams on context_event_index using gin (grams)',
          'create index context_event_index_words on context_event_index using gin (words)',
        ]),

    `create table raw_materials (
      raw_id text primary key,
      owner_id text not null references users(user_id),
      workspace_id text not null references workspaces(workspace_id),
      kind text not null,
      title text,
      source_url text,
      tags text not null,
      meta text,
      redactions text not null,
      created_at text not null,
      content text not null
    )`,
    'create index raw_materials_by_workspace on raw_materials(workspace_id, created_at, raw_id)',
    'create index raw_materials_by_owner on raw_materials(owner_id, created_at, raw_id)',
  ],
}
