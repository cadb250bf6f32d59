import type { PaymentProvider } from '../../adapters/payments/payments.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/db.ts'
import { developmentProvider } from './development.ts'

/** Stripe when its key is set; the development provider otherwise, except in production. */
export async function openPayments(
  config: Config,
  database: Database,
  now: () => Date,
): Promise<PaymentProvider | null> {
  if (config.stripe) {
    const { stripeProvider } = await import('../../adapters/payments/stripe.ts')
    return stripeProvider(config.stripe)
  }
  return config.production ? null : developmentProvider(config, database, now)
}
