import { onlineManager, QueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { NetworkError } from '../lib/reachable.ts'
import { local, randomId } from '../lib/storage.ts'
import { ApiError, type SendOptions } from './client.ts'

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

type Attempt = { text: string; key: string }

const NONE: Attempt = { text: '', key: '' }

/**
 * Sends the same input with the same key until it is answered, so that a retry after a lost answer does
 * nothing twice. Under `keptAs` the key survives leaving or reloading the page.
 */
export function useAttempt(keptAs?: string) {
  const attempt = useRef(NONE)
  return async <Answer>(input: unknown, send: (options: SendOptions) => Promise<Answer>): Promise<Answer> => {
    const text = JSON.stringify(input)
    if (keptAs) attempt.current = local.read<Attempt>(keptAs) ?? attempt.current
    if (text !== attempt.current.text) attempt.current = { text, key: randomId() }
    if (keptAs) local.write(keptAs, attempt.current)
    const answer = await send({ headers: { 'Idempotency-Key': attempt.current.key } })
    // An intended repetition gets a new key.
    attempt.current = NONE
    if (keptAs) local.remove(keptAs)
    return answer
  }
}
