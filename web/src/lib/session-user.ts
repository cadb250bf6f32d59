/** Whose page this is. Tabs share the cookie, so another person may have signed in since it was opened. */
let ofPage: () => string | undefined = () => undefined

export const sessionUser = (): string | undefined => ofPage()

/** Shows the page as the person who is signed in now. Drafts stay in the browser, under the name of their writer. */
export const startAnew = () => location.reload()

let onSessionOver = () => {}

/** Called when an answer says that the session of this page has ended; the router shows the sign-in page. */
export const whenSessionOver = (run: () => void): void => {
  onSessionOver = run
}

/** Only for the session that the page still shows: later answers of the same kind have nothing to add. */
export const noteSessionOver = (userId: string): void => {
  if (userId === ofPage()) onSessionOver()
}

const channel = new BroadcastChannel('kv-session')

/** Somebody has signed in or out in this tab; the others follow. */
export const tellOtherTabs = (userId: string | null): void => channel.postMessage(userId)

export function watchSession(whosePage: () => string | undefined): void {
  ofPage = whosePage
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    const mine = ofPage()
    if (mine !== undefined && data !== mine) startAnew()
  }
}

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
