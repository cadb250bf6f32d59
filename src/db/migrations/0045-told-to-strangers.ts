import type { Migration } from './migrate.ts'

/**
 * An account that is invited by its id, because it wants to be asked first, has shown its address to nobody. A workspace
 * that was private knows when it was opened: what was said in it before was said to its members.
 */
export const toldToStrangers: Migration = {
  name: '0045-told-to-strangers',
  statements: () => [
    'alter table workspace_invites add column address_known integer not null default 1',
    'alter table workspaces add column opened_at text',
  ],
}
