import type { Expression, Selectable, SqlBool } from 'kysely'
import type { UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { inNumbers, isAmong, numberList } from '../../db/number-list.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { isCurrent, isListed, type ViewerId } from '../cards/visibility.ts'
import type { SearchScope } from './scope.ts'

/** The columns that a hit shows, that its snippet needs, and that the permission needs. */
const COLUMNS = [
  'cards.card_id',
  'cards.owner_id',
  'cards.workspace_id',
  'cards.card_type',
  'cards.status',
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
  'cards.evidence_count',
  'cards.feedback_useful',
  'cards.feedback_not_applicable',
  'cards.feedback_outdated',
  'cards.trust',
  'cards.cites',
  'cards.superseded_by',
  'cards.review_status',
  'cards.created_at',
  'cards.updated_at',
  'cards.edited_by',
  'cards.origin',
  'cards.deleted_at',
  'cards.hidden_at',
] as const

type Shape = Pick<SearchScope, 'scope' | 'workspaceIds' | 'includeSuperseded'>

/**
 * Rows are picked by number before the permission is checked: a plan that begins with the permission reads all cards
 * of an owner.
 */
const rowsQuery = (db: Db, shape: Shape, viewerId: ViewerId, isPicked: Expression<SqlBool>) =>
  db
    .with(
      (cte) => cte('picked').materialized(),
      (db) =>
        db
          .selectFrom('search_docs')
          .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
          .select(COLUMNS)
          .select('search_docs.doc_no')
          .where(isPicked),
    )
    .selectFrom('picked as cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .selectAll('cards')
    .select('users.display_name as owner_name')
    .where(isListed(viewerId, shape.scope, shape.workspaceIds))
    .$if(!shape.includeSuperseded, (query) => query.where(isCurrent()))

type Column = (typeof COLUMNS)[number] extends `cards.${infer Name}` ? Name : never

/** Written out, because the query's own type has all columns of a card, even those that are not read. */
export type HitRow = Pick<Selectable<CardsTable>, Column> & { doc_no: number; owner_name: string }

type Ready = (db: Db, values: { viewerId: string; numbers: string }) => Promise<HitRow[]>

const ready = new Map<string, Ready>()

/** Building and compiling this query costs as much as executing it, and a search executes it once or twice. */
function readyFor(shape: Shape): Ready {
  const key = `${shape.scope} ${shape.includeSuperseded}`
  const known = ready.get(key)
  if (known) return known
  const made = prepared((db, parameter: Named<{ viewerId: string; numbers: string }>) =>
    rowsQuery(db, shape, parameter('viewerId'), isAmong(db, 'search_docs.doc_no', parameter('numbers'))),
  )
  ready.set(key, made)
  return made
}

/** The cards with these numbers that the viewer may find in this scope. */
export const hitRows = (ctx: UserCtx, scope: SearchScope, docNos: readonly number[]): Promise<HitRow[]> =>
  scope.workspaceIds.length === 0
    ? readyFor(scope)(ctx.db, { viewerId: scope.viewerId, numbers: numberList(ctx.db, docNos) })
    : rowsQuery(ctx.db, scope, scope.viewerId, inNumbers(ctx.db, 'search_docs.doc_no', docNos)).execute()
