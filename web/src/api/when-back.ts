import { NetworkError } from '../lib/network-error.ts'

/**
 * For saving: while the server is unreachable the call waits, and is sent again when the server is back. Only for calls
 * that can be sent twice without harm, by an `Idempotency-Key` or a version.
 */
export const SENT_WHEN_BACK = {
  networkMode: 'online',
  retry: (_count: number, error: unknown) => error instanceof NetworkError,
  retryDelay: 500,
} as const
