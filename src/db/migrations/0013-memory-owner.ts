import type { Migration } from './migrate.ts'

const ownerFrom = (table: string, source: string, column: string) =>
  `update ${table} set user_id = (select user_id from ${source} where ${source}.${column} = ${table}.${column})`

/**
 * All that is remembered says whose it is, so that a person's memory can lie in one shard (docs/scale.md). The
 * index of a person's projects no longer has the time of their last event, which every event would move: there are few
 * projects to sort.
 */
export const memoryOwner: Migration = {
  name: '0013-memory-owner',
  statements: (engine) => [
    `alter table context_partitions add column user_id text not null default ''`,
    ownerFrom('context_partitions', 'context_projects', 'project_id'),
    ...(engine === 'postgres'
      ? [
          `alter table context_event_index add column user_id text not null default ''`,
          ownerFrom('context_event_index', 'context_events', 'event_no'),
        ]
      : []),
    'drop index context_projects_by_user',
    'create index context_projects_by_user on context_projects(user_id)',
  ],
}
