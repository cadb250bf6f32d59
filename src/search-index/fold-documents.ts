import { sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import { inNumbers } from '../db/number-list.ts'
import { insertRows } from '../db/prepared.ts'
import { noteChangedLists } from './index.store.ts'
import { type Candidate, unpack } from './packing.ts'
import {
  bundleOf,
  decoded,
  eachList,
  encodeRows,
  firstOf,
  noPostings,
  type PostingRow,
  type Postings,
  runOf,
} from './postings.ts'
import { impactOf } from './score.ts'
import { lockIndex, publicAverageLength } from './vocabulary.ts'

/** Puts fresh cards into posting lists; returns how many. */
export async function foldDocuments(ctx: Ctx, stopping?: AbortSignal): Promise<number> {
  let folded = 0
  for (let some = 1; some > 0 && !stopping?.aborted; folded += some)
    some = (await areEnough(ctx)) ? await inTx(ctx, foldSome, SELF_GUARDED) : 0
  return folded
}

/** Checked by a read, so that an idle vault is not locked every second. */
async function areEnough(ctx: Ctx): Promise<boolean> {
  const fresh = await ctx.db
    .selectFrom('search_fresh')
    .select('doc_no')
    .limit(ctx.searchTuning.foldFrom)
    .execute()
  return fresh.length >= ctx.searchTuning.foldFrom
}

async function foldSome(ctx: Ctx): Promise<number> {
  await lockIndex(ctx)
  const rows = await ctx.db
    .selectFrom('search_fresh')
    .innerJoin('search_docs', 'search_docs.doc_no', 'search_fresh.doc_no')
    .select(['search_docs.doc_no', 'search_docs.card_id', 'search_docs.weights'])
    .orderBy('search_fresh.doc_no')
    .limit(ctx.searchTuning.foldAtOnce)
    .execute()
  // Another process may have been first.
  if (rows.length === 0) return 0
  const cards = upToNextRun(rows).map(unpack)
  // Lists are for everybody who asks, so they are made by what everybody may see.
  const averageLength = await publicAverageLength(ctx)
  for (const [run, some] of byRun(cards, ctx.searchTuning.foldStraightFrom))
    await addToRun(ctx, run, listsOf(run, some, averageLength))
  await noteChangedLists(ctx)
  const numbers = cards.map((card) => card.docNo)
  await sql`delete from search_fresh where ${inNumbers(ctx.db, 'doc_no', numbers)}`.execute(ctx.db)
  return cards.length
}

/** The first few cards of a run, folded with the run before it, would make short lists that must be joined at once. */
function upToNextRun<R extends { doc_no: number }>(rows: readonly R[]): R[] {
  const run = runOf(rows[0]?.doc_no ?? 0, 1)
  return rows.filter((row) => runOf(row.doc_no, 1) === run)
}

/** Cards of one longer run, by the run into which they go. */
const byRun = (cards: readonly Candidate[], straightFrom: number): Map<number, readonly Candidate[]> =>
  cards.length >= straightFrom
    ? new Map([[runOf(cards[0]?.docNo ?? 0, 1), cards]])
    : Map.groupBy(cards, (card) => runOf(card.docNo, 0))

type Lists = Map<number, Postings>

const FILTER_IMPACT = 1

const listOf = (lists: Lists, hash: number): Postings => {
  const list = lists.get(hash) ?? noPostings()
  lists.set(hash, list)
  return list
}

function listsOf(run: number, cards: readonly Candidate[], averageLength: number): Lists {
  const lists: Lists = new Map()
  const first = firstOf(run)
  const add = (hash: number, offset: number, impact: number) => {
    const list = listOf(lists, hash)
    list.offsets.push(offset)
    list.impacts.push(impact)
  }
  for (const { docNo, hashes, levels, filters, length } of cards) {
    const offset = docNo - first
    for (let i = 0; i < hashes.length; i++)
      add(hashes[i] as number, offset, impactOf(levels[i] as number, length, averageLength))
    for (let i = 0; i < filters.length; i++) add(filters[i] as number, offset, FILTER_IMPACT)
  }
  return lists
}

/** Adds lists to a run that may have some already; those that share a bundle with them are written again. */
async function addToRun(ctx: Ctx, run: number, lists: Lists): Promise<void> {
  const begun = await ctx.db.selectFrom('search_runs').select('run').where('run', '=', run).execute()
  if (begun.length === 0) await ctx.db.insertInto('search_runs').values({ run, dead: 0 }).execute()
  else {
    const keys = new Set([...lists.keys()].flatMap((hash) => [hash, bundleOf(hash)]))
    for (const row of await takeRows(ctx, run, keys)) addLists(lists, row)
  }
  await putRows(ctx, encodeRows(run, lists))
}

function addLists(lists: Lists, row: PostingRow): void {
  eachList(row, (hash, count) => {
    const list = listOf(lists, hash)
    for (let i = 0; i < count; i++) {
      list.offsets.push(decoded.offsets[i] as number)
      list.impacts.push(decoded.impacts[i] as number)
    }
  })
}

const takeRows = async (ctx: Ctx, run: number, keys: Iterable<number>): Promise<PostingRow[]> =>
  (
    await sql<PostingRow>`delete from search_postings
      where run = ${run} and ${inNumbers(ctx.db, 'key', keys)} returning run, key, docs`.execute(ctx.db)
  ).rows

export const putRows = async (ctx: Ctx, rows: readonly PostingRow[]): Promise<void> => {
  await insertRows(
    ctx.db,
    'search_postings',
    ['run', 'key', 'docs'],
    rows.map(({ run, key, docs }) => [run, key, docs]),
  )
}
