import { keptWithCard } from './kept-with-card.ts'
import type { Migration } from './migrate.ts'

export const cards: Migration = {
  name: '0003-cards',
  statements: (engine) => [
    // What lists and counts read comes first: SQLite then need not walk past the long texts.
    `create table cards (
      card_id text primary key,
      owner_id text not null references users(user_id),
      workspace_id text not null references workspaces(workspace_id),
      origin_workspace_id text not null references workspaces(workspace_id),
      card_type text not null
        check (card_type in ('debug_fix', 'how_to', 'lesson_learned', 'decision', 'reference')),
      status text not null check (status in ('unpublished', 'published')),
      version integer not null,
      title text not null,
      filter_text text not null,
      tags text not null,
      environment text not null,
      evidence_count integer not null default 0,
      feedback_useful integer not null default 0,
      feedback_not_applicable integer not null default 0,
      feedback_outdated integer not null default 0,
      review_status text not null default 'not_reviewed'
        check (review_status in ('not_reviewed', 'passed', 'rejected')),
      review_score integer,
      review_reasons text not null default '[]',
      reviewed_at text,
      created_at text not null,
      updated_at text not null,
      edited_at text not null,
      edited_by text not null references users(user_id),
      edited_fields text not null,
      published_at text,
      deleted_at text,
      symptom text not null,
      fix_summary text not null,
      root_cause text,
      steps text not null,
      card_payload text,
      body text,
      scope_notes text
    )`,
    'create index cards_by_owner on cards(owner_id, created_at, card_id)',
    'create index cards_by_workspace on cards(workspace_id, status, created_at, card_id)',
    'create index cards_deleted on cards(deleted_at) where deleted_at is not null',

    `create table card_tags (
      card_id text not null references cards(card_id),
      tag text not null,
      tag_normal text not null,
      primary key (card_id, tag_normal)
    )`,
    'create index card_tags_by_tag on card_tags(tag_normal, card_id)',

    `create table card_evidences (
      evidence_id text primary key,
      card_id text not null references cards(card_id),
      position integer not null,
      kind text not null,
      content text not null,
      meta text,
      secrets text,
      added_by text not null references users(user_id),
      added_in_version integer not null,
      created_at text not null,
      unique (card_id, position)
    )`,
    ...keptWithCard(engine, 'card_evidences'),

    `create table card_versions (
      card_id text not null references cards(card_id),
      version integer not null,
      content text not null,
      edited_by text not null references users(user_id),
      edited_at text not null,
      edited_fields text not null,
      primary key (card_id, version)
    )`,
    ...keptWithCard(engine, 'card_versions'),

    `create table card_feedback (
      feedback_id text primary key,
      card_id text not null references cards(card_id),
      user_id text not null references users(user_id),
      kind text not null check (kind in ('useful', 'not_applicable', 'outdated')),
      comment text,
      rewarded_at text,
      created_at text not null,
      unique (card_id, user_id)
    )`,
    'create index card_feedback_rewarded on card_feedback(user_id, rewarded_at) where rewarded_at is not null',
  ],
}
