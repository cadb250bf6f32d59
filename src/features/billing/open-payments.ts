import type { PaymentProvider } from '../../adapters/payments/payments.ts'
import { stripeProvider } from '../../adapters/payments/stripe.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/db.ts'
import { developmentProvider } from './development.ts'

/** Stripe when its key is set; the development provider otherwise, except in production. */
export async function openPayments(
  config: Config,
  database: Database,
  now: () => Date,
): Promise<PaymentProvider | null> {
  if (config.stripe) return stripeProvider(config.stripe)
  return config.production ? null : developmentProvider(config, database, now)
}
