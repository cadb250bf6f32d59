import type { EngineName } from '../db.ts'
import type { Migration } from './statements.ts'

/** A card that was published keeps for its team, and takes home again, what the team knew of it. */
const MOVED: Readonly<Record<string, string>> = {
  seen_from_version: `case when new.workspace_id = new.origin_workspace_id
    and old.origin_workspace_id = new.origin_workspace_id and old.origin_seen_from_version is not null
    then old.origin_seen_from_version else new.version end`,
  seen_since: `case when new.workspace_id = new.origin_workspace_id
    and old.origin_workspace_id = new.origin_workspace_id and old.origin_seen_from_version is not null
    then old.origin_seen_since else new.updated_at end`,
  origin_seen_from_version: `case when new.workspace_id = new.origin_workspace_id then null
    when old.workspace_id = old.origin_workspace_id then old.seen_from_version
    else old.origin_seen_from_version end`,
  origin_seen_since: `case when new.workspace_id = new.origin_workspace_id then null
    when old.workspace_id = old.origin_workspace_id then old.seen_since
    else old.origin_seen_since end`,
}

const onMove = (engine: EngineName): string[] => {
  const set = (columns: readonly string[]) =>
    columns.map((name) => `new.${name} := ${MOVED[name]};`).join(' ')
  return engine === 'sqlite'
    ? [
        'drop trigger cards_seen_from',
        'drop trigger cards_seen_since',
        `create trigger cards_seen_from after update of workspace_id on cards
          when new.workspace_id <> old.workspace_id
          begin update cards set ${Object.entries(MOVED)
            .map(([name, value]) => `${name} = ${value}`)
            .join(', ')} where card_id = new.card_id; end`,
      ]
    : [
        `create or replace function card_is_seen_from() returns trigger language plpgsql as
          $$ begin ${set(['seen_from_version', 'origin_seen_from_version'])} return new; end $$`,
        `create or replace function card_is_seen_since() returns trigger language plpgsql as
          $$ begin ${set(['seen_since', 'origin_seen_since'])} return new; end $$`,
      ]
}

export const firstWeek: Migration = {
  name: '0004-first-week',
  statements: (engine) => [
    'alter table cards add column doubted_at text',
    'alter table cards add column doubts_dismissed_at text',
    'create index cards_doubted on cards(workspace_id, doubted_at) where doubted_at is not null',
    // Every reward is in the row of the feedback.
    'drop index card_verdicts_rewarded',
    // Version and time at which a card came into the workspace that it was published from. Null: not kept.
    'alter table cards add column origin_seen_from_version integer',
    'alter table cards add column origin_seen_since text',
    ...onMove(engine),
    'alter table api_keys add column share_recorded integer not null default 0',
    `create table oauth_device_codes (
      device_hash text primary key,
      user_code_hash text not null unique,
      client_id text not null references oauth_clients(client_id) on delete cascade,
      scopes text not null, resource text not null,
      created_at text not null, expires_at text not null,
      interval_seconds integer not null, polled_at text,
      -- Set by the person's decision: a grant to collect, or a refusal.
      grant_id text references oauth_grants(grant_id) on delete cascade,
      denied_at text
    )`,
    'create index oauth_device_codes_by_end on oauth_device_codes(expires_at)',
    // How many searches of a team found nothing, by the Monday of the week. No words.
    `create table missed_search_weeks (
      workspace_id text not null references workspaces(workspace_id),
      week text not null,
      times integer not null,
      primary key (workspace_id, week)
    )`,
    // Teams find published cards also where the review of a later version has failed.
    `update search_docs set analyser = 0 where card_id in (select card_id from cards
      where workspace_id <> origin_workspace_id and status = 'published' and review_status <> 'passed')`,
    'alter table recoveries add column no_draft text',
  ],
}
