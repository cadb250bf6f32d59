import { type Insertable, sql, type Updateable } from 'kysely'
import type { Work } from '../../core/work.ts'
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { insertAndReturn, insertRows, type Named, prepared } from '../../db/prepared.ts'
import type { CardEvidencesTable, CardsTable } from '../../db/tables/cards.ts'
import { allTextOfCard, countText } from '../storage/text-usage.ts'
import { secretsInEvidences } from './content.ts'
import { SEARCHED_PIECES } from './evidence-texts.ts'
import { withHomeFacts } from './homes.ts'
import type { FoundSecret } from './review-rules.ts'
import type { EvidenceInput } from './schemas.ts'
import { type CardRow, STORED, type StoredCard, selectCards } from './select.ts'
import { distinctTags, normalName } from './tags.ts'
import { mayRead, mayUndelete } from './visibility.ts'

const readable = prepared(
  (db, parameter: Named<{ viewer: string; card: string }>) =>
    withHomeFacts(selectCards(db, parameter('viewer')), parameter('viewer'))
      .where('cards.card_id', '=', parameter('card'))
      .where(mayRead(parameter('viewer'))),
  { keepsPlan: true },
)

export async function findCard(db: Db, viewerId: string, cardId: string): Promise<CardRow | undefined> {
  const [row] = await readable(db, { viewer: viewerId, card: cardId })
  return row
}

export async function insertCard(
  db: Db,
  row: Insertable<CardsTable>,
  tags: readonly string[],
): Promise<StoredCard> {
  const stored = await insertAndReturn<'cards', StoredCard>(db, 'cards', row, STORED)
  await insertTags(db, row.card_id, tags)
  return stored
}

export async function updateCardRow(db: Db, cardId: string, change: Updateable<CardsTable>): Promise<void> {
  await db.updateTable('cards').set(change).where('card_id', '=', cardId).execute()
}

/** Deletes a card so that it can be brought back, or brings it back. Its texts are counted accordingly. */
export const markDeleted = (
  db: Db,
  cardId: string,
  change: Updateable<CardsTable> & { deleted_at: string | null },
): Promise<void> => countText(db, allTextOfCard(cardId), () => updateCardRow(db, cardId, change))

async function insertTags(db: Db, cardId: string, tags: readonly string[]): Promise<void> {
  const rows = distinctTags(tags).map((tag) => [cardId, tag, normalName(tag)])
  await insertRows(db, 'card_tags', ['card_id', 'tag', 'tag_normal'], rows)
}

export async function replaceTags(db: Db, cardId: string, tags: readonly string[]): Promise<void> {
  await db.deleteFrom('card_tags').where('card_id', '=', cardId).execute()
  await insertTags(db, cardId, tags)
}

export type NewEvidence = {
  cardId: string
  /** How much evidence the card has already. */
  present: number
  version: number
  addedBy: string
  now: string
  work: Work
}

/** Adds evidence and returns the secrets that it seems to hold. Evidence cannot be changed or removed. */
export async function appendEvidences(
  db: Db,
  evidences: readonly EvidenceInput[],
  { cardId, present, version, addedBy, now, work }: NewEvidence,
): Promise<FoundSecret[]> {
  const found = await secretsInEvidences(work, evidences, present)
  const rows = evidences.map((evidence, i) => ({
    evidence_id: newId(),
    card_id: cardId,
    position: present + i,
    kind: evidence.kind,
    content: evidence.content,
    meta: toJsonOrNull(evidence.meta),
    secrets: found[i]?.length ? toJson(found[i]) : null,
    added_by: addedBy,
    added_in_version: version,
    created_at: now,
  }))
  if (rows.length > 0) await db.insertInto('card_evidences').values(rows).execute()
  return found.flat()
}

/** The limit for all evidence in one answer, also of merged cards. Beyond it, only the beginning of each is shown. */
const MAX_EVIDENCE_BYTES = 8 * 1024 * 1024
const SHORT_EVIDENCE = 300

export type EvidenceRow = CardEvidencesTable & { truncated: boolean }

/** The bytes that are left for evidence in an answer. */
export const evidenceRoom = () => ({ left: MAX_EVIDENCE_BYTES })

/**
 * Evidence grows without end, so it is measured before it is read. What it takes of the room is taken off. The first
 * `atLeast` pieces are read whole in any case.
 */
export async function evidencesOf(
  db: Db,
  cardId: string,
  room = evidenceRoom(),
  atLeast = 0,
): Promise<EvidenceRow[]> {
  const all = () => db.selectFrom('card_evidences').where('card_id', '=', cardId)
  const sizes = await all()
    .select(sql<number>`octet_length(content) + coalesce(octet_length(meta), 0)`.as('bytes'))
    .orderBy('position')
    .execute()
  let until = 0
  for (; until < sizes.length; until++) {
    room.left -= sizes[until]?.bytes ?? 0
    if (room.left < 0 && until >= atLeast) break
  }
  const first = await all().selectAll().where('position', '<', until).orderBy('position').execute()
  if (until === sizes.length) return first.map((row) => ({ ...row, truncated: false }))
  const rest = await all()
    .select([
      'evidence_id',
      'card_id',
      'position',
      'kind',
      'secrets',
      'added_by',
      'added_in_version',
      'created_at',
    ])
    .select([sql<string>`substr(content, 1, ${SHORT_EVIDENCE})`.as('content'), sql<null>`null`.as('meta')])
    .where('position', '>=', until)
    .orderBy('position')
    .execute()
  return [
    ...first.map((row) => ({ ...row, truncated: false })),
    ...rest.map((row) => ({ ...row, truncated: true })),
  ]
}

/**
 * What readers may get to see of a card's evidence, by an answer or by a hit of a search: the review must know no less.
 * Search quotes from pieces that an answer has no room for.
 */
export const reviewedEvidences = (db: Db, cardId: string): Promise<EvidenceRow[]> =>
  evidencesOf(db, cardId, evidenceRoom(), SEARCHED_PIECES)

/** Evidence as the rules for danger read it. */
export const withReadMeta = ({ kind, content, meta }: EvidenceRow) => ({
  kind,
  content,
  meta: fromJsonOrNull<object>(meta),
})

/** The cards that it has taken in and that the viewer may read: a merge shows nobody what they could not read before. */
export async function mergedIds(db: Db, viewerId: string, cardId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_merges')
    .select('from_card_id')
    .where('into_card_id', '=', cardId)
    .orderBy('created_at')
    .execute()
  const merged = rows.map((row) => row.from_card_id)
  if (merged.length === 0) return []
  // A read of its own: in a cluster it goes only to the shards of these cards.
  const readable = await db
    .selectFrom('cards')
    .select('cards.card_id')
    .where('cards.card_id', 'in', merged)
    .where(mayRead(viewerId))
    .execute()
  const ids = new Set(readable.map((row) => row.card_id))
  return merged.filter((id) => ids.has(id))
}

export async function isMerged(db: Db, cardId: string): Promise<boolean> {
  const row = await db
    .selectFrom('card_merges')
    .select('from_card_id')
    .where('from_card_id', '=', cardId)
    .executeTakeFirst()
  return row !== undefined
}

export async function secretsInEvidencesOf(db: Db, cardId: string): Promise<FoundSecret[]> {
  const rows = await db
    .selectFrom('card_evidences')
    .select('secrets')
    .where('card_id', '=', cardId)
    .where('secrets', 'is not', null)
    .execute()
  return rows.flatMap((row) => (row.secrets === null ? [] : fromJson<FoundSecret[]>(row.secrets)))
}

/** What a review needs to know of the workspace in which a card is read. */
export const readingRoom = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .select(['visibility', 'policy_json'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()

export type DeletedCard = Pick<CardRow, 'workspace_id' | 'origin_workspace_id' | 'status' | 'hidden_at'> &
  Pick<CardRow, 'card_id' | 'title' | 'symptom' | 'fix_summary' | 'workspace_type' | 'viewer_role'> &
  Pick<CardRow, 'owner_id' | 'version' | 'edited_at'> & { visibility: CardRow['workspace_visibility'] }

export function findDeleted(
  db: Db,
  viewerId: string,
  cardId: string,
  since: string,
): Promise<DeletedCard | undefined> {
  return db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .leftJoin('memberships as mine', (join) =>
      join.onRef('mine.workspace_id', '=', 'cards.workspace_id').on('mine.user_id', '=', viewerId),
    )
    .select(['cards.workspace_id', 'cards.origin_workspace_id', 'cards.status', 'cards.hidden_at'])
    .select(['cards.card_id', 'cards.title', 'cards.symptom', 'cards.fix_summary'])
    .select(['cards.owner_id', 'cards.version', 'cards.edited_at'])
    .select(['workspaces.visibility', 'workspaces.type as workspace_type', 'mine.role as viewer_role'])
    .where('cards.card_id', '=', cardId)
    .where(mayUndelete(viewerId))
    .where('cards.deleted_at', '>=', since)
    .executeTakeFirst()
}

export async function findPurgeable(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('cards')
    .select('card_id')
    .where('deleted_at', '<', before)
    .limit(limit)
    .execute()
  return rows.map((row) => row.card_id)
}

/** On PostgreSQL they go with their card, by the foreign key, and in no other way. */
const KEPT_WITH_CARD = ['card_verdicts', 'card_evidences', 'card_versions'] as const

/** For deleted cards only: the database refuses to delete any other, and its evidence. */
export async function removeCard(db: Db, cardId: string): Promise<void> {
  const tables = [
    'card_tags',
    'card_feedback',
    'card_comments',
    'card_reports',
    'card_reads',
    'withdrawals_told',
    'trust_due',
    'card_images',
    ...(isSqlite(db) ? KEPT_WITH_CARD : []),
    'cards',
  ] as const
  const images = db.selectFrom('card_images').select('image_id').where('card_id', '=', cardId)
  await db.deleteFrom('card_image_parts').where('image_id', 'in', images).execute()
  await db.deleteFrom('card_merges').where('from_card_id', '=', cardId).execute()
  await db.deleteFrom('card_links').where('from_card_id', '=', cardId).execute()
  await countText(db, allTextOfCard(cardId), async () => {
    for (const table of tables) await db.deleteFrom(table).where('card_id', '=', cardId).execute()
  })
}
