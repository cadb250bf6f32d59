import type { Insertable } from 'kysely'
import type { Db } from '../db/db.ts'
import type { Schema } from '../db/schema.ts'
import type { Capability } from './capability.ts'
import { type Ctx, inTx, SELF_GUARDED } from './context.ts'
import { seal, sha256, unseal } from './crypto.ts'
import { AppError, conflict, invalid } from './errors.ts'

const findAnswer = (db: Db, keyHash: string) =>
  db.selectFrom('idempotency_keys').selectAll().where('key_hash', '=', keyHash).executeTakeFirst()

/** A time that makes the stored answer count as expired. */
const NEVER = '1970-01-01T00:00:00.000Z'

/** Locks a key's row until the transaction ends, so that a second request waits and finds the answer. */
async function lockKey(db: Db, keyHash: string): Promise<void> {
  await db
    .insertInto('idempotency_keys')
    .values({
      key_hash: keyHash,
      request_hash: '',
      sealed_answer: '',
      created_at: NEVER,
      caller_id: null,
      bytes: null,
    })
    .onConflict((oc) =>
      oc.column('key_hash').doUpdateSet((eb) => ({ key_hash: eb.ref('excluded.key_hash') })),
    )
    .execute()
}

/** Stores an answer and overwrites one that is older than a day. */
async function saveAnswer(db: Db, row: Insertable<Schema['idempotency_keys']>): Promise<void> {
  await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((oc) =>
      oc.column('key_hash').doUpdateSet((eb) => ({
        request_hash: eb.ref('excluded.request_hash'),
        sealed_answer: eb.ref('excluded.sealed_answer'),
        created_at: eb.ref('excluded.created_at'),
        caller_id: eb.ref('excluded.caller_id'),
        bytes: eb.ref('excluded.bytes'),
      })),
    )
    .execute()
}

async function deleteAnswersBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', before).execute()
}

const KEPT_MS = 24 * 3_600_000
/** Shorter answers need no total: their number is limited. */
const LONG_BYTES = 1024
/** The total of one person's long answers; ordinary ones of a day take a tenth. */
export const MAX_KEPT_BYTES = 32 * 1024 * 1024

/** Counts outside the transaction: inside, it would make all of one person's requests conflict. */
async function keptBytes({ db, viewer }: Ctx): Promise<number> {
  if (!viewer) return 0
  const { bytes } = await db
    .selectFrom('idempotency_keys')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .where('caller_id', '=', viewer.userId)
    .executeTakeFirstOrThrow()
  return Number(bytes)
}

const MAX_KEY_LENGTH = 255

type Operation = { name: string } & Pick<Capability, 'idempotency' | 'idempotencyOf'>

type Request = {
  key: string
  credential: string | undefined
  /** The input with the defaults of the called door: two doors may have different defaults. */
  input: unknown
}

type Once<Output> = { output: Output; replayed: boolean }

const taken = (detail: string) => conflict('idempotency_conflict', detail)

/** The stored answer for one key, caller and operation. */
class KeptAnswer<Output> {
  readonly keyHash: string
  readonly #requestHash: string
  readonly #secret: string
  #room = 0

  constructor({ name, idempotencyOf }: Operation, ctx: Ctx, { key, credential, input }: Request) {
    if (key.length > MAX_KEY_LENGTH) throw invalid('Idempotency-Key', `At most ${MAX_KEY_LENGTH} characters`)
    const isOfNobody = idempotencyOf === 'nobody'
    const viewer = isOfNobody ? null : ctx.viewer
    const account = idempotencyOf === 'account' ? viewer?.userId : undefined
    const caller = account ?? viewer?.credential.id ?? 'anonymous'
    this.keyHash = sha256(`${caller}\n${name}\n${key}`)
    this.#requestHash = sha256(JSON.stringify(input) ?? '')
    this.#secret = `${key}\n${account ?? (isOfNobody ? '' : (credential ?? ''))}`
  }

  hold(ctx: Ctx): Promise<void> {
    return lockKey(ctx.db, this.keyHash)
  }

  async find(ctx: Ctx): Promise<Once<Output> | undefined> {
    const row = await findAnswer(ctx.db, this.keyHash)
    const keptSince = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
    if (!row || row.created_at < keptSince) return undefined
    if (row.request_hash !== this.#requestHash)
      throw taken('This Idempotency-Key was used with another body.')
    const answer = unseal(row.sealed_answer, this.#secret)
    if (answer === null) throw taken('This Idempotency-Key was used by another caller.')
    const { output, isTooMuch } = JSON.parse(answer)
    if (isTooMuch)
      throw taken(
        'The request with this Idempotency-Key was done. Its answer is not kept, because your answers of the last 24 hours take too much room. Read what it made.',
      )
    return { output, replayed: true }
  }

  async findRoom(ctx: Ctx): Promise<void> {
    this.#room = MAX_KEPT_BYTES - (await keptBytes(ctx))
  }

  async keep(ctx: Ctx, output: Output): Promise<void> {
    const whole = seal(JSON.stringify({ output }), this.#secret)
    const isLong = whole.length > LONG_BYTES
    const holder = isLong ? ctx.viewer?.userId : undefined
    const isTooMuch = holder !== undefined && whole.length > this.#room
    await saveAnswer(ctx.db, {
      key_hash: this.keyHash,
      request_hash: this.#requestHash,
      sealed_answer: isTooMuch ? seal(JSON.stringify({ isTooMuch }), this.#secret) : whole,
      created_at: ctx.now().toISOString(),
      caller_id: isTooMuch ? null : (holder ?? null),
      bytes: isTooMuch || holder === undefined ? null : whole.length,
    })
  }
}

/**
 * The answer is stored in the call's own transaction, so that a crash leaves both or neither. Sealed, because
 * answers may carry tokens. Beyond one person's total only that the request was done is stored.
 */
export async function onceOnly<Output>(
  operation: Operation,
  ctx: Ctx,
  request: Request,
  ready: (ctx: Ctx) => Promise<(ctx: Ctx) => Promise<Output>>,
): Promise<Once<Output>> {
  const kept = new KeptAnswer<Output>(operation, ctx, request)
  // An answered request is not prepared again: its password may have changed since.
  const answered = await kept.find(ctx)
  if (answered) return answered
  await kept.findRoom(ctx)
  const run = await ready(ctx)
  if (operation.idempotency === 'answer') return firstAnswer(kept, ctx, run)
  try {
    return await inOwnIsolation(operation.name, kept, ctx, run)
  } catch (error) {
    if (!(error instanceof OtherIsolation)) throw error
    return inOwnIsolation(operation.name, kept, ctx, run)
  }
}

/** Names of operations that have opened a `SELF_GUARDED` transaction in this process. */
const lockers = new Set<string>()

class OtherIsolation extends Error {}

/** A `SELF_GUARDED` operation needs `read committed`; its first run shows that and then starts again. */
async function inOwnIsolation<Output>(
  name: string,
  kept: KeptAnswer<Output>,
  ctx: Ctx,
  run: (ctx: Ctx) => Promise<Output>,
): Promise<Once<Output>> {
  const locks = lockers.has(name)
  const onJoined: Ctx['onJoined'] = (options) => {
    if (locks || options?.isolation !== 'read committed' || ctx.database.engine !== 'postgres') return
    lockers.add(name)
    throw new OtherIsolation()
  }
  const once = async (ctx: Ctx): Promise<Once<Output> | AppError> => {
    if (locks) await kept.hold(ctx)
    const before = await kept.find(ctx)
    if (before) return before
    const output = await orRefusal(run({ ...ctx, onJoined }))
    if (output instanceof AppError) return output
    await kept.keep(ctx, output)
    return { output, replayed: false }
  }
  const done = await inTx(ctx, once, locks ? SELF_GUARDED : undefined)
  if (done instanceof AppError) throw done
  return done
}

/** Returns a refusal that keeps its writes, so that it is thrown after the commit. */
const orRefusal = <Output>(answer: Promise<Output>): Promise<Output | AppError> =>
  answer.catch((error) => {
    if (error instanceof AppError && error.keepsWrites) return error
    throw error
  })

/** Two simultaneous requests may both call the host; both return the answer that is stored first. */
async function firstAnswer<Output>(
  kept: KeptAnswer<Output>,
  ctx: Ctx,
  run: (ctx: Ctx) => Promise<Output>,
): Promise<Once<Output>> {
  const before = await inTx(ctx, (ctx) => kept.find(ctx))
  if (before) return before
  const output = await run({ ...ctx, attempt: kept.keyHash })
  return inTx(ctx, async (ctx) => {
    const meanwhile = await kept.find(ctx)
    if (meanwhile) return meanwhile
    await kept.keep(ctx, output)
    return { output, replayed: false }
  })
}

export async function dropOldIdempotencyKeys(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
  await inTx(ctx, (ctx) => deleteAnswersBefore(ctx.db, before))
}
