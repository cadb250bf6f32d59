import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, NetworkError } from './client.ts'

/** While the server is away, one question is enough: all is asked again when it is back. */
const worthRetrying = (error: unknown) =>
  error instanceof NetworkError ? onlineManager.isOnline() : error instanceof ApiError && error.status >= 502

/** Told when an answer says that the session is over; the router sends people to the sign-in page. */
let onSignedOut = () => {}
export const whenSignedOut = (run: () => void) => {
  onSignedOut = run
}

const noticeSignOut = (error: unknown) => {
  if (error instanceof ApiError && error.status === 401 && error.code !== 'invalid_credentials') onSignedOut()
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && worthRetrying(error),
      refetchOnWindowFocus: true,
      // Fails at once, so that the page can say so; without it, a skeleton would stay for ever.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { onError: noticeSignOut, networkMode: 'always' },
  },
})
