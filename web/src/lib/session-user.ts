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
