import { type ExpressionBuilder, sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import { insertRows } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import { inNumbers } from '../db/sql-values.ts'
import { NUMBER_SPACE } from '../text/term-hash.ts'
import { addToIndex, type Entry, noteChangedLists, putBack, takeFromIndex } from './index-store.ts'
import { type Candidate, unpack } from './packing.ts'
import {
  type Bitmap,
  BLOCK_DOCUMENTS,
  bitsIn,
  blockOf,
  bundleOf,
  decodeBitmap,
  decoded,
  eachList,
  emptyBitmap,
  encodeRows,
  endOf,
  firstOf,
  hasBit,
  LAST_TIER,
  noPostings,
  type PostingRow,
  type Postings,
  runOf,
  type Tier,
  tierOf,
} from './postings.ts'
import { impactOf } from './score.ts'
import { foldChanges, lockIndex, noteChange, noteOtherFilters, publicAverageLength } from './vocabulary.ts'

/** Call it in the transaction that changes them, so that the next request finds the new text. */
export async function putDocuments(ctx: Ctx, entries: readonly Entry[]): Promise<void> {
  requireTransaction(ctx)
  // Inserts without a prior read: on PostgreSQL the read would make all writers of new documents conflict.
  const known = await addToIndex(ctx, entries)
  const before = await takeFromIndex(
    ctx,
    known.map(({ documentId }) => documentId),
  )
  if (known.length > 0) await addToIndex(ctx, known)
  await noteChange(
    ctx,
    before,
    entries.map(({ document }) => document),
  )
}

/** Gives documents other filters when their texts are unchanged. Returns the ids of those in the index. */
export async function refilterDocuments(
  ctx: Ctx,
  filters: ReadonlyMap<string, readonly number[]>,
): Promise<Set<string>> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, [...filters.keys()])
  const after = before.map((document) => ({
    ...document,
    filters: filters.get(document.documentId) ?? document.filters,
  }))
  await putBack(ctx, after)
  await noteOtherFilters(ctx, before, after)
  return new Set(before.map(({ documentId }) => documentId))
}

/** Removes documents, in the transaction that deletes them. */
export async function removeDocuments(ctx: Ctx, documentIds: readonly string[]): Promise<void> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, documentIds)
  if (before.length > 0) await noteChange(ctx, before, [])
}

function requireTransaction(ctx: Ctx): void {
  if (!ctx.transacting) throw new Error('The index is written in the transaction of what it describes')
}

/** Moves fresh cards into posting lists; returns how many. */
async function foldDocuments(ctx: Ctx, stopping?: AbortSignal): Promise<number> {
  let folded = 0
  for (let some = 1; some > 0 && !stopping?.aborted; folded += some)
    some = (await areEnough(ctx)) ? await inTx(ctx, foldSome, SELF_GUARDED) : 0
  return folded
}

/** Reads first, so that an idle vault is not locked every second. */
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
  if (rows.length === 0) return 0
  const cards = upToNextRun(rows).map(unpack)
  // Lists serve every user, so only public data may influence them.
  const averageLength = await publicAverageLength(ctx)
  for (const [run, some] of byRun(cards, ctx.searchTuning.foldStraightFrom))
    await addToRun(ctx, run, listsOf(run, some, averageLength))
  await noteChangedLists(ctx)
  const numbers = cards.map((card) => card.docNo)
  await sql`delete from search_fresh where ${inNumbers(ctx.db, 'doc_no', numbers)}`.execute(ctx.db)
  return cards.length
}

function upToNextRun<R extends { doc_no: number }>(rows: readonly R[]): R[] {
  const run = runOf(rows[0]?.doc_no ?? 0, 1)
  return rows.filter((row) => runOf(row.doc_no, 1) === run)
}

/** Groups cards of one longer run by their target run. */
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

const putRows = async (ctx: Ctx, rows: readonly PostingRow[]): Promise<void> => {
  await insertRows(
    ctx.db,
    'search_postings',
    ['run', 'key', 'docs'],
    rows.map(({ run, key, docs }) => [run, key, docs]),
  )
}

/** Runs are merged in slices, so that writers wait only milliseconds. */
const SLICES: Record<Tier, number> = { 0: 1, 1: 32, 2: 128 }

type Run = { run: number; dead: number }

/** Merges short runs whose range is full, and rewrites runs with many deleted cards. */
async function mergeRuns(ctx: Ctx, stopping?: AbortSignal): Promise<void> {
  for (const tier of [1, 2] as const)
    for (const [target, sources] of fullRanges(await allRuns(ctx), tier))
      await mergeInto(ctx, target, sources, stopping)
  for (const target of await decayedRuns(ctx)) await mergeInto(ctx, target, [], stopping)
}

const allRuns = (ctx: Ctx): Promise<Run[]> =>
  ctx.db.selectFrom('search_runs').selectAll().orderBy('run').execute()

function fullRanges(runs: readonly Run[], tier: Tier): Map<number, number[]> {
  const newest = Math.max(...runs.map(({ run }) => firstOf(run)))
  const shorter = runs.map(({ run }) => run).filter((run) => tierOf(run) < tier)
  const ranges = Map.groupBy(shorter, (run) => runOf(firstOf(run), tier))
  return new Map([...ranges].filter(([target]) => endOf(target) <= newest))
}

async function decayedRuns(ctx: Ctx): Promise<number[]> {
  const dead = new Map(
    (await ctx.db.selectFrom('search_dead').selectAll().execute()).map(({ block, docs }) => [
      block,
      bitsIn(decodeBitmap(docs)),
    ]),
  )
  return (await allRuns(ctx))
    .filter(({ run }) => tierOf(run) === LAST_TIER)
    .filter(
      (run) =>
        (dead.get(blockOf(firstOf(run.run))) ?? 0) - run.dead >= ctx.searchTuning.rewriteAfterTombstones,
    )
    .map(({ run }) => run)
}

async function mergeInto(
  ctx: Ctx,
  target: number,
  sources: readonly number[],
  stopping?: AbortSignal,
): Promise<void> {
  const parts = SLICES[tierOf(target)]
  const dead = await deadIn(ctx, target)
  await inTx(ctx, (ctx) => begin(ctx, target), SELF_GUARDED)
  for (let part = 0; part < parts; part++) {
    if (stopping?.aborted) return
    const from = (NUMBER_SPACE / parts) * part
    const to = (NUMBER_SPACE / parts) * (part + 1) - 1
    await inTx(ctx, (ctx) => mergeSlice(ctx, { target, sources, from, to, dead }), SELF_GUARDED)
  }
  await inTx(ctx, (ctx) => finish(ctx, target, sources, dead), SELF_GUARDED)
}

async function begin(ctx: Ctx, target: number): Promise<void> {
  await lockIndex(ctx)
  await ctx.db
    .insertInto('search_runs')
    .values({ run: target, dead: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function deadIn(ctx: Ctx, run: number): Promise<Bitmap> {
  const [row] = await ctx.db
    .selectFrom('search_dead')
    .select('docs')
    .where('block', '=', blockOf(firstOf(run)))
    .execute()
  return row ? decodeBitmap(row.docs) : emptyBitmap()
}

type Slice = { target: number; sources: readonly number[]; from: number; to: number; dead: Bitmap }

async function mergeSlice(ctx: Ctx, { target, sources, from, to, dead }: Slice): Promise<void> {
  await lockIndex(ctx)
  const rows: PostingRow[] = await ctx.db
    .selectFrom('search_postings')
    .selectAll()
    .where('run', 'in', [...sources, target])
    .where((eb) => inSlice(eb, from, to))
    .execute()
  if (sources.length > 0 && rows.every(({ run }) => run === target)) return
  await ctx.db
    .deleteFrom('search_postings')
    .where('run', 'in', [...sources, target])
    .where((eb) => inSlice(eb, from, to))
    .execute()
  await putRows(ctx, encodeRows(target, mergeLists(target, rows, dead)))
  await noteChangedLists(ctx)
}

/** A slice begins and ends at a bundle, so that no bundle is split. */
const inSlice = (eb: ExpressionBuilder<Schema, 'search_postings'>, from: number, to: number) =>
  eb.or([eb.between('key', from, to), eb.between('key', bundleOf(to), bundleOf(from))])

/** Merges the lists of each word, with offsets from the start of the target, without deleted cards. */
function mergeLists(target: number, rows: readonly PostingRow[], dead: Bitmap): Map<number, Postings> {
  const lists = new Map<number, Postings>()
  const first = firstOf(target)
  const inBlock = first % BLOCK_DOCUMENTS
  for (const row of rows) {
    const base = firstOf(row.run) - first
    eachList(row, (hash, count) => {
      const list = lists.get(hash) ?? noPostings()
      lists.set(hash, list)
      for (let i = 0; i < count; i++) {
        const offset = base + (decoded.offsets[i] as number)
        if (hasBit(dead, inBlock + offset)) continue
        list.offsets.push(offset)
        list.impacts.push(decoded.impacts[i] as number)
      }
    })
  }
  return lists
}

async function finish(ctx: Ctx, target: number, sources: readonly number[], dead: Bitmap): Promise<void> {
  await lockIndex(ctx)
  await ctx.db
    .deleteFrom('search_runs')
    .where('run', 'in', [...sources, target])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('search_postings').select('key').whereRef('search_postings.run', '=', 'search_runs.run'),
        ),
      ),
    )
    .execute()
  await ctx.db
    .updateTable('search_runs')
    .set({ dead: bitsIn(dead) })
    .where('run', '=', target)
    .execute()
}

export async function maintainIndex(ctx: Ctx, stopping?: AbortSignal): Promise<void> {
  await foldChanges(ctx)
  if ((await foldDocuments(ctx, stopping)) > 0) await mergeRuns(ctx, stopping)
}
