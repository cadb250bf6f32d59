import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { AppError, forbidden, notFound } from '../../core/errors.ts'
import type { Work } from '../../core/work.ts'
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import { newId, PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { CardEvidencesTable, CardsTable, CardVersionsTable } from '../../db/knowledge-schema.ts'
import { holdLock } from '../../db/locks.ts'
import { insertAndReturn, insertRows, type Named, prepared } from '../../db/prepared.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { type CardContent, type FoundSecret, secretsInEvidences } from '../../shared/card-checks.ts'
import { allTextOfCard, countText } from '../storage/index.ts'
import { distinctTags, type EvidenceInput, normalName } from './card.ts'
import { type CardRow, canEdit, isOutsider, STORED, type StoredCard, selectCards } from './list.ts'
import { mayRead, mayUndelete, withHomeFacts } from './visibility.ts'

/**
 * Which parts of a card's evidence are searched and quoted. A log may be long, and what matters is at its beginning or
 * end: of a piece longer than twice `END_CHARACTERS`, only these two parts are taken.
 */
export const SEARCHED_PIECES = 20
const END_CHARACTERS = 5000
const LONGEST_WHOLE = 2 * END_CHARACTERS

type Piece = { card_id: string; beginning: string; ending: string }

/** The searched parts of pieces that are not stored yet, as the database cuts them: by characters. */
export const searchedParts = (contents: readonly string[]): string[] =>
  contents.flatMap((content) => {
    if (content.length <= LONGEST_WHOLE) return [content]
    const characters = [...content]
    if (characters.length <= LONGEST_WHOLE) return [content]
    return [characters.slice(0, END_CHARACTERS).join(''), characters.slice(-END_CHARACTERS).join('')]
  })

/** The searched texts of the evidence of some cards, by card and in order. Cards without evidence are left out. */
export async function evidenceTexts(
  db: Db,
  cards: readonly { card_id: string; evidence_count: number }[],
): Promise<Map<string, string[]>> {
  const texts = new Map<string, string[]>()
  const ids = cards.filter((card) => card.evidence_count > 0).map((card) => card.card_id)
  if (ids.length === 0) return texts
  // Cut in the database, so that a log of megabytes never travels.
  const { rows } = await sql<Piece>`select card_id,
      case when length(content) <= ${sql.lit(LONGEST_WHOLE)} then content
        else substr(content, 1, ${sql.lit(END_CHARACTERS)}) end as beginning,
      case when length(content) <= ${sql.lit(LONGEST_WHOLE)} then ''
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

/** For the answer about a write that is done: its caller may have lost the card in the same moment. */
export const cardIfReadable = (ctx: UserCtx, cardId: string): Promise<CardRow | undefined> =>
  findCard(ctx.db, ctx.viewer.userId, cardId)

/** A card that the viewer may read; anybody else is told that there is none. */
export async function readableCard(ctx: UserCtx, cardId: string): Promise<CardRow> {
  const row = await cardIfReadable(ctx, cardId)
  if (!row) throw notFound('Card')
  return row
}

/** `"3"`, `W/"3"`, `3`, lists of them, and `*` for any. */
function matches(ifMatch: string, version: number): boolean {
  return ifMatch.split(',').some((part) => {
    const tag = part
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1')
    return tag === '*' || tag === String(version)
  })
}

/** `If-Match` keeps two editors from overwriting each other unknowingly. It is the version of the card in the path. */
export function requireVersion(ctx: UserCtx, row: CardRow): void {
  if (ctx.ifMatch === undefined || matches(ctx.ifMatch, row.version)) return
  throw new AppError(
    412,
    'version_mismatch',
    `The card was changed meanwhile: it is at version ${row.version}. Read it again, then repeat your change.`,
    { version: row.version },
  )
}

/** Only a shared card can be taken back; a draft that still lies in the workspace has to be moved. */
function noLongerMember({ status }: CardRow): AppError {
  const remedy =
    status === 'published'
      ? 'Take the card back with unpublish, or publish it elsewhere.'
      : 'Take the card out with move, to your personal workspace or to a team that you are in.'
  return forbidden(`You are no longer a member of this card's workspace. ${remedy}`)
}

/** A person who has left a team can no longer write there: no new card, and no change of a shared one. */
export function refuseOutsider(row: CardRow): void {
  if (isOutsider(row)) throw noLongerMember(row)
}

/** `deed` is what the caller wants to do, for the words of the refusal. */
export async function editableCard(ctx: UserCtx, cardId: string, deed = 'change'): Promise<CardRow> {
  const row = await readableCard(ctx, cardId)
  if (row.may_update !== 1)
    throw forbidden(`Only the owner, and editors and admins of its workspace, may ${deed} this card.`)
  if (!canEdit(row)) throw noLongerMember(row)
  requireVersion(ctx, row)
  return row
}

/** For a card that the path does not name, and for reading: `If-Match` says nothing about them. */
export const editableAtAnyVersion = (ctx: UserCtx, cardId: string, deed?: string): Promise<CardRow> =>
  editableCard({ ...ctx, ifMatch: undefined }, cardId, deed)

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

/**
 * The cards, those that they have replaced and those that have replaced them: a change of one also reads and marks the
 * others. By id, which is the order of all locks of cards (docs/decisions/0001-foundation.md).
 */
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

/**
 * For a change of one card, in whichever workspace, which it returns. A cluster locks rows of one shard at a time, so there
 * it is the card alone. SQLite has one writer at a time.
 */
async function holdRowOf({ db, database }: Ctx, cardId: string): Promise<string | undefined> {
  if (database.engine !== 'postgres') return undefined
  const rows = await (database.isDistributed ? cardAlone(db, cardId) : around(db, [cardId]))
    .forUpdate()
    .execute()
  return rows.find((row) => row.card_id === cardId)?.workspace_id
}

/**
 * The entry of a card in the index says whether strangers read its workspace. So that must not change between the look and
 * the entry: the change marks the entries that it finds, and would not find this one.
 */
const holdVisibility = ({ db }: Ctx, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .forShare()
    .execute()

/** `holdRowOf` and `holdVisibility`, for a change that indexes the card where it is. */
export async function holdAnyCard(ctx: Ctx, cardId: string): Promise<string | undefined> {
  const workspaceId = await holdRowOf(ctx, cardId)
  if (workspaceId !== undefined) await holdVisibility(ctx, workspaceId)
  return workspaceId
}

/** For several cards, with those around them. Their keys stay free: judgements that refer to them may wait for a mark that is held already. */
export async function holdAround(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  if (ctx.database.isDistributed) await holdCards(ctx, cardIds)
  else if (ctx.database.engine === 'postgres') await around(ctx.db, cardIds).forNoKeyUpdate().execute()
}

/** For what is made of these cards, such as counts, whoever replaces them. One by one: a cluster locks rows of one shard at a time. */
export async function holdCards({ db, database }: Ctx, cardIds: readonly string[]): Promise<void> {
  if (database.engine !== 'postgres') return
  for (const cardId of cardIds.toSorted()) await cardAlone(db, cardId).forNoKeyUpdate().execute()
}

type OfWorkspace = { workspaceId: string; successors: readonly string[] }

/**
 * For a change of a whole workspace, before its own row is locked: changes of a card refer to that row while they hold the
 * card. `successors` are those of `successorsAround`. `judged` is enough where only trust is computed anew.
 */
export async function holdCardsOf(
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

/** For a text about the card, whose row refers to its key: before other rows are locked that a change of the card locks too. */
export async function holdKeyOf({ db, database }: Ctx, cardId: string): Promise<void> {
  if (database.engine === 'postgres') await cardAlone(db, cardId).forKeyShare().execute()
}

/**
 * Locks what a change of a card relies on: the card, who reads its workspace, and the caller's role there. So changes of one card
 * run one after the other, and changes of cards that do not replace each other never wait. In a young vault, serialisable
 * transactions conflict all the time, since PostgreSQL watches small tables and short indexes as a whole. Call it
 * before the card is read, in a `SELF_GUARDED` transaction.
 *
 * Use it for changes that give no new reader to a card. Sharing a card and moving it rely on more, and stay serialisable.
 * Publishing and bringing a deleted card back use `holdForPublishing`.
 */
export async function holdCard(ctx: UserCtx, cardId: string): Promise<void> {
  const workspaceId = await holdAnyCard(ctx, cardId)
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
 * Whoever opens or closes a team marks the cards that its snapshot has (`changeWorkspace`). If it only waited for a lock here,
 * it would go on without the card that arrives; after an update of the row it runs again. The library is never opened or
 * closed. A cluster would lock all workspaces for the update, so there an entry may wait for the next change of its card.
 */
async function holdTarget(ctx: UserCtx, workspaceId: string): Promise<void> {
  if (workspaceId === PUBLIC_LIBRARY_ID || ctx.database.isDistributed) await holdVisibility(ctx, workspaceId)
  else
    await ctx.db
      .updateTable('workspaces')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('workspace_id', '=', workspaceId)
      .execute()
}

/**
 * The search for duplicates reads what every card write changes. On PostgreSQL a serialisable transaction would therefore
 * be tried again and again. Publishing uses read committed there and locks what it relies on: other publishing, so that
 * two equal cards cannot pass at the same time; the card; who reads its workspace and the target; the caller's role there.
 * A deleted card comes back in the same way. Its target is the workspace that it is in.
 */
export async function holdForPublishing(ctx: UserCtx, cardId: string, target?: string): Promise<void> {
  const { db, database, viewer } = ctx
  if (database.engine !== 'postgres') return
  await holdLock(db, database.engine, 'publishing')
  const home = await holdRowOf(ctx, cardId)
  const targetId = target ?? home
  if (home !== undefined && home !== targetId) await holdVisibility(ctx, home)
  if (targetId === undefined) return
  await holdTarget(ctx, targetId)
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

export type TitledCard = { card_id: string; title: string }

/** Of these cards, those that the viewer may read. A key without `search` reads no card, and so no title beside other things. */
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

/**
 * Who added a picture or a piece of evidence, for this reader. To others than the members of its workspace, since it came
 * there, all of a card is its owner's: another name would tell who shares a private team with the owner.
 */
export function contributorFor(
  { viewer }: UserCtx,
  { owner_id, viewer_role, seen_since }: Pick<CardRow, 'owner_id' | 'viewer_role' | 'seen_since'>,
  { by, at }: Contribution,
): string {
  const isKnown = viewer_role !== null && (seen_since === null || at >= seen_since)
  return isKnown || owner_id === viewer.userId || by === viewer.userId ? by : owner_id
}

/** The card on which verdicts and feedback on this one count, and all cards that count there. */
export async function countedTogether(db: Db, cardId: string): Promise<{ on: string; cardIds: string[] }> {
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
