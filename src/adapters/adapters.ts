import type { IdentityProvider } from './identity/identity.ts'

/** What reaches outside this process, each behind an interface with a real and a local side. */
export type Adapters = {
  /** Null where Google sign-in is not configured. */
  google: IdentityProvider | null
}
