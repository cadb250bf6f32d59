import { type Ctx, inTx } from '../../../core/context.ts'

/** Records that a credential was used. A failure here must never fail the request. */
export async function recordUse(ctx: Ctx, write: (ctx: Ctx) => Promise<unknown>): Promise<void> {
  try {
    await inTx(ctx, write)
  } catch (error) {
    ctx.log.warn({ err: error }, 'the use of a credential could not be recorded')
  }
}

export const isOlder = (time: string | null, ms: number, now: Date) =>
  time === null || now.getTime() - Date.parse(time) >= ms
