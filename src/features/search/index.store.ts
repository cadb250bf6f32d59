import { type Expression, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { analyserVersion } from './analyse.ts'
import type { SearchDocument } from './document.ts'
import { type Candidate, type PackedDocument, pack, unpack } from './packing.ts'

const addDocument = prepared(
  (db, parameter: Named<{ cardId: string; analyser: number; weights: Uint8Array }>) =>
    db
      .insertInto('search_docs')
      .values({
        card_id: parameter('cardId'),
        analyser: parameter('analyser'),
        weights: parameter('weights'),
      })
      .onConflict((conflict) => conflict.column('card_id').doNothing())
      .returning('doc_no'),
)

const addFresh = prepared((db, parameter: Named<{ docNo: number }>) =>
  db.insertInto('search_fresh').values({ doc_no: parameter('docNo') }),
)

/** Puts a card in; false where it is in already. */
export async function addToIndex(ctx: Ctx, cardId: string, document: SearchDocument): Promise<boolean> {
  const [added] = await addDocument(ctx.db, {
    cardId,
    analyser: analyserVersion,
    weights: pack(document),
  })
  if (!added) return false
  await addFresh(ctx.db, { docNo: added.doc_no })
  return true
}

/** Takes the card out and returns what it had, or undefined where it had nothing. */
export async function takeFromIndex(ctx: Ctx, cardId: string): Promise<Candidate | undefined> {
  const [row] = await ctx.db
    .deleteFrom('search_docs')
    .where('card_id', '=', cardId)
    .returning(['doc_no', 'card_id', 'weights'])
    .execute()
  if (!row) return undefined
  await ctx.db.deleteFrom('search_fresh').where('doc_no', '=', row.doc_no).execute()
  return unpack(row)
}

/** One parameter, however many numbers: so there is one statement to prepare. */
export const inNumbers = (ctx: Ctx, column: string, numbers: Iterable<number>) => {
  const list = Array.from(numbers).join()
  return ctx.database.engine === 'sqlite'
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${`[${list}]`}))`
    : sql<SqlBool>`${sql.ref(column)} = any (${`{${list}}`}::integer[])`
}

const columns = sql`search_docs.doc_no, search_docs.card_id, search_docs.weights`

const unpacked = async (db: Db, query: ReturnType<typeof sql<PackedDocument>>): Promise<Candidate[]> =>
  (await query.execute(db)).rows.map(unpack)

/** The cards with these numbers that are still there. */
export const documentsByNumber = (ctx: Ctx, docNos: readonly number[]): Promise<Candidate[]> =>
  unpacked(ctx.db, sql`select ${columns} from search_docs where ${inNumbers(ctx, 'doc_no', docNos)}`)

/** Up to `limit` cards on which a condition over `cards` holds. */
export const documentsWhere = (
  ctx: Ctx,
  condition: Expression<SqlBool>,
  limit: number,
): Promise<Candidate[]> =>
  unpacked(
    ctx.db,
    sql`select ${columns} from cards inner join search_docs using (card_id) where ${condition} limit ${limit}`,
  )

const newestFresh = prepared((db, parameter: Named<{ limit: number }>) =>
  db
    .selectFrom('search_fresh')
    .innerJoin('search_docs', 'search_docs.doc_no', 'search_fresh.doc_no')
    .select(['search_docs.doc_no', 'search_docs.card_id', 'search_docs.weights'])
    .orderBy('search_fresh.doc_no', 'desc')
    .limit(parameter('limit')),
)

/** Cards that are in no posting list yet, the newest first. */
export const freshDocuments = async (ctx: Ctx, limit: number): Promise<Candidate[]> =>
  (await newestFresh(ctx.db, { limit })).map(unpack)

export type PostingRow = { run: number; hash: number; docs: Uint8Array }

/** The posting lists of these words and filters in every run; one statement, so that they belong together. */
export async function postingsOf(ctx: Ctx, hashes: readonly number[]): Promise<PostingRow[]> {
  const list = hashes.join()
  const query =
    ctx.database.engine === 'sqlite'
      ? // Named in the order in which they are to be gone through: run by run, a look-up for each hash.
        sql<PostingRow>`select p.run, p.hash, p.docs from search_runs
          cross join json_each(${`[${list}]`}) as asked
          cross join search_postings as p on p.run = search_runs.run and p.hash = asked.value`
      : sql<PostingRow>`select p.run, p.hash, p.docs from search_runs
          inner join search_postings as p on p.run = search_runs.run
          where p.hash = any (${`{${list}}`}::integer[])`
  return (await query.execute(ctx.db)).rows
}

/** Cards that are gone, by block. */
export const deadCards = (ctx: Ctx) => ctx.db.selectFrom('search_dead').selectAll().execute()
