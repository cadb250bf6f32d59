import { sessionUser } from './session-user.ts'

/** For whoever is signed in, so that a refusal says nothing about the session of this page. */
const FOR_ANYBODY: readonly string[] = ['/api/v1/auth/me', '/api/v1/auth/verify-email']

/** In whose name this page asks. */
export const userOf = (address: string): string | undefined =>
  FOR_ANYBODY.includes(address) ? undefined : sessionUser()

/** fetch with the browser session and the header that no other site can send. */
export function sessionFetch(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('X-Requested-With', 'kvault-web')
  const user = userOf(address)
  if (user !== undefined) headers.set('X-Session-User', user)
  headers.set('Accept', headers.get('Accept') ?? 'application/json')
  return fetch(address, { ...init, headers, credentials: 'same-origin' })
}
