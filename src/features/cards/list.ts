import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Id, MAX_PAGE_BYTES, Page, Time } from '../../core/schemas.ts'
import type { Whose } from '../../core/untrusted-text.ts'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/knowledge-schema.ts'
import { byBytes } from '../../db/sql-values.ts'
import { foldForFilter } from '../../shared/card-checks.ts'
import {
  CARD_TYPES,
  DEFINITION,
  valuesFiltered,
  WORD_COLUMNS,
  type WordFilters,
  WRITTEN_COLUMNS,
  WRITTEN_FIELDS,
  type WrittenField,
} from '../../shared/card-fields.ts'
import { requireVisible } from '../permissions/index.ts'
import { FeedbackCounts, normalName, trackOf, wordFilters } from './card.ts'
import {
  type CardScope,
  type HomeFacts,
  homesOf,
  isBrowsed,
  isByViewer,
  isInTeamOf,
  isNotPersonal,
  knownSince,
  mayDelete,
  mayReadHistory,
  mayUpdate,
  teamOf,
  trustSeenBy,
  type ViewerId,
} from './visibility.ts'

type HiddenColumn =
  | 'filter_text'
  | 'recorded_with'
  | 'origin_key'
  | 'successor_gone'
  | 'team_trust'
  | 'seen_from_version'
  | 'origin_seen_from_version'
  | 'origin_seen_since'
  | 'doubted_at'
  | 'doubts_dismissed_at'

/** All columns but the folded text, which is used only inside the database. */
const SHOWN = [
  'cards.card_id',
  'cards.owner_id',
  'cards.workspace_id',
  'cards.origin_workspace_id',
  ...WORD_COLUMNS,
  'cards.status',
  'cards.version',
  'cards.seen_since',
  'cards.evidence_count',
  'cards.feedback_useful',
  'cards.feedback_not_applicable',
  'cards.feedback_outdated',
  'cards.superseded_by',
  'cards.sample',
  'cards.confirmed_at',
  'cards.cites',
  'cards.cites_are_written',
  'cards.review_after_days',
  'cards.review_status',
  'cards.review_score',
  'cards.review_reasons',
  'cards.reviewed_at',
  'cards.created_at',
  'cards.updated_at',
  'cards.edited_at',
  'cards.edited_by',
  'cards.edited_fields',
  'cards.published_at',
  'cards.content_hash',
  'cards.licence',
  'cards.version_published_at',
  'cards.origin',
  'cards.deleted_at',
  'cards.hidden_at',
] as const

export type ReadRow = Omit<Selectable<CardsTable>, HiddenColumn> & {
  owner_name: string
  owner_deleted_at: string | null
  whose: Whose
  /** From `teamOf`. */
  team_id: string | null
  /** From `knownSince`. */
  known_since: string | null
  known_from_version: number
  may_update: number
  may_read_history: number
  may_delete: number
}

/** Columns of a card for an answer. Only its owner may see the name of the card's source. */
export const STORED: readonly string[] = [
  ...SHOWN.map((column) => column.slice('cards.'.length)),
  ...['trust', 'source_event_id', ...WRITTEN_FIELDS],
]

export type StoredCard = Pick<ReadRow, keyof ReadRow & keyof CardsTable>

export type CardRow = ReadRow & HomeFacts

type Membership = Pick<HomeFacts, 'viewer_role' | 'workspace_type'>

export const isOutsider = ({ viewer_role, workspace_type }: Membership): boolean =>
  viewer_role === null && workspace_type !== 'system'

/** An owner who has left the workspace may not change the card while it is shared there. */
export const canEdit = (row: CardRow): boolean =>
  row.may_update === 1 && !(row.status === 'published' && isOutsider(row))

/** True for editors of the card, and for editors of the team that published it. */
export const canReadHistory = (row: CardRow): boolean => canEdit(row) || publishingTeam(row) !== null

/** Returns the team of the viewer, its editor, that has published the card; null for who may edit the card. */
export const publishingTeam = (row: CardRow): string | null =>
  row.may_update === 0 && row.may_read_history === 1 ? row.team_id : null

export const writtenBytes = sql<number>`${sql.join(
  WRITTEN_COLUMNS.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
  sql` + `,
)}`

export const writtenCharacters = (row: Pick<ReadRow, WrittenField>): number =>
  WRITTEN_FIELDS.reduce((sum, name) => sum + (row[name]?.length ?? 0), 0)

export const SHORT_TEXT = 300
const SHORT_JSON_BYTES = 2000

function shortColumn(field: WrittenField) {
  const { short, empty } = DEFINITION[field]
  const column = sql.ref(`cards.${field}`)
  if (short === 'none') return sql.lit(empty)
  return short === 'begin'
    ? sql`substr(${column}, 1, ${SHORT_TEXT + 1})`
    : sql`case when octet_length(${column}) > ${SHORT_JSON_BYTES} then ${empty} else ${column} end`
}

const selectHeads = (db: Db, viewerId: ViewerId) =>
  db
    .selectFrom('cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select(SHOWN)
    .select((eb) => [
      'users.display_name as owner_name',
      'users.deleted_at as owner_deleted_at',
      trustSeenBy(viewerId).as('trust'),
      eb
        .case()
        // Pulled text is foreign text, whoever pulled it.
        .when('cards.origin', 'is not', null)
        .then(sql.lit<Whose>('public'))
        .when(isByViewer(viewerId))
        .then(sql.lit<Whose>('you'))
        .when(isInTeamOf(viewerId))
        .then(sql.lit<Whose>('team'))
        .else(sql.lit<Whose>('public'))
        .end()
        .as('whose'),
      // Only its owner is told what the card was made from.
      eb
        .case()
        .when('cards.owner_id', '=', viewerId)
        .then(eb.ref('cards.source_event_id'))
        .else(null)
        .end()
        .as('source_event_id'),
      teamOf(viewerId).as('team_id'),
      knownSince(viewerId).time.as('known_since'),
      knownSince(viewerId).version.as('known_from_version'),
      eb.case().when(mayUpdate(viewerId)).then(1).else(0).end().as('may_update'),
      eb.case().when(mayReadHistory(viewerId)).then(1).else(0).end().as('may_read_history'),
      eb.case().when(mayDelete(viewerId)).then(1).else(0).end().as('may_delete'),
    ])

export const selectCards = (db: Db, viewerId: ViewerId) => selectHeads(db, viewerId).select(WRITTEN_COLUMNS)

const selectShortCards = (db: Db, viewerId: ViewerId) =>
  selectHeads(db, viewerId).select(WRITTEN_FIELDS.map((field) => shortColumn(field).as(field))) as ReturnType<
    typeof selectCards
  >

/** The size of a card that is shown only by its beginning. */
const SHORT_CARD_BYTES = 16 * 1024

export type ListFilter = WordFilters & {
  scope: CardScope
  workspaceId?: string | undefined
  status?: string | undefined
  /** A text filter for the public library only. */
  q?: string | undefined
  contains?: string | undefined
  tag?: string | undefined
  withoutPersonal?: boolean | undefined
}

const contains = (word: string) => {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`cards.filter_text like ${pattern} escape '\\'`
}

export function filterWords(q: string): string[] {
  const words = new Set(foldForFilter(q).split(/\s+/))
  words.delete('')
  const longestFirst = [...words].toSorted((a, b) => b.length - a.length)
  return longestFirst.filter((word, i) => !longestFirst.slice(0, i).some((longer) => longer.includes(word)))
}

const listedCards = (db: Db, viewerId: string, filter: ListFilter) => {
  const { scope, workspaceId, status, tag } = filter
  let query = db
    .selectFrom('cards')
    .where(isBrowsed(db, viewerId, scope, workspaceId === undefined ? [] : [workspaceId]))
  if (status !== undefined)
    query = query.where((eb) => eb(eb.ref('cards.status').$castTo<string>(), '=', status))
  for (const { field, values } of valuesFiltered(filter))
    query = query.where((eb) => eb(eb.ref(`cards.${field}`).$castTo<string>(), 'in', values))
  if (filter.withoutPersonal) query = query.where(isNotPersonal(viewerId))
  if (tag !== undefined)
    query = query.where('cards.card_id', 'in', (eb) =>
      eb
        .selectFrom('card_tags')
        .select('card_tags.card_id')
        .where('card_tags.tag_normal', '=', normalName(tag)),
    )
  for (const word of filterWords(`${filter.q ?? ''} ${filter.contains ?? ''}`))
    query = query.where(contains(word))
  return query
}

/** The id breaks ties, so that pages neither repeat nor lose a card. */
function inOrder(db: Db, query: ReturnType<typeof listedCards>, order: CardOrder): typeof query {
  if (order === 'title') return query.orderBy(byBytes(db, 'cards.filter_text')).orderBy('cards.card_id')
  if (order === 'useful')
    return query.orderBy('cards.feedback_useful', 'desc').orderBy('cards.card_id', 'desc')
  const time = order === 'changed' ? 'cards.updated_at' : 'cards.created_at'
  return query.orderBy(time, 'desc').orderBy('cards.card_id', 'desc')
}

type Sized = { card_id: string; bytes: number }

function chooseWhole(cards: readonly Sized[]): Set<string> {
  const whole = new Set<string>()
  const beginningOf = (bytes: number) => Math.min(bytes, SHORT_CARD_BYTES)
  let left = MAX_PAGE_BYTES
  for (const { bytes } of cards) left -= beginningOf(bytes)
  for (const { card_id, bytes } of cards) {
    const more = bytes - beginningOf(bytes)
    if (more > left) continue
    left -= more
    whole.add(card_id)
  }
  return whole
}

/** A row with the number of bytes that its author wrote; null if only the beginning was read. */
export type ListedRow = { row: CardRow; wholeBytes: number | null }

export async function listCards(
  db: Db,
  viewerId: string,
  filter: ListFilter,
  { page, page_size, order = 'created' }: { page: number; page_size: number; order?: CardOrder | undefined },
): Promise<{ rows: ListedRow[]; total: number }> {
  const { total } = await listedCards(db, viewerId, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  // The page is selected by id and size first, so that sorting does not read long texts.
  const chosen = await inOrder(db, listedCards(db, viewerId, filter), order)
    .select(['cards.card_id', writtenBytes.as('bytes')])
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute()
  const whole = chooseWhole(chosen)
  const read = (select: typeof selectCards | typeof selectShortCards, isWhole: boolean) => {
    const ids = chosen.map((card) => card.card_id).filter((id) => whole.has(id) === isWhole)
    return ids.length === 0 ? [] : select(db, viewerId).where('cards.card_id', 'in', ids).execute()
  }
  const found = [...(await read(selectCards, true)), ...(await read(selectShortCards, false))]
  const byId = new Map(found.map((row) => [row.card_id, row]))
  const homes = await homesOf(db, viewerId, found)
  const rows = chosen.flatMap(({ card_id, bytes }) => {
    const row = byId.get(card_id)
    const homeFacts = homes.get(card_id)
    return row && homeFacts
      ? [{ row: { ...homeFacts, ...row }, wholeBytes: whole.has(card_id) ? bytes : null }]
      : []
  })
  return { rows, total }
}

const CARD_ORDERS = ['created', 'changed', 'useful', 'title'] as const

type CardOrder = (typeof CARD_ORDERS)[number]

const listParameters = {
  workspace_id: Id.optional(),
  status: z.string().max(10_000).optional().describe('published or unpublished; another value finds nothing'),
  scope: z
    .enum(['personal', 'workspace', 'public'])
    .default('personal')
    .describe('personal: cards I own; workspace: cards of my workspaces; public: the public library'),
  contains: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Text filter for any scope: cards with all its words, at most 16'),
  tag: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Only cards with this tag; case does not matter'),
  without_personal: z
    .boolean()
    .optional()
    .describe('With scope=workspace: without the personal workspace, so only cards of teams'),
  sort: z
    .enum(CARD_ORDERS)
    .default('created')
    .describe('created, changed: the latest first; useful: most often found useful first; title: by name'),
  ...Page,
}

export const CardListQuery = z.object(listParameters)

export const CaseListQuery = z.object({
  ...listParameters,
  ...wordFilters,
  q: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Text filter: cards with all its words, at most 16; with scope=public only'),
})

const TOP_TAGS = 10

const CaseStatsResponse = z
  .object({
    scope: z.enum(['personal', 'workspace']),
    total: z.int(),
    published: z.int(),
    unpublished: z.int(),
    by_type: z.object({
      debug_fix: z.int(),
      how_to: z.int(),
      lesson_learned: z.int(),
      decision: z.int(),
      reference: z.int(),
    }),
    by_track: z.object({ debug: z.int(), build: z.int() }),
    top_tags: z.array(z.object({ tag: z.string(), count: z.int() })),
    feedback: FeedbackCounts,
    last_activity_at: Time.nullable(),
  })
  .meta({ id: 'CaseStatsResponse' })

const groupsOf = (ctx: UserCtx, filter: ListFilter) =>
  listedCards(ctx.db, ctx.viewer.userId, filter)
    .select((eb) => [
      'cards.card_type',
      'cards.status',
      eb.fn.countAll<number>().as('cards'),
      eb.fn.sum<number>('cards.feedback_useful').as('useful'),
      eb.fn.sum<number>('cards.feedback_not_applicable').as('not_applicable'),
      eb.fn.sum<number>('cards.feedback_outdated').as('outdated'),
      eb.fn.max('cards.updated_at').as('last_activity_at'),
    ])
    .groupBy(['cards.card_type', 'cards.status'])
    .execute()

const topTagsOf = (ctx: UserCtx, filter: ListFilter) =>
  listedCards(ctx.db, ctx.viewer.userId, filter)
    .innerJoin('card_tags', 'card_tags.card_id', 'cards.card_id')
    .select((eb) => [
      eb.fn.min(byBytes(ctx.db, 'card_tags.tag')).as('tag'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy('card_tags.tag_normal')
    .orderBy('count', 'desc')
    .orderBy(byBytes(ctx.db, 'card_tags.tag_normal'))
    .limit(TOP_TAGS)
    .execute()

type Group = Awaited<ReturnType<typeof groupsOf>>[number]

function summarise(groups: Group[]) {
  const sum = (of: (group: Group) => number, where: (group: Group) => boolean = () => true) =>
    groups.filter(where).reduce((total, group) => total + of(group), 0)
  const cards = (where: (group: Group) => boolean) => sum((group) => group.cards, where)
  return {
    total: cards(() => true),
    published: cards((group) => group.status === 'published'),
    unpublished: cards((group) => group.status === 'unpublished'),
    by_type: Object.fromEntries(
      CARD_TYPES.map((type) => [type, cards((group) => group.card_type === type)]),
    ) as Record<(typeof CARD_TYPES)[number], number>,
    by_track: {
      debug: cards((group) => trackOf(group.card_type) === 'debug'),
      build: cards((group) => trackOf(group.card_type) === 'build'),
    },
    feedback: {
      useful: sum((group) => group.useful),
      not_applicable: sum((group) => group.not_applicable),
      outdated: sum((group) => group.outdated),
    },
    last_activity_at: groups.map((group) => group.last_activity_at).reduce<string | null>(later, null),
  }
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)

export const cardStats = capability({
  name: 'cards.stats',
  summary: 'Numbers about the caller’s cards',
  description: 'Counts exactly the cards that the list shows with the same scope, workspace and status.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/stats', 'GET /api/v1/cases/stats'],
  input: CardListQuery.pick({ workspace_id: true, status: true, without_personal: true }).extend({
    scope: z.enum(['personal', 'workspace']).default('personal'),
  }),
  output: CaseStatsResponse,
  errors: [404],
  run: async (ctx, { workspace_id, scope, status, without_personal }) => {
    if (scope === 'workspace' && workspace_id !== undefined) await requireVisible(ctx, workspace_id)
    const filter = { scope, workspaceId: workspace_id, status, withoutPersonal: without_personal }
    return { scope, ...summarise(await groupsOf(ctx, filter)), top_tags: await topTagsOf(ctx, filter) }
  },
})
