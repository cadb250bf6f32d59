import type { Expression, Selectable, SqlBool } from 'kysely'
import type { UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { inNumbers, isAmong, numberList } from '../../db/number-list.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { isCurrent, isInTeamOf, isListed, trustSeenBy, type ViewerId } from '../cards/visibility.ts'
import type { SearchScope } from './scope.ts'

/** What a card says. It changes only with its version. */
const TEXT_COLUMNS = [
  'cards.title',
  'cards.symptom',
  'cards.fix_summary',
  'cards.root_cause',
  'cards.steps',
  'cards.body',
  'cards.card_payload',
  'cards.scope_notes',
  'cards.tags',
  'cards.environment',
] as const

/** What else a hit shows, what the permission needs, and the version of the texts. */
const STATE_COLUMNS = [
  'cards.card_id',
  'cards.version',
  'cards.owner_id',
  'cards.workspace_id',
  'cards.origin_workspace_id',
  'cards.card_type',
  'cards.status',
  'cards.evidence_count',
  'cards.feedback_useful',
  'cards.feedback_not_applicable',
  'cards.feedback_outdated',
  'cards.seen_since',
  'cards.cites',
  'cards.superseded_by',
  'cards.successor_gone',
  'cards.review_status',
  'cards.review_reasons',
  'cards.created_at',
  'cards.updated_at',
  'cards.edited_by',
  'cards.origin',
  'cards.deleted_at',
  'cards.hidden_at',
] as const

const COLUMNS = { state: STATE_COLUMNS, whole: [...STATE_COLUMNS, ...TEXT_COLUMNS] }

/** A row without the texts, for a card whose texts are known, or with them. */
type Extent = keyof typeof COLUMNS

type Shape = Pick<SearchScope, 'scope' | 'workspaceIds' | 'includeSuperseded'>

/**
 * Rows are picked by number before the permission is checked: a plan that begins with the permission reads all cards
 * of an owner.
 */
const rowsQuery = (db: Db, extent: Extent, shape: Shape, viewerId: ViewerId, isPicked: Expression<SqlBool>) =>
  db
    .with(
      (cte) => cte('picked').materialized(),
      (db) =>
        db
          .selectFrom('search_docs')
          .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
          .select(COLUMNS[extent])
          .select(['search_docs.doc_no', trustSeenBy(viewerId).as('trust')])
          .where(isPicked),
    )
    .selectFrom('picked as cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .selectAll('cards')
    .select('users.display_name as owner_name')
    // Only there does the scope not say whose the card is.
    .$if(shape.scope === 'known', (query) =>
      query.select((eb) => eb.case().when(isInTeamOf(viewerId)).then(1).else(0).end().as('is_in_team')),
    )
    .where(isListed(viewerId, shape.scope, shape.workspaceIds))
    .$if(!shape.includeSuperseded, (query) => query.where(isCurrent()))

type NamesIn<C extends readonly string[]> = C[number] extends `cards.${infer Name}`
  ? Name & keyof CardsTable
  : never

/** Written out, because the query's own type has all columns of a card, even those that are not read. */
export type StateRow = Pick<Selectable<CardsTable>, NamesIn<typeof STATE_COLUMNS> | 'trust'> & {
  doc_no: number
  owner_name: string
  /** In scope `known` alone: the card is in a workspace of the viewer. */
  is_in_team?: number
}
export type TextColumns = Pick<Selectable<CardsTable>, NamesIn<typeof TEXT_COLUMNS>>
export type HitRow = StateRow & TextColumns

type Rows = { state: StateRow; whole: HitRow }
type Ready = (db: Db, values: { viewerId: string; numbers: string }) => Promise<HitRow[]>

const ready = new Map<string, Ready>()

/** Building and compiling this query costs as much as executing it, and a search executes it once or twice. */
function readyFor(extent: Extent, shape: Shape): Ready {
  const key = `${extent} ${shape.scope} ${shape.includeSuperseded}`
  const known = ready.get(key)
  if (known) return known
  const made = prepared((db, parameter: Named<{ viewerId: string; numbers: string }>) =>
    rowsQuery(
      db,
      extent,
      shape,
      parameter('viewerId'),
      isAmong(db, 'search_docs.doc_no', parameter('numbers')),
    ),
  )
  ready.set(key, made)
  return made
}

/** The cards with these numbers that the viewer may find in this scope. */
export const hitRows = <E extends Extent>(
  ctx: UserCtx,
  extent: E,
  scope: SearchScope,
  docNos: readonly number[],
): Promise<Rows[E][]> =>
  scope.workspaceIds.length === 0
    ? readyFor(extent, scope)(ctx.db, { viewerId: scope.viewerId, numbers: numberList(ctx.db, docNos) })
    : rowsQuery(
        ctx.db,
        extent,
        scope,
        scope.viewerId,
        inNumbers(ctx.db, 'search_docs.doc_no', docNos),
      ).execute()
