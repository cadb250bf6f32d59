import { type Ctx, inTx } from '../../../core/context.ts'

/** Recording a use is worth a write now and then, never a failed request. */
export async function recordUse(ctx: Ctx, write: (ctx: Ctx) => Promise<unknown>): Promise<void> {
  try {
    await inTx(ctx, write)
  } catch (error) {
    ctx.log.warn({ err: error }, 'the use of a credential could not be recorded')
  }
}

export const isOlder = (time: string | null, ms: number, now: Date) =>
  time === null || now.getTime() - Date.parse(time) >= ms
