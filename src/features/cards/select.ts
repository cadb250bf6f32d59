import { type Selectable, sql } from 'kysely'
import type { Whose } from '../../core/provenance.ts'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import type { HomeFacts } from './home.ts'
import { isByViewer, isInTeamOf, mayDelete, mayUpdate, trustSeenBy, type ViewerId } from './visibility.ts'

/** All columns but the folded text, which repeats the others and is used only inside the database. */
const SHOWN = [
  'cards.card_id',
  'cards.owner_id',
  'cards.workspace_id',
  'cards.origin_workspace_id',
  'cards.card_type',
  'cards.status',
  'cards.version',
  'cards.seen_from_version',
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

/** The fields that the author wrote. They can be long. */
const WRITTEN = [
  'cards.title',
  'cards.tags',
  'cards.environment',
  'cards.symptom',
  'cards.fix_summary',
  'cards.root_cause',
  'cards.steps',
  'cards.card_payload',
  'cards.body',
  'cards.scope_notes',
] as const

/** A card as lists and comparisons read it. */
export type ReadRow = Omit<
  Selectable<CardsTable>,
  'filter_text' | 'recorded_with' | 'origin_key' | 'successor_gone' | 'team_trust'
> & {
  owner_name: string
  owner_deleted_at: string | null
  /** Whose text it is to the viewer. */
  whose: Whose
  may_update: number
  may_delete: number
}

/** The columns of a card that an answer is made of. The name of what it was made from is for its owner alone. */
export const STORED: readonly string[] = [...SHOWN, 'cards.trust', 'cards.source_event_id', ...WRITTEN].map(
  (column) => column.slice('cards.'.length),
)

export type StoredCard = Omit<
  ReadRow,
  'owner_name' | 'owner_deleted_at' | 'whose' | 'may_update' | 'may_delete'
>

/** A card with what says where it lives and who reads it. */
export type CardRow = ReadRow & HomeFacts

type Membership = Pick<HomeFacts, 'viewer_role' | 'workspace_type'>

/** Whether the viewer is a stranger in the card's workspace. The library has no members, and nobody is a stranger in it. */
export const isOutsider = ({ viewer_role, workspace_type }: Membership): boolean =>
  viewer_role === null && workspace_type !== 'system'

/** Whether the viewer may change the card now. An owner who has left its workspace may not while it is shared there. */
export const canEdit = (row: CardRow): boolean =>
  row.may_update === 1 && !(row.status === 'published' && isOutsider(row))

/** How many bytes of a card its author wrote, measured without reading them. */
export const writtenBytes = sql<number>`${sql.join(
  WRITTEN.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
  sql` + `,
)}`

type Written = (typeof WRITTEN)[number] extends `cards.${infer Name}` ? Name : never
const WRITTEN_NAMES = WRITTEN.map((column) => column.slice('cards.'.length) as Written)

/** How many characters of a card its author wrote. */
export const writtenCharacters = (row: Pick<ReadRow, Written>): number =>
  WRITTEN_NAMES.reduce((sum, name) => sum + (row[name]?.length ?? 0), 0)

/** Characters of a text in a card that is not shown whole. */
export const SHORT_TEXT = 300
const SHORT_JSON_BYTES = 2000

const begin = <T extends string | null>(column: (typeof WRITTEN)[number]) =>
  sql<T>`substr(${sql.ref(column)}, 1, ${SHORT_TEXT + 1})`
const unlessLong = (column: (typeof WRITTEN)[number], empty: string) =>
  sql<string>`case when octet_length(${sql.ref(column)}) > ${SHORT_JSON_BYTES} then ${empty} else ${sql.ref(column)} end`

/** Cards with what an answer shows in addition: the owner's name, and what the viewer may do. */
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
        // Pulled text is a stranger's, whoever pulled it.
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
      eb.case().when(mayUpdate(viewerId)).then(1).else(0).end().as('may_update'),
      eb.case().when(mayDelete(viewerId)).then(1).else(0).end().as('may_delete'),
    ])

export const selectCards = (db: Db, viewerId: ViewerId) => selectHeads(db, viewerId).select(WRITTEN)

/** The same with the beginnings of what is long. */
export const selectShortCards = (db: Db, viewerId: ViewerId) =>
  selectHeads(db, viewerId).select([
    begin<string>('cards.title').as('title'),
    begin<string>('cards.symptom').as('symptom'),
    begin<string>('cards.fix_summary').as('fix_summary'),
    begin<string | null>('cards.root_cause').as('root_cause'),
    begin<string | null>('cards.scope_notes').as('scope_notes'),
    unlessLong('cards.tags', '[]').as('tags'),
    unlessLong('cards.environment', '{}').as('environment'),
    sql<string>`'[]'`.as('steps'),
    sql<string | null>`null`.as('card_payload'),
    sql<string | null>`null`.as('body'),
  ])
