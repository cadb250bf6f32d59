import { sql } from 'kysely'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { CardContent } from './content.ts'
import type { Text } from './related.ts'

export type WithdrawnVersion = { card_id: string; version: number; created_at: string }

/**
 * Cards that are hidden where strangers read, each in the version that was looked at, newest first; deleted ones too, as long
 * as they are kept. What a private team has hidden is for that team to know.
 */
export const withdrawnVersions = (db: Db, exceptId: string, limit: number): Promise<WithdrawnVersion[]> =>
  db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .innerJoin('cards', 'cards.card_id', 'moderation_matters.card_id')
    .select(['cards.card_id', 'moderation_matters.card_version as version', 'cards.created_at'])
    .where(
      sql<boolean>`(moderation_matters.hidden_by_reports = 1 or moderation_matters.decision in ('hide', 'remove'))`,
    )
    .where('workspaces.visibility', '!=', 'private')
    .where('cards.hidden_at', 'is not', null)
    .where('cards.card_id', '!=', exceptId)
    .orderBy('moderation_matters.updated_at', 'desc')
    .limit(limit)
    .execute()

/** What a card said in a version; the present text where that version is the present one. */
export async function textOfVersion(
  db: Db,
  { card_id, version }: WithdrawnVersion,
): Promise<Text | undefined> {
  const former = await db
    .selectFrom('card_versions')
    .select('content')
    .where('card_id', '=', card_id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (former) return fromJson<CardContent>(former.content)
  return db
    .selectFrom('cards')
    .select(['title', 'symptom', 'fix_summary'])
    .where('card_id', '=', card_id)
    .executeTakeFirst()
}
