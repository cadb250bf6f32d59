import type { EngineName } from '../db.ts'
import { PUBLIC_LIBRARY_ID } from '../public-library.ts'
import type { Migration } from './migrate.ts'

/** In the database, so that no way of moving a card, of today or of tomorrow, can forget it. */
const everyMoveIsSeen = (engine: EngineName): string[] =>
  engine === 'sqlite'
    ? [
        `create trigger cards_seen_from after update of workspace_id on cards
          when new.workspace_id <> old.workspace_id
          begin update cards set seen_from_version = new.version where card_id = new.card_id; end`,
      ]
    : [
        `create function card_is_seen_from() returns trigger language plpgsql as
          $$ begin new.seen_from_version := new.version; return new; end $$`,
        `create trigger cards_seen_from before update of workspace_id on cards
          for each row when (new.workspace_id <> old.workspace_id) execute function card_is_seen_from()`,
      ]

/**
 * Words are counted apart for what everybody may find, so that no ranking depends on cards that the asker may not see.
 * Cards in public workspaces are marked stale: they are read again, and counted, before the program serves.
 *
 * A card remembers at which version it came into its workspace: what it said before belongs to its owner. Cards that
 * are away from home are taken to have come with their present version.
 */
export const visibleCounts: Migration = {
  name: '0024-visible-counts',
  statements: (engine) => [
    'alter table search_words add column public_cards integer not null default 0',
    'alter table search_totals add column public_cards integer not null default 0',
    `alter table search_totals add column public_length ${engine === 'sqlite' ? 'integer' : 'bigint'} not null default 0`,
    'alter table search_changes add column is_public integer not null default 0',
    `update search_docs set analyser = 0 where card_id in (
      select cards.card_id from cards join workspaces on workspaces.workspace_id = cards.workspace_id
      where cards.status = 'published'
        and (workspaces.visibility = 'public' or cards.workspace_id = '${PUBLIC_LIBRARY_ID}'))`,
    'alter table cards add column seen_from_version integer not null default 1',
    'update cards set seen_from_version = version where workspace_id <> origin_workspace_id',
    ...everyMoveIsSeen(engine),
  ],
}
