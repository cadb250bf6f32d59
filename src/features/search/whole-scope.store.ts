import { sql } from 'kysely'
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
    .select(['search_docs.doc_no', sql<number>`octet_length(search_docs.weights)`.as('bytes')])
    .where(isListed(viewerId, scope, workspaceIds))

type Values = { viewerId: string; limit: number }
type Numbered = { doc_no: number; bytes: number }
type Ready = (db: Db, values: Values) => Promise<Numbered[]>

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

async function numbersIn(ctx: Ctx, scope: SearchScope, limit: number): Promise<Numbered[]> {
  const { viewerId } = scope
  return scope.workspaceIds.length === 0
    ? readyFor(scope)(ctx.db, { viewerId, limit })
    : numbersQuery(ctx.db, scope, viewerId).limit(limit).execute()
}

/** About 400,000 words: reading more takes longer than asking the lists, however few the documents are. */
const MAX_WHOLE_BYTES = 2 ** 20

/** Between the two statements of a try a card may change, and then has another number. */
const TRIES = 3

/** Up to `limit` documents of a scope, apart from what narrows it. Undefined if they have too many words to be read whole. */
export async function documentsIn(
  ctx: Ctx,
  scope: SearchScope,
  limit: number,
): Promise<Candidate[] | undefined> {
  for (let attempt = 1; ; attempt++) {
    const numbered = await numbersIn(ctx, scope, limit)
    if (numbered.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_WHOLE_BYTES) return undefined
    const documents = await documentsByNumber(
      ctx,
      numbered.map((row) => row.doc_no),
    )
    if (documents.length === numbered.length || attempt === TRIES) return documents
  }
}
