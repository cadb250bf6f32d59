import type { IdentityProvider } from './identity/identity.ts'
import type { MailTransport } from './mail/mail.ts'
import type { PaymentProvider } from './payments/payments.ts'

/** What reaches outside this process, each behind an interface with a real and a local side. */
export type Adapters = {
  /** Null where Google sign-in is not configured. */
  google: IdentityProvider | null
  /** Null in production without Stripe. */
  payments: PaymentProvider | null
  /** Null where no mail server is configured; links are then shown to those who ask for them. */
  mail: MailTransport | null
}
