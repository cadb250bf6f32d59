/** Vectors of texts by a model behind an endpoint: made by a job, compared in the database or in the process. */
import type { Ctx } from '../core/context.ts'
import { questionsOf } from './questions.ts'
import { readState } from './state.ts'

export { type Nearest, nearestTo, type VectorScope } from './nearest.ts'
export { pgvectorOrNull } from './pgvector.ts'
export { questionVector } from './questions.ts'
export { type Made, type Missing, makeVectors, type VectorSource } from './queue.ts'
export { bytesOf } from './vectors.ts'

export const EMBEDDINGS_JOB = 'embeddings'

/** Returns whether a model is configured, and why it gives no vectors. */
export async function checkEmbeddings(
  ctx: Ctx,
): Promise<{ status: 'ok' | 'failed' | 'not_configured'; detail?: string }> {
  if (!ctx.config.embeddings) return { status: 'not_configured' }
  const { failing_since, failure } = await readState(ctx)
  const detail = (failing_since === null ? undefined : failure) ?? questionsOf(ctx.database).lastFailure
  return detail === undefined
    ? { status: 'ok' }
    : { status: 'failed', detail: `${detail} Search goes on by words` }
}
