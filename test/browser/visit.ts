import type { Page } from 'playwright-core'

type Router = {
  history: { push: (path: string) => void }
  subscribe: (event: 'onRendered', run: () => void) => () => void
}

/**
 * Goes to another page of the app as a link does, until it is drawn. Loading the app anew by `page.goto` costs the
 * processor five times as much, but is needed where something has changed behind the app's back: what it has asked
 * the server for is fresh to it for a while.
 */
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
