import { sql } from 'kysely'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { CardContent } from './content.ts'
import type { Text } from './related.ts'

export type WithdrawnVersion = { card_id: string; version: number; created_at: string; owner_id: string }

/** Decisions and reports that hide a card where strangers read, newest first. */
const hidingMatters = (db: Db, exceptId: string, page: { limit: number; offset: number }) =>
  db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .select(['moderation_matters.card_id', 'moderation_matters.card_version as version'])
    .where(
      sql<boolean>`(moderation_matters.hidden_by_reports = 1 or moderation_matters.decision in ('hide', 'remove'))`,
    )
    .where('workspaces.visibility', '!=', 'private')
    .where('moderation_matters.card_id', '!=', exceptId)
    .orderBy('moderation_matters.updated_at', 'desc')
    .orderBy('moderation_matters.matter_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

type Hidden = Pick<WithdrawnVersion, 'created_at' | 'owner_id'>

async function hiddenAmong(db: Db, cardIds: readonly string[]): Promise<Map<string, Hidden>> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'created_at', 'owner_id'])
    .where('card_id', 'in', cardIds)
    .where('hidden_at', 'is not', null)
    .execute()
  return new Map(rows.map(({ card_id, ...card }) => [card_id, card]))
}

/**
 * Cards that are hidden where strangers read, each in the version that was looked at, newest first; deleted ones too, as long
 * as they are kept. What a private team has hidden is for that team to know. Matters and cards are asked apart, because a
 * cluster would look through all cards to join them.
 */
export async function withdrawnVersions(
  db: Db,
  exceptId: string,
  limit: number,
): Promise<WithdrawnVersion[]> {
  const found: WithdrawnVersion[] = []
  for (let offset = 0; found.length < limit; offset += limit) {
    const matters = await hidingMatters(db, exceptId, { limit, offset })
    if (matters.length === 0) break
    const hidden = await hiddenAmong(
      db,
      matters.map((matter) => matter.card_id),
    )
    for (const { card_id, version } of matters) {
      const card = hidden.get(card_id)
      if (card) found.push({ card_id, version, ...card })
    }
    if (matters.length < limit) break
  }
  return found.slice(0, limit)
}

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
