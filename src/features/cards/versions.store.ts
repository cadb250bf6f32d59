import type { Insertable, Selectable } from 'kysely'
import { toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { CardVersionsTable } from '../../db/tables/cards.ts'
import type { CardContent } from './content.ts'
import type { CardRow } from './select.ts'

export type VersionRow = Omit<Selectable<CardVersionsTable>, 'card_id'> & { edited_by_name: string }

export async function keepVersion(db: Db, row: CardRow, content: CardContent): Promise<void> {
  const version: Insertable<CardVersionsTable> = {
    card_id: row.card_id,
    version: row.version,
    content: toJson(content),
    edited_by: row.edited_by,
    edited_at: row.edited_at,
    edited_fields: row.edited_fields,
    // A hash without a time belongs to a version that was never published.
    content_hash: row.version_published_at === null ? null : row.content_hash,
    licence: row.licence,
    published_at: row.version_published_at,
  }
  await db.insertInto('card_versions').values(version).execute()
}

/** Former versions from the newer number down to the older one. */
export function findVersions(
  db: Db,
  cardId: string,
  { from, to }: { from: number; to: number },
): Promise<VersionRow[]> {
  return db
    .selectFrom('card_versions')
    .innerJoin('users', 'users.user_id', 'card_versions.edited_by')
    .select([
      'card_versions.version',
      'card_versions.content',
      'card_versions.edited_by',
      'card_versions.edited_at',
      'card_versions.edited_fields',
      'card_versions.content_hash',
      'card_versions.licence',
      'card_versions.published_at',
      'users.display_name as edited_by_name',
    ])
    .where('card_versions.card_id', '=', cardId)
    .where('card_versions.version', '<=', from)
    .where('card_versions.version', '>=', to)
    .orderBy('card_versions.version', 'desc')
    .execute()
}

export async function nameOf(db: Db, userId: string): Promise<string> {
  const row = await db
    .selectFrom('users')
    .select('display_name')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.display_name
}
