import { keptWithCard } from './kept-with-card.ts'
import type { Migration } from './migrate.ts'

/** What people found when they used a card, and what follows from it for the card. */
export const verdicts: Migration = {
  name: '0029-verdicts',
  statements: (engine) => [
    `create table card_verdicts (
      verdict_id text primary key,
      card_id text not null references cards(card_id),
      user_id text not null references users(user_id),
      owner_id text not null,
      card_version integer not null,
      outcome text not null check (outcome in ('worked', 'failed', 'stale', 'withdrawn')),
      environment text not null,
      environment_key text not null,
      closeness text not null check (closeness in ('owner', 'team', 'stranger')),
      nth_of_owner integer not null,
      is_rewarded integer not null,
      evidence text,
      note text,
      applied_in text,
      created_at text not null
    )`,
    'create index card_verdicts_by_card on card_verdicts(card_id, created_at, verdict_id)',
    'create index card_verdicts_by_person on card_verdicts(user_id, owner_id, card_id)',
    'create index card_verdicts_rewarded on card_verdicts(user_id, created_at) where is_rewarded = 1',
    ...keptWithCard(engine, 'card_verdicts'),
    // Computed from verdicts and feedback; null where nobody has said anything.
    'alter table cards add column trust text',
    // What the card cites; null until it is read from the card, which a job does for cards of former versions.
    'alter table cards add column confirmed_at text',
    'alter table cards add column cites text',
    'alter table cards add column cites_are_written integer not null default 0',
    'alter table cards add column review_after_days integer',
    // Cards whose trust must be computed anew because of something said elsewhere.
    'create table trust_due (card_id text primary key)',
    `insert into trust_due (card_id) select distinct card_id from card_feedback where withdrawn_at is null`,
  ],
}
