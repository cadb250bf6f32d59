import { onlineManager, QueryClient } from '@tanstack/react-query'
import { NetworkError } from '../lib/reachable.ts'
import { ApiError } from './client.ts'

const worthRetrying = (error: unknown) =>
  error instanceof NetworkError ? onlineManager.isOnline() : error instanceof ApiError && error.status >= 502

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && worthRetrying(error),
      refetchOnWindowFocus: true,
      // Fails at once, so that the page can say so; without this, a skeleton would stay forever.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * For saving: while the server is unreachable the call waits, and is sent again when the server is back.
 * Only for calls that are safe to repeat, by an `Idempotency-Key` or a version.
 */
export const SENT_WHEN_BACK = {
  networkMode: 'online',
  retry: (_count: number, error: unknown) => error instanceof NetworkError,
  retryDelay: 500,
} as const
