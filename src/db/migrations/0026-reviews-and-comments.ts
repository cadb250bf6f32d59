import type { EngineName } from '../db.ts'
import type { Migration } from './migrate.ts'

/** Every write that moves a card says when by `updated_at`. */
const everyMoveHasATime = (engine: EngineName): string[] =>
  engine === 'sqlite'
    ? [
        `create trigger cards_seen_since after update of workspace_id on cards
          when new.workspace_id <> old.workspace_id
          begin update cards set seen_since = new.updated_at where card_id = new.card_id; end`,
      ]
    : [
        `create function card_is_seen_since() returns trigger language plpgsql as
          $$ begin new.seen_since := new.updated_at; return new; end $$`,
        `create trigger cards_seen_since before update of workspace_id on cards
          for each row when (new.workspace_id <> old.workspace_id) execute function card_is_seen_since()`,
      ]

/**
 * Cards that were shared before sharing kept a review are found by an index of their own: few, and soon none.
 *
 * A card remembers when it came into its workspace: what was said about it before was said to others. Cards that are away
 * from home are taken to have come when they were published.
 */
export const reviewsAndComments: Migration = {
  name: '0026-reviews-and-comments',
  statements: (engine) => [
    `create index cards_awaiting_review on cards (card_id)
      where status = 'published' and review_status = 'not_reviewed' and deleted_at is null`,
    'alter table cards add column seen_since text',
    'update cards set seen_since = published_at where workspace_id <> origin_workspace_id',
    ...everyMoveHasATime(engine),
  ],
}
