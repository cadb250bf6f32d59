import type { Migration } from './migrate.ts'

/**
 * Reports of cards, decisions of moderators, bans from publishing, and the cards of others that an agent has read.
 * A matter outlives its card: a decision about a person stays known after they delete the card.
 */
export const moderation: Migration = {
  name: '0040-moderation',
  statements: () => [
    `create table moderation_matters (
      matter_id text primary key,
      card_id text not null,
      owner_id text not null references users(user_id),
      workspace_id text not null references workspaces(workspace_id),
      cause text not null,
      status text not null,
      revision integer not null,
      card_version integer not null,
      hidden_by_reports integer not null,
      ask_note text,
      decision text,
      reason text,
      decided_by text references users(user_id),
      decided_at text,
      decided_version integer,
      can_appeal integer not null,
      appeal_note text,
      appealed_at text,
      created_at text not null,
      updated_at text not null
    )`,
    "create unique index moderation_matters_waiting on moderation_matters(card_id) where status <> 'decided'",
    'create index moderation_matters_by_card on moderation_matters(card_id, created_at)',
    'create index moderation_matters_by_owner on moderation_matters(owner_id, created_at, matter_id)',
    'create index moderation_matters_by_workspace on moderation_matters(workspace_id, created_at, matter_id)',
    'create index moderation_matters_by_time on moderation_matters(created_at, matter_id)',
    `create index moderation_matters_hiding on moderation_matters(updated_at)
      where hidden_by_reports = 1 or decision in ('hide', 'remove')`,
    `create table card_reports (
      report_id text primary key,
      card_id text not null references cards(card_id),
      matter_id text not null references moderation_matters(matter_id),
      user_id text references users(user_id),
      reporter_key text not null,
      kind text not null,
      note text,
      card_version integer not null,
      created_at text not null
    )`,
    'create unique index card_reports_once on card_reports(card_id, reporter_key)',
    'create index card_reports_by_case on card_reports(matter_id, created_at)',
    'create index card_reports_by_person on card_reports(user_id, created_at, report_id)',
    `create table publishing_bans (
      ban_id text primary key,
      user_id text not null references users(user_id),
      email_hash text,
      workspace_id text references workspaces(workspace_id),
      matter_id text not null references moderation_matters(matter_id),
      reason text not null,
      banned_by text not null references users(user_id),
      created_at text not null,
      lifted_by text references users(user_id),
      lifted_at text,
      lift_reason text
    )`,
    'create index publishing_bans_by_person on publishing_bans(user_id, created_at, ban_id)',
    'create index publishing_bans_by_address on publishing_bans(email_hash) where lifted_at is null',
    'create index publishing_bans_by_time on publishing_bans(created_at, ban_id)',
    // When a person's agent last read a card of somebody else. Rows are kept for 30 days.
    `create table card_reads (
      user_id text not null references users(user_id),
      card_id text not null references cards(card_id),
      last_at text not null,
      primary key (user_id, card_id)
    )`,
    'create index card_reads_by_card on card_reads(card_id)',
    'create index card_reads_by_age on card_reads(last_at)',
    `create table withdrawals_told (
      user_id text not null references users(user_id),
      card_id text not null references cards(card_id),
      project_key text not null,
      told_at text not null,
      primary key (user_id, card_id, project_key)
    )`,
    'create index withdrawals_told_by_card on withdrawals_told(card_id)',
  ],
}
