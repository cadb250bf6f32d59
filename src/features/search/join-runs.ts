import { type Ctx, inTx } from '../../core/context.ts'
import { putLists } from './fold-cards.ts'
import type { PostingRow } from './index.store.ts'
import {
  type Bitmap,
  bitsIn,
  blockCards,
  blockOf,
  decodeBitmap,
  decodePostings,
  emptyBitmap,
  encodeBitmap,
  encodePostings,
  endOf,
  firstOf,
  hasBit,
  isBitmap,
  isLongForBitmap,
  lastTier,
  runOf,
  setBit,
  type Tier,
  tierOf,
} from './postings.ts'
import { isFilter, numberSpace } from './term-hash.ts'
import { lockIndex } from './vocabulary.ts'

/** Runs are joined a part of the words at a time, so that writers wait for milliseconds only. */
const slices: Record<Tier, number> = { 0: 1, 1: 32, 2: 128 }

/** A run is made anew without its dead cards when so many have died since. */
export const joining = { deadCards: blockCards / 8 }

type Run = { run: number; dead: number }

/** Joins short runs whose range is full, and makes runs anew that have lost many cards. */
export async function joinRuns(ctx: Ctx, stopping?: AbortSignal): Promise<void> {
  for (const tier of [1, 2] as const)
    for (const [target, sources] of fullRanges(await allRuns(ctx), tier))
      await joinInto(ctx, target, sources, stopping)
  for (const target of await decayedRuns(ctx)) await joinInto(ctx, target, [], stopping)
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
    .filter(({ run }) => tierOf(run) === lastTier)
    .filter((run) => (dead.get(blockOf(firstOf(run.run))) ?? 0) - run.dead >= joining.deadCards)
    .map(({ run }) => run)
}

async function joinInto(
  ctx: Ctx,
  target: number,
  sources: readonly number[],
  stopping?: AbortSignal,
): Promise<void> {
  const parts = slices[tierOf(target)]
  const dead = await deadIn(ctx, target)
  await inTx(ctx, (ctx) => begin(ctx, target), { isolation: 'read committed' })
  for (let part = 0; part < parts; part++) {
    if (stopping?.aborted) return
    const from = Math.floor((numberSpace / parts) * part)
    const to = Math.floor((numberSpace / parts) * (part + 1))
    await inTx(ctx, (ctx) => joinSlice(ctx, { target, sources, from, to, dead }), {
      isolation: 'read committed',
    })
  }
  await inTx(ctx, (ctx) => finish(ctx, target, sources, dead), { isolation: 'read committed' })
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

async function joinSlice(ctx: Ctx, { target, sources, from, to, dead }: Slice): Promise<void> {
  await lockIndex(ctx)
  const inSlice = (runs: readonly number[]) =>
    ctx.db
      .selectFrom('search_postings')
      .selectAll()
      .where('run', 'in', runs)
      .where('hash', '>=', from)
      .where('hash', '<', to)
  const rows: PostingRow[] = await inSlice([...sources, target]).execute()
  if (sources.length > 0 && rows.every(({ run }) => run === target)) return
  const lists = Map.groupBy(rows, (row) => row.hash)
  const joined = [...lists].map(([hash, some]) => ({
    run: target,
    hash,
    docs: joinLists(target, hash, some, dead),
  }))
  await ctx.db
    .deleteFrom('search_postings')
    .where('run', 'in', sources.length > 0 ? [...sources] : [target])
    .where('hash', '>=', from)
    .where('hash', '<', to)
    .execute()
  await putLists(
    ctx,
    joined.filter(({ docs }) => docs.length > 0),
  )
}

/** One list of all, counted from the start of the target, without the cards that are gone. */
function joinLists(target: number, hash: number, rows: readonly PostingRow[], dead: Bitmap): Uint8Array {
  const offsets: number[] = []
  const impacts: number[] = []
  const first = firstOf(target)
  const inBlock = first % blockCards
  const add = (offset: number, impact: number) => {
    if (hasBit(dead, inBlock + offset)) return
    offsets.push(offset)
    impacts.push(impact)
  }
  for (const { run, docs } of rows) {
    const base = firstOf(run) - first
    if (isBitmap(docs)) {
      const bits = decodeBitmap(docs)
      for (let at = 0; at < blockCards; at++) if (hasBit(bits, at)) add(at, 1)
      continue
    }
    const list = decodePostings(docs)
    for (let i = 0; i < list.offsets.length; i++)
      add(base + (list.offsets[i] as number), list.impacts[i] as number)
  }
  const encoded = encodePostings(offsets, impacts)
  if (tierOf(target) !== lastTier || !isFilter(hash) || !isLongForBitmap(encoded)) return encoded
  const bitmap = emptyBitmap()
  for (const offset of offsets) setBit(bitmap, offset)
  return encodeBitmap(bitmap)
}

async function finish(ctx: Ctx, target: number, sources: readonly number[], dead: Bitmap): Promise<void> {
  await lockIndex(ctx)
  await ctx.db
    .deleteFrom('search_runs')
    .where('run', 'in', [...sources, target])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('search_postings')
            .select('hash')
            .whereRef('search_postings.run', '=', 'search_runs.run'),
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
