import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { AppError, forbidden, notFound } from '../../core/errors.ts'
import type { Work } from '../../core/work.ts'
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import { newId, PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { CardEvidencesTable, CardsTable, CardVersionsTable } from '../../db/knowledge-schema.ts'
import { acquireLock } from '../../db/locks.ts'
import { insertAndReturn, insertRows, type Named, prepared } from '../../db/prepared.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { type FoundSecret, secretsInEvidences } from '../../shared/card-checks.ts'
import type { CardContent } from '../../shared/card-fields.ts'
import { allTextOfCard, countText } from '../storage/index.ts'
import { distinctTags, type EvidenceInput, normalName } from './card.ts'
import {
  type CardRow,
  canEdit,
  canReadHistory,
  isOutsider,
  STORED,
  type StoredCard,
  selectCards,
} from './list.ts'
import { isByViewer, mayRead, mayUndelete, withHomeFacts } from './visibility.ts'

export const SEARCHED_PIECES = 20
const END_CHARACTERS = 5000
const MAX_WHOLE_LENGTH = 2 * END_CHARACTERS

type Piece = { card_id: string; beginning: string; ending: string }

/** Must cut by characters, as the database does. */
export const searchedParts = (contents: readonly string[]): string[] =>
  contents.flatMap((content) => {
    if (content.length <= MAX_WHOLE_LENGTH) return [content]
    const characters = [...content]
    if (characters.length <= MAX_WHOLE_LENGTH) return [content]
    return [characters.slice(0, END_CHARACTERS).join(''), characters.slice(-END_CHARACTERS).join('')]
  })

/** Returns the searched evidence texts by card, in order. Cards without evidence are left out. */
export async function evidenceTexts(
  db: Db,
  cards: readonly { card_id: string; evidence_count: number }[],
): Promise<Map<string, string[]>> {
  const texts = new Map<string, string[]>()
  const ids = cards.filter((card) => card.evidence_count > 0).map((card) => card.card_id)
  if (ids.length === 0) return texts
  // Cut in the database, so that megabytes of logs are not transferred.
  const { rows } = await sql<Piece>`select card_id,
      case when length(content) <= ${sql.lit(MAX_WHOLE_LENGTH)} then content
        else substr(content, 1, ${sql.lit(END_CHARACTERS)}) end as beginning,
      case when length(content) <= ${sql.lit(MAX_WHOLE_LENGTH)} then ''
        else substr(content, length(content) - ${sql.lit(END_CHARACTERS - 1)}) end as ending
    from card_evidences where card_id in (${sql.join(ids)}) and position < ${sql.lit(SEARCHED_PIECES)}
    order by card_id, position`.execute(db)
  for (const { card_id, beginning, ending } of rows) {
    const pieces = ending === '' ? [beginning] : [beginning, ending]
    texts.set(card_id, [...(texts.get(card_id) ?? []), ...pieces])
  }
  return texts
}

const readable = prepared(
  'readableCard',
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

/** Marks a card as deleted or as restored, and updates the counts of its texts. */
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

type NewEvidence = {
  cardId: string
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

const MAX_EVIDENCE_BYTES = 8 * 1024 * 1024
const SHORT_EVIDENCE = 300

export type EvidenceRow = CardEvidencesTable & { truncated: boolean }

export const evidenceRoom = () => ({ left: MAX_EVIDENCE_BYTES })

/** Reads sizes first, as evidence can be very large; the first `atLeast` pieces are read whole. */
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

/** The review must read all of it, because search quotes pieces that do not fit into an answer. */
export const reviewedEvidences = (db: Db, cardId: string): Promise<EvidenceRow[]> =>
  evidencesOf(db, cardId, evidenceRoom(), SEARCHED_PIECES)

export const withReadMeta = ({ kind, content, meta }: EvidenceRow) => ({
  kind,
  content,
  meta: fromJsonOrNull<object>(meta),
})

/** Returns the merged cards that the viewer may read: a merge shows nobody what they could not read before. */
export async function mergedIds(db: Db, viewerId: string, cardId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_merges')
    .select('from_card_id')
    .where('into_card_id', '=', cardId)
    .orderBy('created_at')
    .execute()
  const merged = rows.map((row) => row.from_card_id)
  if (merged.length === 0) return []
  // A separate query, because in a cluster it goes only to the shards of these cards.
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

/** PostgreSQL deletes these rows only by the foreign key, together with their card. */
const KEPT_WITH_CARD = ['card_verdicts', 'card_evidences', 'card_versions'] as const

/** Removes a deleted card for good. The database refuses to remove any other card or its evidence. */
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

/** Returns the card for the answer to a finished write; its caller may have lost access meanwhile. */
export const cardIfReadable = (ctx: UserCtx, cardId: string): Promise<CardRow | undefined> =>
  findCard(ctx.db, ctx.viewer.userId, cardId)

/** Returns a card that the viewer may read. Anybody else is told that the card does not exist. */
export async function readableCard(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await cardIfReadable(ctx, cardId)
  if (!row) throw notFound('Card')
  return row
}

/** Returns the newest cards that the person wrote, for the list of what they name. */
export async function ownCardTexts(
  db: Db,
  userId: string,
  limit: number,
): Promise<Pick<CardRow, 'card_id' | 'title' | 'fix_summary'>[]> {
  return db
    .selectFrom('cards')
    .select(['card_id', 'title', 'fix_summary'])
    .where(isByViewer(userId))
    .where('deleted_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .limit(limit)
    .execute()
}

/** Accepts `"3"`, `W/"3"`, `3`, lists of them, and `*` for any. */
function matches(ifMatch: string, version: number): boolean {
  return ifMatch.split(',').some((part) => {
    const tag = part
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1')
    return tag === '*' || tag === String(version)
  })
}

/** Checks `If-Match` against the card in the path, so that two editors do not overwrite each other. */
export function requireVersion(ctx: UserCtx, row: CardRow): void {
  if (ctx.ifMatch === undefined || matches(ctx.ifMatch, row.version)) return
  throw new AppError(
    412,
    'version_mismatch',
    `The card was changed meanwhile: it is at version ${row.version}. Read it again, then repeat your change.`,
    { version: row.version },
  )
}

/** Returns the refusal for a former member. Only a shared card can be taken back; a draft has to be moved. */
function noLongerMember({ status }: CardRow): AppError {
  const remedy =
    status === 'published'
      ? 'Take the card back with unpublish, or publish it elsewhere.'
      : 'Take the card out with move, to your personal workspace or to a team that you are in.'
  return forbidden(`You are no longer a member of this card's workspace. ${remedy}`)
}

/** Refuses a person who has left the team: no new card, and no change of a shared one. */
export function refuseOutsider(row: CardRow): void {
  if (isOutsider(row)) throw noLongerMember(row)
}

const forEditors = (deed: string): AppError =>
  forbidden(`Only the owner, and editors and admins of its workspace, may ${deed} this card.`)

export async function editableCard(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.may_update !== 1) throw forEditors('change')
  if (!canEdit(row)) throw noLongerMember(row)
  requireVersion(ctx, row)
  return row
}

/** Returns a card whose history the viewer may read. */
export async function cardWithHistory(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (canReadHistory(row)) return row
  throw row.may_update === 1 ? noLongerMember(row) : forEditors('read the history of')
}

export const editableAtAnyVersion = (ctx: UserCtx, cardId: string): Promise<CardRow> =>
  editableCard({ ...ctx, ifMatch: undefined }, cardId)

export async function ownCard(ctx: UserCtx, cardId: string, verb: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.owner_id !== ctx.viewer.userId) throw forbidden(`Only the owner may ${verb} this card.`)
  requireVersion(ctx, row)
  return row
}

export async function deletableCard(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.may_delete !== 1)
    throw forbidden('Only the owner, and admins of its workspace, may delete this card.')
  requireVersion(ctx, row)
  return row
}

/** Sorted by id, the order of all card locks (docs/decisions/0001-foundation.md). */
function around(db: Db, cardIds: readonly string[]) {
  const ids = textList(cardIds)
  const theirs = db
    .selectFrom('cards')
    .select('superseded_by')
    .where(isAmongTexts(db, 'card_id', ids))
  return db
    .selectFrom('cards')
    .select(['card_id', 'workspace_id'])
    .where((eb) =>
      eb.or([
        isAmongTexts(db, 'card_id', ids),
        isAmongTexts(db, 'superseded_by', ids),
        sql<boolean>`card_id = any (array(${theirs}))`,
      ]),
    )
    .orderBy('card_id')
}

const cardAlone = (db: Db, cardId: string) =>
  db.selectFrom('cards').select(['card_id', 'workspace_id']).where('card_id', '=', cardId)

async function lockRowOf({ db, database }: Ctx, cardId: string): Promise<string | undefined> {
  if (database.engine !== 'postgres') return undefined
  const rows = await (database.isDistributed ? cardAlone(db, cardId) : around(db, [cardId]))
    .forUpdate()
    .execute()
  return rows.find((row) => row.card_id === cardId)?.workspace_id
}

/** Otherwise a change of visibility could miss an index entry that is just being written. */
const lockVisibility = ({ db }: Ctx, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .forShare()
    .execute()

/** `lockRowOf` and `lockVisibility`, for a change that indexes the card where it is. */
export async function lockAnyCard(ctx: Ctx, cardId: string): Promise<string | undefined> {
  const workspaceId = await lockRowOf(ctx, cardId)
  if (workspaceId !== undefined) await lockVisibility(ctx, workspaceId)
  return workspaceId
}

/** Leaves the keys unlocked: judgements that refer to them may wait for a locked mark (deadlock). */
export async function lockWithRelated(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  if (ctx.database.isDistributed) await lockCards(ctx, cardIds)
  else if (ctx.database.engine === 'postgres') await around(ctx.db, cardIds).forNoKeyUpdate().execute()
}

/** Locks one by one, because a cluster locks rows of one shard at a time. */
export async function lockCards({ db, database }: Ctx, cardIds: readonly string[]): Promise<void> {
  if (database.engine !== 'postgres') return
  for (const cardId of cardIds.toSorted()) await cardAlone(db, cardId).forNoKeyUpdate().execute()
}

type OfWorkspace = { workspaceId: string; successors: readonly string[] }

/**
 * Call before the workspace's row is locked: card changes refer to it while they hold the card. `judged` is
 * enough if only trust changes.
 */
export async function lockCardsOf(
  { db, database }: Ctx,
  { workspaceId, successors }: OfWorkspace,
  which: 'all' | 'judged',
): Promise<void> {
  if (database.engine !== 'postgres' || database.isDistributed) return
  const ids = textList(successors)
  await db
    .selectFrom('cards')
    .select('card_id')
    .where((eb) =>
      eb.or([
        eb.and([
          eb('workspace_id', '=', workspaceId),
          ...(which === 'judged' ? [eb('trust', 'is not', null)] : []),
        ]),
        ...(which === 'all' ? [eb('origin_workspace_id', '=', workspaceId)] : []),
        isAmongTexts(db, 'card_id', ids),
        isAmongTexts(db, 'superseded_by', ids),
      ]),
    )
    .orderBy('card_id')
    .forNoKeyUpdate()
    .execute()
}

/** Call before locking other rows that a change of the card also locks. */
export async function lockKeyOf({ db, database }: Ctx, cardId: string): Promise<void> {
  if (database.engine === 'postgres') await cardAlone(db, cardId).forKeyShare().execute()
}

/**
 * Call it before the card is read, in a `SELF_GUARDED` transaction. Only for changes that give no new reader:
 * sharing and moving stay serialisable, publishing uses `lockForPublishing`.
 */
export async function lockCard(ctx: UserCtx, cardId: string): Promise<void> {
  const workspaceId = await lockAnyCard(ctx, cardId)
  if (workspaceId === undefined) return
  await ctx.db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', ctx.viewer.userId)
    .forShare()
    .execute()
}

/**
 * Locks the target by an update. A change of visibility marks the cards in its snapshot (`changeWorkspace`)
 * and would miss the arriving card if it only waited for a lock; after an update it runs again. The library
 * never changes its visibility. In a cluster an update would lock all workspaces, so there `lockArrivals` keeps
 * the two apart.
 */
async function lockTarget(ctx: UserCtx, workspaceId: string): Promise<void> {
  if (workspaceId === PUBLIC_LIBRARY_ID || ctx.database.isDistributed) await lockVisibility(ctx, workspaceId)
  else
    await ctx.db
      .updateTable('workspaces')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('workspace_id', '=', workspaceId)
      .execute()
}

/**
 * Lets no card arrive while the visibility of a workspace changes in a cluster. Call it before cards are read in
 * the transaction: each server shows the moment of the first statement that it runs.
 */
export async function lockArrivals({ db, database }: Ctx): Promise<void> {
  if (database.isDistributed) await acquireLock(db, database.engine, 'publishing')
}

/**
 * Read committed, because the search for duplicates reads what every card write changes. Locks other
 * publishing, so that two equal cards cannot pass at the same time.
 */
export async function lockForPublishing(ctx: UserCtx, cardId: string, target?: string): Promise<void> {
  const { db, database, viewer } = ctx
  if (database.engine !== 'postgres') return
  await acquireLock(db, database.engine, 'publishing')
  const home = await lockRowOf(ctx, cardId)
  const targetId = target ?? home
  if (home !== undefined && home !== targetId) await lockVisibility(ctx, home)
  if (targetId === undefined) return
  await lockTarget(ctx, targetId)
  await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', targetId)
    .where('user_id', '=', viewer.userId)
    .forShare()
    .execute()
}

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

export type TitledCard = { card_id: string; title: string }

/** A key without the scope `search` gets no titles. */
export async function readableTitles(
  ctx: UserCtx,
  cardIds: readonly string[],
): Promise<Map<string, TitledCard>> {
  if (cardIds.length === 0 || !ctx.viewer.scopes.has('search')) return new Map()
  const rows = await ctx.db
    .selectFrom('cards')
    .select(['cards.card_id', 'cards.title'])
    .where('cards.card_id', 'in', [...new Set(cardIds)])
    .where(mayRead(ctx.viewer.userId))
    .execute()
  return new Map(rows.map((row) => [row.card_id, row]))
}

type Contribution = { by: string; at: string }

/** Outsiders see the owner: another name would reveal who shares a private team with the owner. */
export function contributorFor(
  { viewer }: UserCtx,
  card: Pick<CardRow, 'owner_id' | 'viewer_role' | 'team_id' | 'known_since'>,
  { by, at }: Contribution,
): string {
  const { owner_id, viewer_role, team_id, known_since } = card
  const isMember = viewer_role !== null || team_id !== null
  const isKnown = isMember && (known_since === null || at >= known_since)
  return isKnown || owner_id === viewer.userId || by === viewer.userId ? by : owner_id
}

/** Returns the card on which verdicts and feedback on this one count, and all cards that count there. */
export async function mergeGroup(db: Db, cardId: string): Promise<{ on: string; cardIds: string[] }> {
  const merge = await db
    .selectFrom('card_merges')
    .select('into_card_id')
    .where('from_card_id', '=', cardId)
    .executeTakeFirst()
  const on = merge?.into_card_id ?? cardId
  const merged = await db
    .selectFrom('card_merges')
    .select('from_card_id')
    .where('into_card_id', '=', on)
    .execute()
  return { on, cardIds: [on, ...merged.map((row) => row.from_card_id)] }
}
