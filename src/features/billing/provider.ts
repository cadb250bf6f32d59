import { type PaymentProvider, PaymentProviderError } from '../../adapters/payments/payments.ts'
import type { Ctx } from '../../core/context.ts'
import { notConfigured, unavailable } from '../../core/errors.ts'
import { TookTooLong, within } from '../../core/within.ts'

export function requireProvider(ctx: Pick<Ctx, 'adapters'>): PaymentProvider {
  if (!ctx.adapters.payments) throw notConfigured('Payment')
  return ctx.adapters.payments
}

/** A request asks twice at most, and a connection on which nothing is said for 30 s is closed without an answer. */
export const LONGEST_MS = 12_000

/** Asks the provider; what goes wrong there is logged, and the user learns that trying later may help. */
export async function askProvider<T>(ctx: Ctx, ask: (provider: PaymentProvider) => Promise<T>): Promise<T> {
  const provider = requireProvider(ctx)
  try {
    return await within(LONGEST_MS, ask(provider))
  } catch (error) {
    if (!(error instanceof PaymentProviderError || error instanceof TookTooLong)) throw error
    ctx.log.error({ err: error }, 'the payment provider did not answer')
    throw unavailable('The payment provider cannot be reached right now. Nothing was charged.', 10)
  }
}
