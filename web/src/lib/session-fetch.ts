import { sessionUser } from './session-user.ts'

/** Asks who is signed in, whoever that is. */
const ME = '/api/v1/auth/me'

/** fetch with the browser session and the header that no other site can send. */
export function sessionFetch(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('X-Requested-With', 'kvault-web')
  const user = sessionUser()
  if (user !== undefined && address !== ME) headers.set('X-Session-User', user)
  headers.set('Accept', headers.get('Accept') ?? 'application/json')
  return fetch(address, { ...init, headers, credentials: 'same-origin' })
}
