import type { Ctx } from '../../core/context.ts'
import { findCustomer } from './billing.store.ts'

/**
 * Closes what a deleted account has open at the payment provider, so that it can no longer be paid. It happens after the
 * commit and nobody waits for it, so a provider that is away keeps nobody from leaving. A payment that slips through is
 * found by its event (deleted-owner.ts).
 */
export async function leaveProvider(ctx: Ctx, userId: string): Promise<void> {
  const { adapters, log } = ctx
  const provider = adapters.payments
  const customerId = provider && (await findCustomer(ctx.db, provider.name, userId))
  if (!customerId) return
  ctx.afterCommit(() => {
    provider
      .closeCheckouts(customerId, 'all')
      .catch((error: unknown) =>
        log.error(
          { err: error, customer_id: customerId },
          'open checkouts of a deleted account could not be closed: expire them at the payment provider',
        ),
      )
  })
}
