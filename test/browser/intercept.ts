import type { Page, Route } from 'playwright-core'

type Intercept = Parameters<Page['route']>

const PROBE = '/health'

/**
 * As `page.route`, and it holds for the very next request. Chromium confirms a route before the page's own process knows
 * of it, and a key or a click may overtake the news: on a busy machine such a request goes to the server.
 */
export async function intercept(page: Page, ...route: Intercept): Promise<void> {
  await page.route(...route)
  // What a page loads is asked for by a frame that knows already.
  if (!page.url().startsWith('http')) return
  await page.route(`**${PROBE}`, (probe) => probe.fulfill({ status: 204 }))
  while ((await page.evaluate((path) => fetch(path).then(({ status }) => status), PROBE)) !== 204);
  await page.unroute(`**${PROBE}`)
}

/** The server does what it is asked for, and its answer does not arrive. */
export const loseAnswer = async (route: Route): Promise<void> => {
  await route.fetch()
  await route.abort('internetdisconnected')
}

/** The server does what it is asked for, and an error arrives. */
export const breakAnswer = async (route: Route): Promise<void> => {
  await route.fetch()
  await route.fulfill({ status: 500, json: { detail: 'The answer is lost.', code: 'lost' } })
}

/** Holds back the next request, until the function is called that comes back. */
export async function lockNext(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const goOn = async (route: Route) => {
    await promise
    await route.continue()
  }
  await intercept(page, address, goOn, { times: 1 })
  return resolve
}
