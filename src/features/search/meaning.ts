import { type SqlBool, sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import {
  bytesOf,
  type Made,
  type Missing,
  nearestTo,
  pgvectorOrNull,
  questionVector,
  type VectorScope,
  type VectorSource,
} from '../../embeddings/index.ts'
import {
  type Candidate,
  documentsByNumber,
  type Match,
  passes,
  type Without,
} from '../../search-index/index.ts'
import { contentOf } from '../../shared/card-checks.ts'
import type { CardContent } from '../../shared/card-fields.ts'
import { isCurrent, isListed } from '../cards/index.ts'
import type { SearchScope } from './retrieve.ts'

/** How many cards near in meaning join those found by words. */
const MAX_NEAR = 50
/** With filters more cards are looked at, nearest first, until enough pass. */
const MAX_FILTERED = 2000
const READ_AT_ONCE = 100
const REMOVED_AT_ONCE = 500

/** Returns the cards of a scope nearest in meaning, best first; undefined if only words can be compared. Never throws. */
export async function findByMeaning(
  ctx: UserCtx,
  scope: SearchScope,
  filters: Match,
  question: string,
): Promise<Candidate[] | undefined> {
  try {
    return await nearestCards(ctx, scope, filters, question)
  } catch (error) {
    ctx.log.warn({ err: error }, 'a search compares words alone')
    return undefined
  }
}

async function nearestCards(
  ctx: UserCtx,
  { viewerId, scope, workspaceIds, includeSuperseded, without = [] }: SearchScope,
  filters: Match,
  question: string,
): Promise<Candidate[] | undefined> {
  const vector = await questionVector(ctx, question)
  if (!vector) return undefined
  const listed = isListed(ctx.db, viewerId, scope, workspaceIds)
  const current = includeSuperseded ? sql<SqlBool>`true` : isCurrent()
  const cards: VectorScope = {
    table: 'search_vectors',
    number: sql<number>`search_docs.doc_no`,
    from: sql`cards inner join search_docs on search_docs.card_id = cards.card_id
      inner join search_vectors on search_vectors.card_id = cards.card_id
      where ${listed} and ${current}`,
  }
  const isFiltered = filters.length + without.length > 0
  const near = await nearestTo(ctx, cards, vector, isFiltered ? MAX_FILTERED : MAX_NEAR)
  const numbers = near?.map(({ number }) => number)
  return numbers && passing(ctx, numbers, filters, without)
}

async function passing(
  ctx: Ctx,
  docNos: readonly number[],
  filters: Match,
  without: Without,
): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (let at = 0; at < docNos.length && found.length < MAX_NEAR; at += READ_AT_ONCE) {
    const some = docNos.slice(at, at + READ_AT_ONCE)
    const documents = new Map((await documentsByNumber(ctx, some)).map((one) => [one.docNo, one]))
    for (const docNo of some) {
      const document = documents.get(docNo)
      if (document && passes(document, filters, without)) found.push(document)
    }
  }
  return found.slice(0, MAX_NEAR)
}

const missingVectors = async (ctx: Ctx, model: string, after: number, limit: number): Promise<Missing[]> => {
  const rows = await ctx.db
    .selectFrom('search_docs')
    .leftJoin('search_vectors', 'search_vectors.card_id', 'search_docs.card_id')
    .select([
      'search_docs.card_id',
      'search_docs.doc_no',
      'search_vectors.content_hash',
      'search_vectors.model',
    ])
    .where('search_docs.doc_no', '>', after)
    .where((eb) =>
      eb.or([
        eb('search_vectors.card_id', 'is', null),
        eb('search_vectors.doc_no', '<>', eb.ref('search_docs.doc_no')),
        eb('search_vectors.model', '<>', model),
      ]),
    )
    .orderBy('search_docs.doc_no')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.card_id,
    mark: row.doc_no,
    hash: row.model === model ? row.content_hash : null,
  }))
}

async function textsOfCards(ctx: Ctx, missing: readonly Missing[]): Promise<Map<number, string>> {
  const ids = missing.map(({ id }) => id)
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', 'in', ids).execute()
  const texts = new Map(rows.map((row) => [row.card_id, textOf(contentOf(row))]))
  return new Map(missing.map(({ id, mark }) => [mark, texts.get(id) ?? '']))
}

const textOf = ({ title, symptom, root_cause, fix_summary, tags }: CardContent): string =>
  [title, symptom, root_cause, fix_summary, tags.join(', ')].filter((text) => text?.trim()).join('\n')

/** A card that changed meanwhile has another number, and keeps waiting for its vector. */
async function storeVectors(ctx: Ctx, made: readonly Made[], hasPgvector: boolean): Promise<void> {
  const bytes = sql.raw(ctx.database.engine === 'sqlite' ? 'blob' : 'bytea')
  for (const { id, mark, model, hash, vector } of made) {
    const stored = vector ? bytesOf(vector) : null
    await sql`insert into search_vectors (card_id, doc_no, model, content_hash, dimensions, vector)
      select card_id, doc_no, cast(${model} as text), cast(${hash} as text),
        cast(${vector?.length ?? 0} as integer), cast(${stored} as ${bytes})
      from search_docs where card_id = ${id} and doc_no = ${mark}
      on conflict (card_id) do update set doc_no = excluded.doc_no, model = excluded.model,
        content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector`.execute(
      ctx.db,
    )
    if (hasPgvector)
      await sql`update search_vectors set embedding = ${pgvectorOrNull(vector)}
        where card_id = ${id} and doc_no = ${mark}`.execute(ctx.db)
  }
}

async function keepVectors(ctx: Ctx, same: readonly Missing[]): Promise<void> {
  for (const { id, mark } of same)
    await ctx.db.updateTable('search_vectors').set({ doc_no: mark }).where('card_id', '=', id).execute()
}

async function removeVectors(ctx: Ctx, all: boolean): Promise<number> {
  const from = ctx.db.selectFrom('search_vectors').select('search_vectors.card_id').limit(REMOVED_AT_ONCE)
  const gone = from
    .leftJoin('search_docs', 'search_docs.card_id', 'search_vectors.card_id')
    .where('search_docs.card_id', 'is', null)
  const rows = await (all ? from : gone).execute()
  if (rows.length === 0) return 0
  const ids = rows.map(({ card_id }) => card_id)
  await inTx(
    ctx,
    ({ db }) => db.deleteFrom('search_vectors').where('card_id', 'in', ids).execute(),
    SELF_GUARDED,
  )
  return ids.length
}

/** The vectors of cards follow the entries of the search index. */
export const cardVectors: VectorSource = {
  name: 'cards',
  last: async ({ db }) => {
    const last = await db
      .selectFrom('search_docs')
      .select('doc_no')
      .orderBy('doc_no', 'desc')
      .limit(1)
      .executeTakeFirst()
    return last?.doc_no ?? 0
  },
  missing: missingVectors,
  texts: textsOfCards,
  store: storeVectors,
  keep: keepVectors,
  remove: removeVectors,
}
