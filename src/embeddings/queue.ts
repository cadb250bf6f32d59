import { createHash } from 'node:crypto'
import { EmbeddingsError, embed } from '../adapters/embeddings.ts'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { preparePgvector } from './pgvector.ts'
import { redacted } from './questions.ts'
import { changeState, endTurn, readState, takeTurn } from './state.ts'
import { quantise, type Vector } from './vectors.ts'

/** Of a longer text only the beginning is sent. */
const MAX_CHARACTERS = 2000
const MAX_BATCH = 32
const FIRST_BATCH = 8
const TIMEOUT_MS = 15_000
/** Marks are given before their transaction ends, so a lower one may appear later. */
const WRITERS_AT_ONCE = 1000
/** How often all entries are looked at, for those that a watermark would miss. */
const LOOK_AT_ALL_EVERY_MS = 10 * 60_000

export type Missing = {
  id: string
  /** The version of the text. */
  mark: number
  /** What the stored vector was made of, if it is of the present model. */
  hash: string | null
}

export type Made = Missing & { hash: string; model: string; vector: Vector | null }

/** Texts of one kind that get vectors. */
export type VectorSource = {
  name: string
  /** The highest mark. */
  last: (ctx: Ctx) => Promise<number>
  /** Entries after a mark whose vector is missing or of another model or version, by mark. */
  missing: (ctx: Ctx, model: string, after: number, limit: number) => Promise<Missing[]>
  /** Texts by mark. */
  texts: (ctx: Ctx, missing: readonly Missing[]) => Promise<Map<number, string>>
  store: (ctx: Ctx, made: readonly Made[], hasPgvector: boolean) => Promise<void>
  /** Entries whose text is the same as before. */
  keep: (ctx: Ctx, same: readonly Missing[]) => Promise<void>
  /** Removes vectors of what is gone; with `all`, those of everything. Returns how many. */
  remove: (ctx: Ctx, all: boolean) => Promise<number>
}

/** Up to where a process has seen all vectors there. */
type Progress = { model: string; upTo: number; lookAtAllAt: number; batch: number }

const progress = new WeakMap<Database, Map<string, Progress>>()

function progressOf({ database }: Ctx, source: VectorSource, model: string): Progress {
  const all = progress.get(database) ?? new Map<string, Progress>()
  progress.set(database, all)
  const known = all.get(source.name)
  if (known?.model === model) return known
  const begun = { model, upTo: 0, lookAtAllAt: 0, batch: FIRST_BATCH }
  all.set(source.name, begun)
  return begun
}

/** Makes the missing vectors of all sources, as long as the endpoint answers. */
export async function makeVectors(
  ctx: Ctx,
  sources: readonly VectorSource[],
  stopping: AbortSignal,
): Promise<void> {
  const { embeddings } = ctx.config
  if (!embeddings) return removeVectors(ctx, sources)
  let hadWork = false
  for (const source of sources) {
    const seen = progressOf(ctx, source, embeddings.model)
    const looksAtAll = performance.now() >= seen.lookAtAllAt
    if (looksAtAll) await lookAtAll(ctx, source, seen)
    const last = await source.last(ctx)
    const isMissing = (await source.missing(ctx, embeddings.model, seen.upTo, 1)).length > 0
    if (!isMissing) seen.upTo = Math.max(seen.upTo, last - WRITERS_AT_ONCE)
    // An extension may have appeared meanwhile.
    if (isMissing || looksAtAll) await work(ctx, source, seen, stopping)
    hadWork ||= isMissing
  }
  if (!hadWork && (await readState(ctx)).failing_since !== null) await tryAgain(ctx)
}

async function lookAtAll(ctx: Ctx, source: VectorSource, seen: Progress): Promise<void> {
  while ((await source.remove(ctx, false)) > 0);
  seen.upTo = 0
  seen.lookAtAllAt = performance.now() + LOOK_AT_ALL_EVERY_MS
}

const nothingLeft = new WeakSet<Database>()

/** Without a model no vector stays. */
async function removeVectors(ctx: Ctx, sources: readonly VectorSource[]): Promise<void> {
  if (nothingLeft.has(ctx.database)) return
  for (const source of sources) while ((await source.remove(ctx, true)) > 0);
  if ((await readState(ctx)).model !== null)
    await changeState(ctx, { model: null, dimensions: null, failing_since: null, failure: null })
  nothingLeft.add(ctx.database)
}

/** Works through what is missing while this process has the turn. */
async function work(ctx: Ctx, source: VectorSource, seen: Progress, stopping: AbortSignal): Promise<void> {
  if (!(await takeTurn(ctx))) return
  try {
    const hasPgvector = await preparePgvector(ctx, stopping)
    while (!stopping.aborted && (await takeTurn(ctx))) {
      const missing = await source.missing(ctx, seen.model, seen.upTo, seen.batch)
      if (missing.length === 0) break
      await inFittingBatches(seen, () => makeSome(ctx, source, missing, hasPgvector))
    }
  } catch (error) {
    if (!(error instanceof EmbeddingsError)) throw error
    await noteFailure(ctx, error)
  } finally {
    await endTurn(ctx)
  }
}

/** A slow endpoint gets fewer texts at once; it fails when one text alone takes too long. */
async function inFittingBatches(seen: Progress, make: () => Promise<void>): Promise<void> {
  const began = performance.now()
  try {
    await make()
    const tookMs = performance.now() - began
    if (tookMs < TIMEOUT_MS / 8) seen.batch = Math.min(MAX_BATCH, 2 * seen.batch)
    if (tookMs > TIMEOUT_MS / 3) seen.batch = Math.max(1, Math.floor(seen.batch / 2))
  } catch (error) {
    if (!(error instanceof EmbeddingsError && error.reason === 'timeout') || seen.batch === 1) throw error
    seen.batch = 1
  }
}

async function noteFailure(ctx: Ctx, error: EmbeddingsError): Promise<void> {
  const { failing_since } = await readState(ctx, false)
  if (failing_since === null) ctx.log.warn({ err: error }, 'texts get no vectors; search goes on by words')
  await changeState(ctx, {
    failing_since: failing_since ?? ctx.now().toISOString(),
    failure: error.message,
  })
}

async function noteSuccess(ctx: Ctx, model: string, dimensions: number): Promise<void> {
  const state = await readState(ctx)
  if (state.model === model && state.dimensions !== null && state.dimensions !== dimensions)
    throw new EmbeddingsError(
      'malformed',
      `The embeddings endpoint answers ${dimensions} numbers, and ${state.dimensions} before; another model needs another EMBEDDINGS_MODEL.`,
    )
  if (state.model === model && state.failing_since === null) return
  await changeState(ctx, { model, dimensions, failing_since: null, failure: null })
}

/** With nothing to do, one word shows whether the endpoint answers again. */
async function tryAgain(ctx: Ctx): Promise<void> {
  try {
    await vectorsOf(ctx, ['test'])
  } catch (error) {
    if (!(error instanceof EmbeddingsError)) throw error
  }
}

async function vectorsOf(ctx: Ctx, texts: readonly string[]): Promise<Vector[]> {
  const { embeddings } = ctx.config
  if (!embeddings || texts.length === 0) return []
  const vectors = await embed(embeddings, texts, { timeoutMs: TIMEOUT_MS })
  await noteSuccess(ctx, embeddings.model, vectors[0]?.length ?? 0)
  return vectors.map(quantise)
}

type Asked = Missing & { text: string; hash: string }

async function makeSome(
  ctx: Ctx,
  source: VectorSource,
  missing: readonly Missing[],
  hasPgvector: boolean,
): Promise<void> {
  const model = ctx.config.embeddings?.model ?? ''
  const texts = await source.texts(ctx, missing)
  const same: Missing[] = []
  const asked: Asked[] = []
  for (const one of missing) {
    const text = redacted(texts.get(one.mark) ?? '', MAX_CHARACTERS) || '-'
    const hash = createHash('sha256').update(text).digest('base64')
    if (hash === one.hash) same.push(one)
    else asked.push({ ...one, text, hash })
  }
  const vectors = await takenOneByOne(ctx, asked)
  await inTx(
    ctx,
    async (ctx) => {
      await source.keep(ctx, same)
      const made = asked.map((one, i) => ({ ...one, model, vector: vectors[i] ?? null }))
      await source.store(ctx, made, hasPgvector)
    },
    SELF_GUARDED,
  )
}

/** Returns null for a text that the endpoint refuses while it takes others. */
async function takenOneByOne(ctx: Ctx, asked: readonly Asked[]): Promise<(Vector | null)[]> {
  try {
    return await vectorsOf(
      ctx,
      asked.map(({ text }) => text),
    )
  } catch (error) {
    if (!(error instanceof EmbeddingsError) || error.reason !== 'refused') throw error
    if (asked.length === 1) {
      // Throws if the endpoint refuses everything, as with an unknown model.
      await vectorsOf(ctx, ['test'])
      return [null]
    }
    const half = Math.ceil(asked.length / 2)
    await takeTurn(ctx)
    return [
      ...(await takenOneByOne(ctx, asked.slice(0, half))),
      ...(await takenOneByOne(ctx, asked.slice(half))),
    ]
  }
}
