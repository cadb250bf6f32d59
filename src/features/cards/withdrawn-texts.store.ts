import { sql } from 'kysely'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'
import type { CardContent } from './content.ts'
import type { Text } from './related.ts'

export type WithdrawnVersion = { card_id: string; version: number; created_at: string; owner_id: string }

/** Decisions and reports that hide a card where strangers read, or could when it was hidden; newest first. */
const hidingMatters = (db: Db, exceptId: string, page: { limit: number; offset: number }) =>
  db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .select(['moderation_matters.card_id', 'moderation_matters.card_version'])
    .select('moderation_matters.decided_version')
    .where(
      sql<boolean>`(moderation_matters.hidden_by_reports = 1 or moderation_matters.decision in ('hide', 'remove'))`,
    )
    .where((eb) =>
      eb.or([eb('moderation_matters.was_open', '=', 1), eb('workspaces.visibility', '!=', 'private')]),
    )
    .where('moderation_matters.card_id', '!=', exceptId)
    .orderBy('moderation_matters.updated_at', 'desc')
    .orderBy('moderation_matters.matter_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

type Hidden = Pick<WithdrawnVersion, 'created_at' | 'owner_id'> & {
  /** What the card said when it was hidden. */
  hiddenVersion: number
}

/** The last version from before each card was hidden, of those that were edited since. */
async function versionsWhenHidden(db: Db, cardIds: readonly string[]): Promise<Map<string, number>> {
  if (cardIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('card_versions')
    .innerJoin('cards', 'cards.card_id', 'card_versions.card_id')
    .select((eb) => ['card_versions.card_id', eb.fn.max('card_versions.version').as('version')])
    .where('card_versions.card_id', 'in', cardIds)
    .whereRef('card_versions.edited_at', '<', 'cards.hidden_at')
    .groupBy('card_versions.card_id')
    .execute()
  return new Map(rows.map(({ card_id, version }) => [card_id, version]))
}

async function hiddenAmong(db: Db, cardIds: readonly string[]): Promise<Map<string, Hidden>> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'created_at', 'owner_id', 'version', 'edited_at', 'hidden_at'])
    .where('card_id', 'in', cardIds)
    .where('hidden_at', 'is not', null)
    .execute()
  const edited = rows.filter(({ edited_at, hidden_at }) => edited_at >= (hidden_at ?? ''))
  const former = await versionsWhenHidden(
    db,
    edited.map(({ card_id }) => card_id),
  )
  return new Map(
    rows.map(({ card_id, created_at, owner_id, version }) => [
      card_id,
      { created_at, owner_id, hiddenVersion: former.get(card_id) ?? version },
    ]),
  )
}

type Looked = { card_version: number; decided_version: number | null }

/**
 * What the last decision was about, what was reported before it, and what the card said when it was hidden: its owner may
 * have changed it since, and a decision on the appeal is about the change. What came after the last decision, for an
 * appeal or in private, was never taken from strangers.
 */
function versionsOf({ card_version, decided_version }: Looked, { hiddenVersion }: Hidden): number[] {
  const last = decided_version ?? card_version
  return [...new Set([last, card_version, hiddenVersion])].filter((version) => version <= last)
}

/**
 * Cards that are hidden where strangers read, in the versions that were taken from them, newest first; deleted ones too, as
 * long as they are kept. What a private team has hidden is for that team to know. Matters and cards are asked apart, because
 * a cluster would look through all cards to join them.
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
    for (const { card_id, ...looked } of matters) {
      const card = hidden.get(card_id)
      if (!card) continue
      const { created_at, owner_id } = card
      for (const version of versionsOf(looked, card)) found.push({ card_id, version, created_at, owner_id })
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

/** What these people share in a workspace and what has passed the review, in the order in which cards are locked. */
export async function passedIdsIn(
  db: Db,
  workspaceId: string,
  ownerIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('cards')
    .select('card_id')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'published')
    .where('review_status', '=', 'passed')
    .where('deleted_at', 'is', null)
    .where('hidden_at', 'is', null)
    .where(isAmongTexts(db, 'owner_id', textList(ownerIds)))
    .orderBy('card_id')
    .execute()
  return rows.map(({ card_id }) => card_id)
}

export const passedCards = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('cards')
    .select(['card_id', 'owner_id', 'version', 'review_reasons', 'title', 'symptom', 'fix_summary'])
    .where('card_id', 'in', cardIds)
    .orderBy('card_id')
    .execute()
