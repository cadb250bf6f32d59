import { type Migration, primaryKey } from './statements.ts'

/** Passages of memory that a person has marked as outdated or wrong: they stay away from recall. */
export const decisions: Migration = {
  name: '0007-decisions',
  statements: (engine) => [
    `create table memory_marks (
      mark_id text not null,
      user_id text not null,
      project_id text not null,
      -- The event that was marked. The mark outlives it, since the same text may be captured again.
      raw_id text not null,
      reason text not null check (reason in ('outdated', 'wrong')),
      -- Hashes of the marked sentences, as JSON.
      hashes text not null,
      is_whole integer not null,
      created_at text not null,
      ${primaryKey(engine, 'mark_id', 'user_id')}
    )`,
    'create index memory_marks_by_project on memory_marks(user_id, project_id, created_at)',
  ],
}
