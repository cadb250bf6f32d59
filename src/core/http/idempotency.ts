import type { Ctx } from '../context.ts'
import { inTx } from '../context.ts'
import { conflict, invalid } from '../errors.ts'
import { seal, sha256, unseal } from '../secrets.ts'

const KEPT_MS = 24 * 3_600_000
const MAX_KEY_LENGTH = 255

type Request = { key: string; credential: string | undefined; input: unknown }

const taken = (detail: string) => conflict('idempotency_conflict', detail)

/**
 * Runs the call once per Idempotency-Key. `ready` does what needs no transaction and hands back the call itself. The answer is stored in the transaction of the call's effect, so a
 * crash leaves both or neither; it is sealed with the caller's own key, since answers may carry tokens.
 */
export async function onceOnly<Output>(
  operation: { name: string },
  ctx: Ctx,
  { key, credential, input }: Request,
  ready: (ctx: Ctx) => Promise<(ctx: Ctx) => Promise<Output>>,
): Promise<{ output: Output; replayed: boolean }> {
  if (key.length > MAX_KEY_LENGTH) throw invalid('Idempotency-Key', `At most ${MAX_KEY_LENGTH} characters`)
  const caller = ctx.viewer?.credential.id ?? 'anonymous'
  const keyHash = sha256(`${caller}\n${operation.name}\n${key}`)
  const requestHash = sha256(JSON.stringify(input) ?? '')
  const secret = `${key}\n${credential ?? ''}`

  const replay = async (ctx: Ctx) => {
    const row = await ctx.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('key_hash', '=', keyHash)
      .executeTakeFirst()
    const keptSince = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
    if (!row || row.created_at < keptSince) return undefined
    if (row.request_hash !== requestHash) throw taken('This Idempotency-Key was used with another body.')
    const answer = unseal(row.sealed_answer, secret)
    if (answer === null) throw taken('This Idempotency-Key was used by another caller.')
    return { output: JSON.parse(answer).output, replayed: true }
  }

  // A call that was answered is not prepared again: its password may be another by now.
  const answered = await replay(ctx)
  if (answered) return answered
  const run = await ready(ctx)
  return inTx(ctx, async (ctx) => {
    const before = await replay(ctx)
    if (before) return before
    const output = await run(ctx)
    await ctx.db
      .insertInto('idempotency_keys')
      .values({
        key_hash: keyHash,
        request_hash: requestHash,
        sealed_answer: seal(JSON.stringify({ output }), secret),
        created_at: ctx.now().toISOString(),
      })
      .onConflict((oc) =>
        oc.column('key_hash').doUpdateSet((eb) => ({
          request_hash: eb.ref('excluded.request_hash'),
          sealed_answer: eb.ref('excluded.sealed_answer'),
          created_at: eb.ref('excluded.created_at'),
        })),
      )
      .execute()
    return { output, replayed: false }
  })
}

/** Housekeeping: answers past their day. */
export async function dropOldIdempotencyKeys(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
  await inTx(ctx, (ctx) => ctx.db.deleteFrom('idempotency_keys').where('created_at', '<', before).execute())
}
