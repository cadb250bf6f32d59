import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { startAnew } from '../lib/session-user.ts'
import { ApiError, NetworkError } from './client.ts'

/** No retry while the server is unreachable: everything is asked again when it is back. */
const worthRetrying = (error: unknown) =>
  error instanceof NetworkError ? onlineManager.isOnline() : error instanceof ApiError && error.status >= 502

/** Called when an answer says that the session is over; the router shows the sign-in page. */
let onSignedOut = () => {}
export const whenSignedOut = (run: () => void) => {
  onSignedOut = run
}

const noticeSignOut = (error: unknown) => {
  if (!(error instanceof ApiError) || error.status !== 401 || error.code === 'invalid_credentials') return
  if (error.code === 'session_changed') startAnew()
  else onSignedOut()
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && worthRetrying(error),
      refetchOnWindowFocus: true,
      // Fails at once, so that the page can say so; without it, a skeleton would stay forever.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { onError: noticeSignOut, networkMode: 'always' },
  },
})
