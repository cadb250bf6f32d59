import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { EmbeddingsError, embed } from '../adapters/embeddings.ts'
import type { Ctx } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { cleanJson, Findings } from '../redaction/redact.ts'
import { beginningOf } from '../text/unicode.ts'
import { quantise, type Vector } from './vectors.ts'

/** Of a longer question only the beginning is sent. */
const MAX_CHARACTERS = 2000
/** An answer that comes too late for its search is kept for the next one. */
const TIMEOUT_MS = 10_000
const MAX_BYTES = 8 * 2 ** 20
const MAX_AT_ONCE = 8
const MAX_FAILURES = 3
const PAUSE_MS = 5000

/** Vectors of questions, and how the endpoint has answered last. */
class Questions {
  readonly vectors = new LRUCache<string, Vector>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length + 200,
  })
  readonly pending = new Map<string, Promise<Vector | undefined>>()
  failures = 0
  lastFailure: string | undefined
  #pausedUntil = 0

  mayAsk(): boolean {
    return this.pending.size < MAX_AT_ONCE && performance.now() >= this.#pausedUntil
  }

  noteFailure(message: string): void {
    this.lastFailure = message
    if (++this.failures >= MAX_FAILURES) this.#pausedUntil = performance.now() + PAUSE_MS
  }

  noteSuccess(): void {
    this.failures = 0
    this.lastFailure = undefined
  }
}

const kept = new WeakMap<Database, Questions>()

export function questionsOf(database: Database): Questions {
  const known = kept.get(database) ?? new Questions()
  kept.set(database, known)
  return known
}

/** A text as it may leave the server. */
export const redacted = (text: string, most: number): string =>
  beginningOf(cleanJson(text, new Findings()), most)

/** Returns the vector of a question, or undefined if there is none within EMBEDDINGS_WAIT_MS. */
export async function questionVector(ctx: Ctx, question: string): Promise<Vector | undefined> {
  const { embeddings } = ctx.config
  const text = redacted(beginningOf(question, 2 * MAX_CHARACTERS), MAX_CHARACTERS).trim()
  if (!embeddings || text === '') return undefined
  const questions = questionsOf(ctx.database)
  const key = createHash('sha256').update(`${embeddings.model}\n${text}`).digest('base64')
  const known = questions.vectors.get(key)
  if (known) return known
  // A transaction holds locks, so it waits for nobody.
  if (ctx.transacting) return undefined
  const pending =
    questions.pending.get(key) ?? (questions.mayAsk() ? ask(ctx, questions, key, text) : undefined)
  if (!pending) return undefined
  const stopped = new AbortController()
  const late = sleep(embeddings.waitMs, undefined, { signal: stopped.signal }).catch(() => undefined)
  try {
    return await Promise.race([pending, late])
  } finally {
    stopped.abort()
  }
}

function ask(ctx: Ctx, questions: Questions, key: string, text: string): Promise<Vector | undefined> {
  const asked = vectorOf(ctx, questions, text)
    .then((vector) => {
      if (vector) questions.vectors.set(key, vector)
      return vector
    })
    .finally(() => questions.pending.delete(key))
  questions.pending.set(key, asked)
  return asked
}

async function vectorOf(ctx: Ctx, questions: Questions, text: string): Promise<Vector | undefined> {
  const { embeddings } = ctx.config
  if (!embeddings) return undefined
  try {
    const [numbers] = await embed(embeddings, [text], { timeoutMs: TIMEOUT_MS })
    questions.noteSuccess()
    return numbers && quantise(numbers)
  } catch (error) {
    if (!(error instanceof EmbeddingsError)) throw error
    // The endpoint may refuse one question and take all others.
    if (error.reason !== 'refused') questions.noteFailure(error.message)
    ctx.log.debug({ err: error }, 'a question has no vector')
    return undefined
  }
}
