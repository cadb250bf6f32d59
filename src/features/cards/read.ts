import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { conflict, invalid, rateLimited } from '../../core/errors.ts'
import { withMark } from '../../core/untrusted-text.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import type { CardStatus, ReviewStatus } from '../../db/knowledge-schema.ts'
import type { WorkspacesTable } from '../../db/schema.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { allTextOf } from '../../shared/card-checks.ts'
import { beginningOf } from '../../text/unicode.ts'
import { requireVisible } from '../permissions/index.ts'
import { type CardAnswer, CardId, CaseListResponse, CaseResponse } from './card.ts'
import { noteOpened, noteReads } from './deliveries.ts'
import {
  CardListQuery,
  type CardRow,
  CaseListQuery,
  filterWords,
  type ListFilter,
  listCards,
} from './list.ts'
import { answerOf, presentEvidence, presentPage, thinCard } from './present.ts'
import {
  contributorFor,
  editableCard,
  evidenceRoom,
  evidencesOf,
  findCard,
  isMerged,
  mergedIds,
  ownCard,
  readableCard,
  readableTitles,
  requireVersion,
} from './store.ts'
import { isOpenRow } from './visibility.ts'

type Answering = {
  row: CardRow
  /** The successor, if the viewer may read it. */
  supersededBy: { card_id: string; title: string } | null
  /** The requested id, if another card answers. */
  mergedFrom: string | undefined
}

/** Returns the successor, if the viewer may read it. */
export const successorOf = async (ctx: UserCtx, { superseded_by }: CardRow): Promise<CardRow | undefined> =>
  superseded_by === null ? undefined : await findCard(ctx.db, ctx.viewer.userId, superseded_by)

const pointerTo = (card: CardRow | undefined): Answering['supersededBy'] =>
  card ? { card_id: card.card_id, title: card.title } : null

/** A merged card is answered by its merge target; a superseded card answers itself. */
export async function answering(ctx: UserCtx, row: CardRow): Promise<Answering> {
  const successor = await successorOf(ctx, row)
  if (!successor || !(await isMerged(ctx.db, row.card_id)))
    return { row, supersededBy: pointerTo(successor), mergedFrom: undefined }
  const supersededBy = pointerTo(await successorOf(ctx, successor))
  return { row: successor, supersededBy, mergedFrom: row.card_id }
}

const LISTED_TITLE = 200

async function successorsOnPage(
  ctx: UserCtx,
  rows: readonly Pick<CardRow, 'card_id' | 'superseded_by'>[],
): Promise<Map<string, NonNullable<Answering['supersededBy']>>> {
  const superseded = rows.flatMap(({ card_id, superseded_by }) =>
    superseded_by === null ? [] : [{ card_id, superseded_by }],
  )
  const titles = await readableTitles(
    ctx,
    superseded.map(({ superseded_by }) => superseded_by),
  )
  return new Map(
    superseded.flatMap(({ card_id, superseded_by }) => {
      const next = titles.get(superseded_by)
      return next ? [[card_id, { ...next, title: beginningOf(next.title, LISTED_TITLE) }] as const] : []
    }),
  )
}

/** Returns the card and the cards merged into it that the viewer may read. */
export async function withMerged(ctx: UserCtx, card: CardRow): Promise<CardRow[]> {
  const merged = await mergedIds(ctx.db, ctx.viewer.userId, card.card_id)
  const taken = await Promise.all(merged.map((cardId) => findCard(ctx.db, ctx.viewer.userId, cardId)))
  return [card, ...taken.filter((one) => one !== undefined)]
}

async function allEvidences(ctx: UserCtx, card: CardRow) {
  const room = evidenceRoom()
  const all = []
  for (const source of await withMerged(ctx, card))
    for (const row of await evidencesOf(ctx.db, source.card_id, room))
      all.push({
        ...presentEvidence(row),
        added_by: contributorFor(ctx, source, { by: row.added_by, at: row.created_at }),
        ...(source === card ? {} : { from_card_id: source.card_id }),
      })
  return all
}

type Evidences = Awaited<ReturnType<typeof allEvidences>>

/** Only this answer shows evidence, which may contain instructions to agents (prompt injection). */
function withEvidences(card: CardAnswer, evidences: Evidences): CardAnswer {
  const isMarked =
    card.provenance.owner !== 'you' &&
    evidences.some(({ kind, content, meta }) => containsInstructions(allTextOf([kind, content, meta])))
  return { ...card, evidences, ...(isMarked ? { provenance: withMark(card.provenance) } : {}) }
}

export const getCard = capability({
  name: 'cards.get',
  summary: 'One card',
  description: 'A card that the caller may not read is answered like one that does not exist.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}', 'GET /api/v1/cases/{case_id}'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'get_card',
    description: 'Read one card that search_records found, in parts of 12,000 characters.',
    readOnly: true,
    input: CardId.extend({ include_evidences: z.boolean().default(true) }),
    thin: thinCard,
  },
  input: CardId.extend({ include_evidences: z.boolean().default(false) }),
  output: CaseResponse,
  errors: [404],
  run: async (ctx, { card_id, include_evidences }) => {
    const { row, supersededBy, mergedFrom } = await answering(ctx, await readableCard(ctx, card_id))
    noteOpened(ctx, card_id)
    noteReads(ctx, [row])
    const own = answerOf(row, ctx.now())
    const card =
      supersededBy || mergedFrom ? { ...own, superseded_by: supersededBy, merged_from: mergedFrom } : own
    if (!include_evidences) return card
    return withEvidences(card, await allEvidences(ctx, row))
  },
})

/** Limit of words, because a filter reads every public card for each word. Search has an index. */
const MAX_FILTER_WORDS = 16
const FILTERS_A_MINUTE = 120

function requireModestFilter(ctx: UserCtx, { q, contains, scope }: ListFilter): void {
  if (q === undefined && contains === undefined) return
  if (q !== undefined && scope !== 'public')
    throw invalid('q', 'This text filter works with scope=public only; elsewhere use contains')
  const field = q === undefined ? 'contains' : 'q'
  if (filterWords(`${q ?? ''} ${contains ?? ''}`).length > MAX_FILTER_WORDS)
    throw invalid(
      field,
      `The text filter takes at most ${MAX_FILTER_WORDS} different words; search takes more`,
    )
  if (!ctx.config.rateLimit) return
  const state = ctx.limits.hit(`filter:${ctx.viewer.userId}`, FILTERS_A_MINUTE)
  if (state.exceeded) throw rateLimited(state, 'Too many lists with a text filter.')
}

type Query = z.output<typeof CardListQuery> & Partial<z.output<typeof CaseListQuery>>

async function list(
  ctx: UserCtx,
  { workspace_id, without_personal, sort, page, page_size, ...asked }: Query,
) {
  const filter: ListFilter = { ...asked, workspaceId: workspace_id, withoutPersonal: without_personal }
  requireModestFilter(ctx, filter)
  if (filter.scope === 'workspace' && filter.workspaceId !== undefined)
    await requireVisible(ctx, filter.workspaceId)
  const { rows, total } = await listCards(ctx.db, ctx.viewer.userId, filter, { page, page_size, order: sort })
  const found = rows.map(({ row }) => row)
  noteReads(ctx, found)
  const successors = await successorsOnPage(ctx, found)
  const items = presentPage(rows, ctx.now()).map((card) => ({
    ...card,
    superseded_by: successors.get(card.card_id) ?? null,
  }))
  return { items, total, page, page_size }
}

const LIST_DESCRIPTION =
  'Newest first, or as sort says. scope=personal lists the cards that the caller owns; scope=workspace those of the workspaces that the caller is a member of, or of workspace_id; scope=public the public library. Nobody finds another person’s unpublished card here.'

export const listCases = capability({
  name: 'cases.list',
  summary: 'A page of cards, with track and text filter',
  description: LIST_DESCRIPTION,
  scopes: ['search'],
  rest: ['GET /api/v1/cases'],
  input: CaseListQuery,
  output: CaseListResponse,
  errors: [404],
  run: list,
})

export const listCardsPage = capability({
  name: 'cards.list',
  summary: 'A page of cards',
  description: LIST_DESCRIPTION,
  scopes: ['search'],
  rest: ['GET /api/v1/cards'],
  input: CardListQuery,
  output: CaseListResponse,
  errors: [404],
  run: list,
})

type Stored = {
  workspace_id: string
  owner_id: string
  status: CardStatus
  review_status: ReviewStatus
  deleted_at: string | null
  hidden_at: string | null
}
type Visibility = WorkspacesTable['visibility']
type Linked = Stored & { card_id: string; superseded_by: string | null; successor_gone: number }
type Shown = Stored & { workspace_visibility: Visibility }

/** Returns whether everybody who can read the former card can read its successor. */
export function isReadByAllOf(former: Shown, successor: Shown): boolean {
  if (successor.deleted_at !== null || successor.hidden_at !== null) return false
  if (isOpenRow(successor) || isOpenRow(former)) return isOpenRow(successor)
  const isSharedOrTheirs =
    successor.status === 'published' ||
    (former.status === 'unpublished' && successor.owner_id === former.owner_id)
  return successor.workspace_id === former.workspace_id && isSharedOrTheirs
}

const COLUMNS = [
  'card_id',
  'workspace_id',
  'owner_id',
  'status',
  'review_status',
  'deleted_at',
  'hidden_at',
  'superseded_by',
  'successor_gone',
] as const

/** A separate query: in a cluster, a query that locks rows of cards cannot read other tables. */
async function visibilitiesFor(db: Db, cards: readonly Stored[]): Promise<(card: Stored) => Visibility> {
  const ids = textList(new Set(cards.map(({ workspace_id }) => workspace_id)))
  const rows = await db
    .selectFrom('workspaces')
    .select(['workspace_id', 'visibility'])
    .where(isAmongTexts(db, 'workspace_id', ids))
    .execute()
  const known = new Map(rows.map(({ workspace_id, visibility }) => [workspace_id, visibility]))
  return ({ workspace_id }) => known.get(workspace_id) ?? 'private'
}

const cardsOf = (db: Db) => db.selectFrom('cards').select(COLUMNS)

/** Locks the rows, so that the cards do not lose their readers while they replace others. */
const locked = (db: Db, cards: ReturnType<typeof cardsOf>) =>
  (isSqlite(db) ? cards : cards.orderBy('card_id').forShare()).execute()

const lockedCard = (db: Db, cardId: string) => locked(db, cardsOf(db).where('card_id', '=', cardId))

/** Locks the cards. A cluster locks rows of one shard at a time, so there each card needs its own statement. */
async function lockedCards({ db, database }: Ctx, cardIds: readonly string[]): Promise<Linked[]> {
  if (!database.isDistributed)
    return locked(db, cardsOf(db).where(isAmongTexts(db, 'card_id', textList(cardIds))))
  const found: Linked[] = []
  for (const cardId of [...cardIds].sort()) found.push(...(await lockedCard(db, cardId)))
  return found
}

/** Marks, in the superseded cards, whether their readers can read the successor. */
async function markFormersOf(db: Db, successorIds: readonly string[], successors: readonly Linked[]) {
  const formers = await cardsOf(db)
    .where(isAmongTexts(db, 'superseded_by', textList(successorIds)))
    .execute()
  if (formers.length === 0) return
  const visibilityOf = await visibilitiesFor(db, [...formers, ...successors])
  const shown = (card: Linked) => ({ ...card, workspace_visibility: visibilityOf(card) })
  const byId = new Map(successors.map((card) => [card.card_id, shown(card)]))
  const isGone = (former: Linked) => {
    const successor = byId.get(former.superseded_by ?? '')
    return !successor || !isReadByAllOf(shown(former), successor)
  }
  const changed = formers.filter((former) => former.successor_gone !== Number(isGone(former)))
  for (const successor_gone of [0, 1]) {
    const cardIds = changed
      .filter((former) => former.successor_gone !== successor_gone)
      .map(({ card_id }) => card_id)
    if (cardIds.length > 0)
      await db
        .updateTable('cards')
        .set({ successor_gone })
        .where(isAmongTexts(db, 'card_id', textList(cardIds)))
        .execute()
  }
}

const markFormersOfOne = async (db: Db, successorId: string) =>
  markFormersOf(db, [successorId], await lockedCard(db, successorId))

/**
 * Call after every change of who reads a card. If its readers cannot read the successor, the card counts as
 * current; otherwise search would show neither.
 */
export async function markSuccession(db: Db, cardId: string): Promise<void> {
  await markFormersOfOne(db, cardId)
  const card = await db
    .selectFrom('cards')
    .select('superseded_by')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  if (card && card.superseded_by !== null) await markFormersOfOne(db, card.superseded_by)
}

/** Mark the successors after all of these cards have changed their readers. */
export async function successorsAround(db: Db, workspaceId: string): Promise<string[]> {
  const inside = db.selectFrom('cards').select('card_id').where('workspace_id', '=', workspaceId)
  const superseded = db.selectFrom('cards').select('superseded_by').distinct()
  const ofInside = await superseded
    .where('workspace_id', '=', workspaceId)
    .where('superseded_by', 'is not', null)
    .execute()
  const within = await superseded.where('superseded_by', 'in', inside).execute()
  return [...new Set([...ofInside, ...within].flatMap(({ superseded_by }) => superseded_by ?? []))]
}

export async function markAll(ctx: Ctx, successorIds: readonly string[]): Promise<void> {
  if (successorIds.length > 0) await markFormersOf(ctx.db, successorIds, await lockedCards(ctx, successorIds))
}

/** The caller has not read this card, since another card answers; `If-Match` is checked afterwards. */
async function unmerged(ctx: UserCtx, find: (ctx: UserCtx) => Promise<CardRow>): Promise<CardRow> {
  const card = await find({ ...ctx, ifMatch: undefined })
  const { row, mergedFrom } = await answering(ctx, card)
  if (mergedFrom !== undefined)
    throw conflict(
      'merged_already',
      `This card was merged into ${row.card_id}. Use that one, or undo the merge first.`,
      { into_card_id: row.card_id },
    )
  requireVersion(ctx, card)
  return card
}

export const editableUnmerged = (ctx: UserCtx, cardId: string): Promise<CardRow> =>
  unmerged(ctx, (ctx) => editableCard(ctx, cardId))

export const ownUnmerged = (ctx: UserCtx, cardId: string, verb: string): Promise<CardRow> =>
  unmerged(ctx, (ctx) => ownCard(ctx, cardId, verb))
