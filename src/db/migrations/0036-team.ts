import type { Migration } from './migrate.ts'

/** What a team reads about itself: comments on cards, searches that found nothing, and who recorded a draft. */
export const team: Migration = {
  name: '0036-team',
  statements: () => [
    `create table card_comments (
      comment_id text primary key,
      card_id text not null references cards(card_id),
      workspace_id text not null references workspaces(workspace_id),
      user_id text not null references users(user_id),
      body text not null,
      created_at text not null,
      edited_at text
    )`,
    'create index card_comments_by_card on card_comments(card_id, created_at, comment_id)',
    'create index card_comments_by_person on card_comments(user_id, created_at, comment_id)',
    // Words alone: nobody can be found by them.
    `create table missed_searches (
      workspace_id text not null references workspaces(workspace_id),
      words text not null,
      times integer not null,
      last_at text not null,
      primary key (workspace_id, words)
    )`,
    'create index missed_searches_by_age on missed_searches(last_at)',
    // Null: recorded before this was noted.
    'alter table cards add column recorded_with text',
    // What members of a team said lately, found by the members.
    `create index card_feedback_by_person on card_feedback(user_id, created_at)
      where kind = 'useful' and withdrawn_at is null`,
    `create index card_verdicts_of_person on card_verdicts(user_id, created_at) where outcome = 'worked'`,
  ],
}
