import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { type Candidate, documentsByNumber } from '../../search-index/index.ts'
import { isListed, type ViewerId } from '../cards/visibility.ts'
import type { SearchScope } from './scope.ts'

type Shape = Pick<SearchScope, 'scope' | 'workspaceIds'>

const numbersQuery = (db: Db, { scope, workspaceIds }: Shape, viewerId: ViewerId) =>
  db
    .selectFrom('cards')
    .innerJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .select('search_docs.doc_no')
    .where(isListed(viewerId, scope, workspaceIds))

type Values = { viewerId: string; limit: number }
type Ready = (db: Db, values: Values) => Promise<{ doc_no: number }[]>

const ready = new Map<string, Ready>()

/** Compiled once for each scope: small scopes are read at every search. */
function readyFor(shape: Shape): Ready {
  const known = ready.get(shape.scope)
  if (known) return known
  const made = prepared((db, parameter: Named<Values>) =>
    numbersQuery(db, shape, parameter('viewerId')).limit(parameter('limit')),
  )
  ready.set(shape.scope, made)
  return made
}

async function numbersIn(ctx: Ctx, scope: SearchScope, limit: number): Promise<number[]> {
  const { viewerId } = scope
  const rows =
    scope.workspaceIds.length === 0
      ? await readyFor(scope)(ctx.db, { viewerId, limit })
      : await numbersQuery(ctx.db, scope, viewerId).limit(limit).execute()
  return rows.map((row) => row.doc_no)
}

/** Between the two statements of a try a card may change, and then has another number. */
const TRIES = 3

/** Up to `limit` documents of a scope, apart from what narrows it. */
export async function documentsIn(ctx: Ctx, scope: SearchScope, limit: number): Promise<Candidate[]> {
  for (let attempt = 1; ; attempt++) {
    const numbers = await numbersIn(ctx, scope, limit)
    const documents = await documentsByNumber(ctx, numbers)
    if (documents.length === numbers.length || attempt === TRIES) return documents
  }
}
