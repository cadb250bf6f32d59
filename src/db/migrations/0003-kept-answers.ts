import type { Migration } from './statements.ts'

/** Who keeps a long answer, so that those of one person have a total. */
export const keptAnswers: Migration = {
  name: '0003-kept-answers',
  statements: () => [
    'alter table idempotency_keys add column caller_id text',
    'alter table idempotency_keys add column bytes integer',
    'create index idempotency_keys_by_caller on idempotency_keys(caller_id, bytes) where caller_id is not null',
  ],
}
