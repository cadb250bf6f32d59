import type { PaymentProvider } from '../../adapters/payments/payments.ts'
import type { Ctx } from '../../core/context.ts'
import { findCustomer } from './billing.store.ts'

/**
 * Ends what a deleted account has at the payment provider: open checkouts can no longer be paid. It happens after the
 * commit and nobody waits for it, so a provider that is away keeps nobody from leaving. A payment that slips through is
 * found by its event (effects.ts).
 */
export async function leaveProvider(ctx: Ctx, userId: string): Promise<void> {
  const { adapters, log } = ctx
  const provider = adapters.payments
  const customerId = provider && (await findCustomer(ctx.db, provider.name, userId))
  if (!customerId) return
  ctx.afterCommit(() => {
    endCustomer(provider, customerId).catch((error: unknown) =>
      log.error(
        { err: error, customer_id: customerId },
        'the customer of a deleted account is still at the payment provider: delete it there',
      ),
    )
  })
}

async function endCustomer(provider: PaymentProvider, customerId: string): Promise<void> {
  await provider.closeCheckouts(customerId, 'all')
  await provider.deleteCustomer(customerId)
}
