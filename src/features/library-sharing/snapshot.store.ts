import type { Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import type { LibrarySnapshotsTable } from '../../db/tables/library.ts'
import { writtenBytes } from '../cards/select.ts'
import { isCurrent, isListed } from '../cards/visibility.ts'

export type SnapshotRow = Selectable<LibrarySnapshotsTable>

/** The viewer id of somebody who is not signed in, so only cards that everybody can read are found. */
const NOBODY = ''

/** The cards of a snapshot: those in the library that everybody can find and that have a licence. */
const givenCards = (db: Db) =>
  db
    .selectFrom('cards')
    // Repeats a part of the condition above, so that the planner uses the index with this order.
    .where('cards.workspace_id', '=', PUBLIC_LIBRARY_ID)
    .where(isListed(NOBODY, 'public', [PUBLIC_LIBRARY_ID]))
    .where(isCurrent())
    .where('cards.licence', 'is not', null)
    .where('cards.content_hash', 'is not', null)

/** The next page, sorted by id, after the last id of the previous page. Cards too long for a line are left out. */
export const givenAfter = (db: Db, last: string, limit: number, mostBytes: number) =>
  givenCards(db)
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select(['cards.card_id', 'cards.card_type', 'cards.version', 'cards.title', 'cards.symptom'])
    .select(['cards.fix_summary', 'cards.environment', 'cards.root_cause', 'cards.steps', 'cards.tags'])
    .select(['cards.card_payload', 'cards.body', 'cards.scope_notes', 'cards.content_hash', 'cards.licence'])
    .select(['cards.version_published_at', 'cards.origin', 'users.display_name as owner_name'])
    .where('cards.card_id', '>', last)
    .where(writtenBytes, '<=', mostBytes)
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

export type GivenRow = Awaited<ReturnType<typeof givenAfter>>[number]

export async function countGiven(db: Db, mostBytes: number): Promise<number> {
  const { total } = await givenCards(db)
    .where(writtenBytes, '<=', mostBytes)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Cards of the library that went in this way after a time. */
const goneSince = (db: Db, way: 'hidden_at' | 'deleted_at', time: string) =>
  db
    .selectFrom('cards')
    .select('card_id')
    .where('workspace_id', '=', PUBLIC_LIBRARY_ID)
    .where(way, '>', time)
    .limit(1)
    .executeTakeFirst()

/** Whether a card was given in a new version, came back, was hidden or was deleted, after this time. */
export async function hasChangedSince(db: Db, time: string): Promise<boolean> {
  const given = await givenCards(db)
    .select('cards.card_id')
    .where((eb) =>
      eb.or([
        eb('cards.version_published_at', '>', time),
        eb('cards.published_at', '>', time),
        // A deleted card that was brought back keeps the time of its publication.
        eb('cards.updated_at', '>', time),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (given) return true
  return (
    (await goneSince(db, 'hidden_at', time)) !== undefined ||
    (await goneSince(db, 'deleted_at', time)) !== undefined
  )
}

/** Without what a wrong clock has dated later: it would be the newest one until then. */
export const newestSnapshot = (db: Db, now: string): Promise<SnapshotRow | undefined> =>
  db
    .selectFrom('library_snapshots')
    .selectAll()
    .where('made_at', '<=', now)
    .orderBy('made_at', 'desc')
    .executeTakeFirst()

export async function isBeingMade(db: Db, now: string): Promise<boolean> {
  const row = await db
    .selectFrom('library_snapshots')
    .select('snapshot_id')
    .where('made_at', 'is', null)
    .where('claimed_until', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

export async function startSnapshot(
  db: Db,
  row: Pick<SnapshotRow, 'snapshot_id' | 'key_id' | 'started_at' | 'claimed_until'>,
): Promise<void> {
  await db
    .insertInto('library_snapshots')
    .values({ ...row, made_at: null, cards: 0, size_bytes: 0, head: null })
    .execute()
}

/** Returns false if another process has taken over and removed what was written. */
export async function addPart(
  db: Db,
  { snapshotId, part, content, claimedUntil }: AddedPart,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('library_snapshots')
    .set({ claimed_until: claimedUntil })
    .where('snapshot_id', '=', snapshotId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await db.insertInto('library_snapshot_parts').values({ snapshot_id: snapshotId, part, content }).execute()
  return true
}

type AddedPart = { snapshotId: string; part: number; content: string; claimedUntil: string }

export async function finishSnapshot(
  db: Db,
  snapshotId: string,
  done: Pick<SnapshotRow, 'made_at' | 'cards' | 'size_bytes' | 'head'>,
): Promise<void> {
  await db.updateTable('library_snapshots').set(done).where('snapshot_id', '=', snapshotId).execute()
}

export async function removeSnapshot(db: Db, snapshotId: string): Promise<void> {
  await db.deleteFrom('library_snapshot_parts').where('snapshot_id', '=', snapshotId).execute()
  await db.deleteFrom('library_snapshots').where('snapshot_id', '=', snapshotId).execute()
}

/** All snapshots but the newest, which somebody may still be reading, and unfinished ones that were given up. */
export async function outlived(db: Db, now: string, kept: number): Promise<string[]> {
  const rows = await db
    .selectFrom('library_snapshots')
    .select(['snapshot_id', 'made_at', 'claimed_until'])
    .orderBy('made_at', 'desc')
    .execute()
  const made = rows.filter((row) => row.made_at !== null)
  const left = rows.filter((row) => row.made_at === null && row.claimed_until <= now)
  return [...made.slice(kept), ...left].map((row) => row.snapshot_id)
}

export async function partOf(db: Db, snapshotId: string, part: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('library_snapshot_parts')
    .select('content')
    .where('snapshot_id', '=', snapshotId)
    .where('part', '=', part)
    .executeTakeFirst()
  return row && Buffer.from(row.content, 'base64')
}
