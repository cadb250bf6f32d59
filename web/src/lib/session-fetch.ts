/** fetch with the browser session and the header that no other site can send. */
export function sessionFetch(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('X-Requested-With', 'kvault-web')
  headers.set('Accept', headers.get('Accept') ?? 'application/json')
  return fetch(address, { ...init, headers, credentials: 'same-origin' })
}
