import type { Migration } from '../migrate.ts'

const ownerFrom = (table: string, source: string, column: string) =>
  `update ${table} set user_id = (select user_id from ${source} where ${source}.${column} = ${table}.${column})`

/** All that is remembered says whose it is, so that a person's memory can lie in one place of many (docs/scale.md). */
export const memoryOwner: Migration = {
  name: '0013-memory-owner',
  statements: (engine) =>
    ['context_partitions', ...(engine === 'postgres' ? ['context_event_index'] : [])].flatMap((table) => [
      `alter table ${table} add column user_id text not null default ''`,
      table === 'context_partitions'
        ? ownerFrom(table, 'context_projects', 'project_id')
        : ownerFrom(table, 'context_events', 'event_no'),
    ]),
}
