import { type Selectable, sql } from 'kysely'
import type { Whose } from '../../core/provenance.ts'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { isByViewer, isInTeamOf, mayDelete, mayUpdate, type ViewerId } from './visibility.ts'

/** All but the folded text, which repeats the others and is looked at in the database alone. */
const SHOWN = [
  'cards.card_id',
  'cards.owner_id',
  'cards.workspace_id',
  'cards.origin_workspace_id',
  'cards.card_type',
  'cards.status',
  'cards.version',
  'cards.seen_from_version',
  'cards.title',
  'cards.tags',
  'cards.environment',
  'cards.evidence_count',
  'cards.feedback_useful',
  'cards.feedback_not_applicable',
  'cards.feedback_outdated',
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
  'cards.deleted_at',
  'cards.symptom',
  'cards.fix_summary',
  'cards.root_cause',
  'cards.steps',
  'cards.card_payload',
  'cards.body',
  'cards.scope_notes',
] as const

export type CardRow = Omit<Selectable<CardsTable>, 'filter_text'> & {
  owner_name: string
  owner_deleted_at: string | null
  /** Whose text it is to the viewer. */
  whose: Whose
  may_update: number
  may_delete: number
}

/** Cards with what an answer shows besides: the owner's name, and what the viewer may do. */
export const selectCards = (db: Db, viewerId: ViewerId) =>
  db
    .selectFrom('cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select(SHOWN)
    .select((eb) => [
      'users.display_name as owner_name',
      'users.deleted_at as owner_deleted_at',
      eb
        .case()
        .when(isByViewer(viewerId))
        .then(sql.lit<Whose>('you'))
        .when(isInTeamOf(viewerId))
        .then(sql.lit<Whose>('team'))
        .else(sql.lit<Whose>('public'))
        .end()
        .as('whose'),
      eb.case().when(mayUpdate(viewerId)).then(1).else(0).end().as('may_update'),
      eb.case().when(mayDelete(viewerId)).then(1).else(0).end().as('may_delete'),
    ])
