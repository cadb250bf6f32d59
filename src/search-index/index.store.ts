import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { isSqlite } from '../db/db.ts'
import { isAmong, numberList } from '../db/number-list.ts'
import { insertRows, type Named, prepared } from '../db/prepared.ts'
import { isAmongTexts, textList } from '../db/text-list.ts'
import { ANALYSER_VERSION } from '../text/analyse.ts'
import type { SearchDocument } from './document.ts'
import { keptIndex } from './kept-index.ts'
import { type Candidate, type PackedDocument, pack, unpack } from './packing.ts'
import type { PostingRow } from './postings.ts'

export type Entry = { documentId: string; document: SearchDocument }

/** A document that was in the index, and by which analyser its words are. */
export type TakenDocument = Candidate & { analyser: number }

/** Puts cards in; returns those that are in already, and leaves them as they are. */
export async function addToIndex(ctx: Ctx, entries: readonly Entry[]): Promise<Entry[]> {
  const added = await addRows(
    ctx,
    entries.map(({ documentId, document }) => [documentId, ANALYSER_VERSION, pack(document)]),
  )
  if (added.length === entries.length) return []
  const isNew = new Set(added.map((row) => row.card_id))
  return entries.filter(({ documentId }) => !isNew.has(documentId))
}

/** Puts documents back that were taken out in the same transaction. */
export async function putBack(ctx: Ctx, documents: readonly TakenDocument[]): Promise<void> {
  await addRows(
    ctx,
    documents.map((document) => [document.documentId, document.analyser, pack(document)]),
  )
}

async function addRows(ctx: Ctx, rows: readonly [cardId: string, analyser: number, weights: Buffer][]) {
  const added = await insertRows<'search_docs', { doc_no: number; card_id: string }>(
    ctx.db,
    'search_docs',
    ['card_id', 'analyser', 'weights'],
    rows,
    'on conflict (card_id) do nothing returning doc_no, card_id',
  )
  await insertRows(
    ctx.db,
    'search_fresh',
    ['doc_no'],
    added.map((row) => [row.doc_no]),
  )
  return added
}

/** Takes cards out and returns what they had. */
export async function takeFromIndex(ctx: Ctx, documentIds: readonly string[]): Promise<TakenDocument[]> {
  if (documentIds.length === 0) return []
  const rows = await ctx.db
    .deleteFrom('search_docs')
    .where('card_id', 'in', documentIds)
    .returning(['doc_no', 'card_id', 'analyser', 'weights'])
    .execute()
  if (rows.length > 0)
    await ctx.db
      .deleteFrom('search_fresh')
      .where(
        'doc_no',
        'in',
        rows.map((row) => row.doc_no),
      )
      .execute()
  return rows.map((row) => ({ ...unpack(row), analyser: row.analyser }))
}

const byNumber = prepared(
  (db, parameter: Named<{ numbers: string }>) =>
    sql<PackedDocument>`select doc_no, card_id, weights from search_docs
      where ${isAmong(db, 'doc_no', parameter('numbers'))}`,
)

/**
 * The entries with these numbers. One that this process has kept is not read again, and so may be gone: who asks knows from
 * `removedLately` and the tombstones.
 */
export async function documentsByNumber(ctx: Ctx, docNos: readonly number[]): Promise<Candidate[]> {
  const kept = keptIndex(ctx).documents
  const known: Candidate[] = []
  const unknown: number[] = []
  for (const docNo of docNos) {
    const document = kept.get(docNo)
    if (document) known.push(document)
    else unknown.push(docNo)
  }
  return unknown.length > 0 ? [...known, ...(await readByNumber(ctx, unknown))] : known
}

async function readByNumber(ctx: Ctx, docNos: readonly number[]): Promise<Candidate[]> {
  const read = (await byNumber(ctx.db, { numbers: numberList(ctx.db, docNos) })).map(unpack)
  keepRead(ctx, read)
  return read
}

/** Not in a transaction: what it has added may be rolled back, and its numbers are then given to others. */
function keepRead(ctx: Ctx, read: readonly Candidate[]): void {
  if (ctx.transacting) return
  const { documents, readDocuments } = keptIndex(ctx)
  for (const document of read)
    if (readDocuments.isSecond(document.docNo)) documents.keep(document.docNo, document)
}

const numbersNow = prepared((db, parameter: Named<{ ids: string }>) =>
  db
    .selectFrom('search_docs')
    .select(['card_id', 'doc_no'])
    .where(isAmongTexts(db, 'card_id', parameter('ids'))),
)

/** The numbers that documents have now: one that has changed since a search began has another. */
export async function numbersOf(ctx: Ctx, documentIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await numbersNow(ctx.db, { ids: textList(documentIds) })
  return new Map(rows.map(({ card_id, doc_no }) => [card_id, doc_no]))
}

/** Up to `limit` documents whose ids a query names as `card_id`. */
export async function documentsNamedBy(
  ctx: Ctx,
  ids: RawBuilder<{ card_id: string }>,
  limit: number,
): Promise<Candidate[]> {
  const found = await sql<PackedDocument>`
    select search_docs.doc_no, search_docs.card_id, search_docs.weights
    from (${ids}) as named inner join search_docs on search_docs.card_id = named.card_id
    limit +${limit}`.execute(ctx.db)
  return found.rows.map(unpack)
}

const newestFresh = prepared((db, parameter: Named<{ limit: number }>) =>
  db.selectFrom('search_fresh').select('doc_no').orderBy('doc_no', 'desc').limit(parameter('limit')),
)

/** Cards that are in no posting list yet, the newest first. */
export async function freshDocuments(ctx: Ctx, limit: number): Promise<Candidate[]> {
  const numbers = (await newestFresh(ctx.db, { limit })).map((row) => row.doc_no)
  if (numbers.length === 0) return []
  return (await documentsByNumber(ctx, numbers)).sort((a, b) => b.docNo - a.docNo)
}

const listState = prepared((db) => db.selectFrom('search_totals').select('list_changes'))

/** Grows with every change of posting lists. */
export const stateOfLists = async (ctx: Ctx): Promise<number> =>
  (await listState(ctx.db, {}))[0]?.list_changes ?? 0

/** The first row of the answer has the state in place of bytes. */
type ListRow = PostingRow | { run: number; key: number; docs: null }

const rowsByKey = prepared((db, parameter: Named<{ keys: string }>) =>
  isSqlite(db)
    ? // In the order in which SQLite goes through them: run by run, a look-up for each key.
      sql<ListRow>`select list_changes as run, 0 as key, null as docs from search_totals
        union all select p.run, p.key, p.docs from search_runs
        cross join json_each(${parameter('keys')}) as asked
        cross join search_postings as p on p.run = search_runs.run and p.key = asked.value`
    : sql<ListRow>`select list_changes as run, 0 as key, null as docs from search_totals
        union all select p.run, p.key, p.docs from search_runs
        inner join search_postings as p on p.run = search_runs.run
        where p.key = any (${parameter('keys')}::integer[])`,
)

/** The rows with these keys, of every run, and the state they belong to: one statement, so that they belong together. */
export async function postingsOf(
  ctx: Ctx,
  keys: Iterable<number>,
): Promise<{ state: number; rows: PostingRow[] }> {
  const found = await rowsByKey(ctx.db, { keys: numberList(ctx.db, keys) })
  const state = found.find(({ docs }) => docs === null)?.run ?? 0
  return { state, rows: found.filter((row): row is PostingRow => row.docs !== null) }
}

/** To be called by every transaction that changes posting lists. */
export const noteChangedLists = async (ctx: Ctx): Promise<void> => {
  await ctx.db
    .updateTable('search_totals')
    .set((eb) => ({ list_changes: eb('list_changes', '+', 1) }))
    .execute()
}

const goneNotes = prepared((db) => db.selectFrom('search_changes').select('gone').where('gone', '!=', ''))

/** Numbers that are gone and have no tombstone yet. Read them before the tombstones: counting moves them from here to there. */
export const removedLately = async (ctx: Ctx): Promise<Set<number>> =>
  new Set((await goneNotes(ctx.db, {})).flatMap(({ gone }) => gone.split(' ').map(Number)))

const allDead = prepared((db) => db.selectFrom('search_dead').selectAll())

/** Cards that are gone, by block. */
export const deadCards = (ctx: Ctx) => allDead(ctx.db, {})
