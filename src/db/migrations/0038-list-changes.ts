import type { Migration } from './migrate.ts'

/** Counts the changes of posting lists, so that a process knows how long lists that it has read are good. */
export const listChanges: Migration = {
  name: '0038-list-changes',
  statements: () => ['alter table search_totals add column list_changes integer not null default 0'],
}
