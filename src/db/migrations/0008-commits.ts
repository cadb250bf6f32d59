import type { EngineName } from '../db.ts'
import { type Migration, primaryKey } from './statements.ts'

const projectOf = (engine: EngineName, table: string): string =>
  engine === 'sqlite'
    ? 'foreign key (project_id) references context_projects(project_id)'
    : `constraint ${table}_project_id_fkey
        foreign key (project_id, user_id) references context_projects(project_id, user_id)`

/** Widens checks of recall: it delivers commits, and speaks before a tool runs. SQLite makes such a table anew. */
const widenRecall = (engine: EngineName): string[] =>
  engine === 'postgres'
    ? [
        'alter table recall_items drop constraint if exists recall_items_kind_check',
        `alter table recall_items add constraint recall_items_kind_check
          check (kind in ('card', 'fact', 'event', 'commit'))`,
        'alter table recall_calls drop constraint if exists recall_calls_moment_check',
        `alter table recall_calls add constraint recall_calls_moment_check
          check (moment in ('failure', 'prompt', 'start', 'compact', 'before'))`,
      ]
    : [...newCalls(), ...newItems()]

const newCalls = (): string[] => {
  const columns = `call_id, user_id, project_key, session_id, client, moment, signature, is_silent, reason, chars, created_at`
  return [
    `create table recall_calls_new (
      call_id text,
      user_id text not null references users(user_id),
      project_key text, session_id text, client text,
      moment text not null check (moment in ('failure', 'prompt', 'start', 'compact', 'before')),
      signature text,
      is_silent integer not null,
      reason text not null,
      chars integer not null,
      created_at text not null,
      primary key (call_id)
    )`,
    `insert into recall_calls_new (${columns}) select ${columns} from recall_calls`,
    'drop table recall_calls',
    'alter table recall_calls_new rename to recall_calls',
    'create index recall_calls_by_user on recall_calls(user_id, created_at, call_id)',
    'create index recall_calls_by_signature on recall_calls(user_id, signature, created_at) where signature is not null',
    'create index recall_calls_by_age on recall_calls(created_at)',
  ]
}

const newItems = (): string[] => {
  const columns =
    'delivery_id, call_id, user_id, session_id, kind, item_id, confidence, opened_at, created_at'
  return [
    `create table recall_items_new (
      delivery_id text,
      call_id text not null,
      user_id text not null references users(user_id),
      session_id text,
      kind text not null check (kind in ('card', 'fact', 'event', 'commit')),
      item_id text not null,
      confidence real,
      opened_at text, created_at text not null,
      primary key (delivery_id)
    )`,
    `insert into recall_items_new (${columns}) select ${columns} from recall_items`,
    'drop table recall_items',
    'alter table recall_items_new rename to recall_items',
    'create index recall_items_by_user on recall_items(user_id, created_at, delivery_id)',
    'create index recall_items_by_call on recall_items(user_id, call_id)',
    `create unique index recall_items_once on recall_items(user_id, session_id, kind, item_id)
      where session_id is not null`,
    'create index recall_items_unopened on recall_items(user_id, item_id) where opened_at is null',
    'create index recall_items_by_age on recall_items(created_at)',
  ]
}

/** What a project's repository says: commits that explain, pull requests and records of decisions. */
export const commits: Migration = {
  name: '0008-commits',
  statements: (engine) => [
    `create table project_histories (
      project_id text,
      user_id text not null references users(user_id),
      -- The newest commit that was read; null before the first reading has ended.
      head text,
      learned_at text,
      -- Why the last reading is not whole.
      problem text,
      commits integer not null,
      words integer not null,
      last_no integer not null,
      ${primaryKey(engine, 'project_id', 'user_id')},
      ${projectOf(engine, 'project_histories')}
    )`,
    `create table project_commits (
      commit_id text,
      user_id text not null references users(user_id),
      project_id text not null,
      commit_no integer not null,
      kind text not null check (kind in ('commit', 'pull_request', 'document')),
      ref text not null,
      committed_at text not null,
      subject text not null, message text not null, files text not null,
      -- The commit that this one takes back.
      reverts text,
      redactions text not null,
      words integer not null,
      -- The reading that saw the commit last.
      reading text not null,
      created_at text not null,
      ${primaryKey(engine, 'commit_id', 'user_id')},
      ${projectOf(engine, 'project_commits')}
    )`,
    'create unique index project_commits_by_ref on project_commits(user_id, project_id, ref)',
    'create unique index project_commits_by_no on project_commits(user_id, project_id, commit_no)',
    'create index project_commits_by_time on project_commits(user_id, project_id, committed_at, commit_no)',
    `create index project_commits_by_reverted on project_commits(user_id, project_id, reverts)
      where reverts is not null`,
    // Each word with the numbers of the commits that have it, and how often.
    `create table project_commit_words (
      user_id text not null,
      project_id text not null,
      word integer not null,
      commits text not null,
      primary key (user_id, project_id, word)
    )`,
    `create table project_commits_due (
      batch_id text primary key,
      batch_no ${engine === 'sqlite' ? 'integer not null' : 'bigint not null'},
      user_id text not null references users(user_id),
      project_id text not null,
      payload text not null,
      created_at text not null,
      next_attempt_at text not null,
      claimed_until text,
      attempts integer not null
    )`,
    'create index project_commits_due_by_time on project_commits_due(next_attempt_at, batch_no)',
    'create index project_commits_due_by_project on project_commits_due(user_id, project_id, batch_no)',
    ...widenRecall(engine),
  ],
}
