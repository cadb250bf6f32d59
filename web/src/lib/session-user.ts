/** Tabs share the cookie, so another person may have signed in since this page was opened. */
let ofPage: () => string | undefined = () => undefined

export const sessionUser = (): string | undefined => ofPage()

/** Shows the page as the person who is signed in now. */
export const reloadPage = () => location.reload()

let onSessionOver = () => {}

export const whenSessionOver = (run: () => void): void => {
  onSessionOver = run
}

/** Ignores answers for sessions that the page no longer shows. */
export const reportSessionOver = (userId: string): void => {
  if (userId === ofPage()) onSessionOver()
}

const channel = new BroadcastChannel('kv-session')

export const tellOtherTabs = (userId: string | null): void => channel.postMessage(userId)

export function watchSession(whosePage: () => string | undefined): void {
  ofPage = whosePage
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    const mine = ofPage()
    if (mine !== undefined && data !== mine) reloadPage()
  }
}

/** Routes whose refusals say nothing about the session of this page. */
const FOR_ANYBODY: readonly string[] = ['/api/v1/auth/me', '/api/v1/auth/verify-email']

export const userOf = (address: string): string | undefined =>
  FOR_ANYBODY.includes(address) ? undefined : sessionUser()

export function sessionFetch(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('X-Requested-With', 'kvault-web')
  const user = userOf(address)
  if (user !== undefined) headers.set('X-Session-User', user)
  headers.set('Accept', headers.get('Accept') ?? 'application/json')
  return fetch(address, { ...init, headers, credentials: 'same-origin' })
}
