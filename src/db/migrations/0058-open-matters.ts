import type { Migration } from './migrate.ts'

/**
 * Whether strangers could read the workspace when a card was last reported, asked about or decided about there. The present
 * visibility does not say so: an owner who closes or deletes the workspace would free a hidden text. Of earlier matters only
 * the present visibility is known.
 */
export const openMatters: Migration = {
  name: '0058-open-matters',
  statements: () => [
    'alter table moderation_matters add column was_open integer not null default 0',
    `update moderation_matters set was_open = 1 where workspace_id in
      (select workspace_id from workspaces where visibility <> 'private')`,
  ],
}
