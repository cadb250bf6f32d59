import type { ExpressionBuilder } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import type { Schema } from '../db/schema.ts'
import { NUMBER_SPACE } from '../text/term-hash.ts'
import { putRows } from './fold-documents.ts'
import { noteChangedLists } from './index.store.ts'
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
import { lockIndex } from './vocabulary.ts'

/** Runs are joined a part of the words at a time, so that writers wait for milliseconds only. */
const SLICES: Record<Tier, number> = { 0: 1, 1: 32, 2: 128 }

type Run = { run: number; dead: number }

/** Joins short runs whose range is full, and rewrites runs that have lost many cards. */
export async function mergeRuns(ctx: Ctx, stopping?: AbortSignal): Promise<void> {
  for (const tier of [1, 2] as const)
    for (const [target, sources] of fullRanges(await allRuns(ctx), tier))
      await mergeInto(ctx, target, sources, stopping)
  for (const target of await decayedRuns(ctx)) await mergeInto(ctx, target, [], stopping)
}

const allRuns = (ctx: Ctx): Promise<Run[]> =>
  ctx.db.selectFrom('search_runs').selectAll().orderBy('run').execute()

/** Ranges of this tier that hold shorter runs and that new cards have left behind. */
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

/** A slice begins and ends with a bundle, so that each bundle is in it whole. */
const inSlice = (eb: ExpressionBuilder<Schema, 'search_postings'>, from: number, to: number) =>
  eb.or([eb.between('key', from, to), eb.between('key', bundleOf(to), bundleOf(from))])

/** One list for each word, counted from the start of the target, without the cards that are gone. */
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
