import type { Page } from 'playwright-core'

type Router = {
  history: { push: (path: string) => void }
  subscribe: (event: 'onRendered', run: () => void) => () => void
}
type Fiber = { memoizedProps?: { client?: { clear: () => void } }; child?: Fiber }

/** An address without a page: nothing of a person or of the frame is on it. */
const NOWHERE = '/nowhere'

/** Goes to another page of the app as a link does, until it is drawn. What the app has asked the server for is fresh to it for a while. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(
    (to) =>
      new Promise<void>((resolve) => {
        const router = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__
        const stop = router.subscribe('onRendered', () => {
          stop()
          resolve()
        })
        router.history.push(to)
      }),
    path,
  )
}

/** Forgets what the app has asked for and what it said. Runs in the page, while it shows nothing of a person. */
function forgetAnswers(): void {
  const root = document.getElementById('root') ?? document.body
  const mounted = Object.entries(root).find(([name]) => name.startsWith('__reactContainer$'))
  let fiber = mounted?.[1] as Fiber | undefined
  while (fiber && !fiber.memoizedProps?.client) fiber = fiber.child
  if (!fiber) throw new Error('The app keeps its answers in another place now.')
  fiber.memoizedProps?.client?.clear()
  for (const notice of document.querySelectorAll<HTMLElement>('[aria-label=Notices] [aria-label=Dismiss]'))
    notice.click()
}

/** Leaves everything that is on the page, with the app ready for the next one. False where the page is not the app. */
export async function leavePage(page: Page): Promise<boolean> {
  if (!(await page.evaluate(() => '__TSR_ROUTER__' in globalThis))) return false
  if (new URL(page.url()).pathname !== NOWHERE) await visit(page, NOWHERE)
  await page.evaluate(forgetAnswers)
  return true
}

/**
 * Opens a page of the app with everything asked for anew, as `page.goto` does. Only the scripts are not loaded again,
 * where the window has them: that costs the processor five times as much.
 */
export async function openPage(page: Page, address: string): Promise<void> {
  if (!(await leavePage(page))) {
    await page.goto(address)
    return
  }
  const { pathname, search, hash } = new URL(address, page.url())
  await visit(page, pathname + search + hash)
}

/** Opens the page on which the window is once more, since something has changed behind the app's back. */
export async function reopenPage(page: Page): Promise<void> {
  const { pathname, search } = new URL(page.url())
  await openPage(page, pathname + search)
}

/** As somebody who comes back to a tab after a minute. */
export const comeBack = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { now } = Date
    Date.now = () => now() + 60_000
    window.dispatchEvent(new Event('visibilitychange'))
    // The app looks at what is old once the event is over.
    await new Promise((done) => setTimeout(done))
    Date.now = now
  })
