import { contentHash, type HashedContent } from '../../core/content-hash.ts'
import type { Db } from '../db.ts'
import type { Migration } from './migrate.ts'

const BATCH = 200

type PublishedRow = {
  card_id: string
  card_type: string
  title: string
  symptom: string
  fix_summary: string
  environment: string
  root_cause: string | null
  steps: string
  tags: string
  card_payload: string | null
  body: string | null
  scope_notes: string | null
  published_at: string | null
  edited_at: string
}

const contentOf = (row: PublishedRow): HashedContent => ({
  ...row,
  environment: JSON.parse(row.environment),
  steps: JSON.parse(row.steps),
  tags: JSON.parse(row.tags),
  card_payload: row.card_payload === null ? null : JSON.parse(row.card_payload),
})

/** The next page of published cards, after the last id of the previous page. */
const publishedAfter = (db: Db, last: string): Promise<PublishedRow[]> =>
  db
    .selectFrom('cards')
    .select(['card_id', 'card_type', 'title', 'symptom', 'fix_summary', 'environment', 'root_cause'])
    .select(['steps', 'tags', 'card_payload', 'body', 'scope_notes', 'published_at', 'edited_at'])
    .where('status', '=', 'published')
    .where('card_id', '>', last)
    .orderBy('card_id')
    .limit(BATCH)
    .execute()

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)

/**
 * Cards that are already published get their hash and time. They get no licence, because their owners were not asked
 * for one. An owner adds a licence by publishing the card again.
 */
async function hashPublished(db: Db): Promise<void> {
  let last = ''
  for (;;) {
    const rows = await publishedAfter(db, last)
    for (const row of rows)
      await db
        .updateTable('cards')
        .set({
          content_hash: contentHash(contentOf(row)),
          version_published_at: later(row.published_at, row.edited_at),
        })
        .where('card_id', '=', row.card_id)
        .execute()
    const end = rows.at(-1)
    if (end === undefined || rows.length < BATCH) return
    last = end.card_id
  }
}

/** Hash, time and licence of published versions, the origin of pulled cards, and signed snapshots of the library. */
export const provenance: Migration = {
  name: '0041-provenance',
  statements: () => [
    ...['content_hash', 'licence', 'version_published_at', 'origin', 'origin_key'].map(
      (column) => `alter table cards add column ${column} text`,
    ),
    ...['content_hash', 'licence', 'published_at'].map(
      (column) => `alter table card_versions add column ${column} text`,
    ),
    'create index cards_by_origin on cards(origin_key, workspace_id) where origin_key is not null',
    'create index cards_by_content on cards(workspace_id, content_hash) where content_hash is not null',
    'create index cards_given on cards(workspace_id, card_id) where licence is not null and deleted_at is null',
    `create table signing_keys (
      key_id text primary key,
      public_key text not null,
      private_key text not null,
      created_at text not null,
      retired_at text
    )`,
    `create table library_snapshots (
      snapshot_id text primary key,
      key_id text not null references signing_keys(key_id),
      started_at text not null,
      claimed_until text not null,
      made_at text,
      cards integer not null default 0,
      size_bytes bigint not null default 0,
      head text
    )`,
    `create table library_snapshot_parts (
      snapshot_id text not null references library_snapshots(snapshot_id),
      part integer not null,
      content text not null,
      primary key (snapshot_id, part)
    )`,
  ],
  data: hashPublished,
}
