import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

const MAX_MS = 15_000

type Traffic = { open: Set<Request>; changes: number }
const traffic = new WeakMap<Page, Traffic>()

/** Call it before the page loads anything. */
export function watchRequests(page: Page): void {
  const seen: Traffic = { open: new Set(), changes: 0 }
  traffic.set(page, seen)
  const end = (request: Request) => {
    seen.open.delete(request)
    seen.changes++
  }
  page.on('request', (request) => {
    seen.open.add(request)
    seen.changes++
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  // Requests that were open when a page was left are never reported as ended.
  page.on('domcontentloaded', () => seen.open.clear())
}

const trafficOf = (page: Page): Traffic => {
  const seen = traffic.get(page)
  if (!seen) throw new Error('This page is not watched: open it by stage.window() or stage.person()')
  return seen
}

/** Until no request is open. False if that takes longer: one beside which a route begins or ends may never be reported as ended. */
export async function allAnswered(page: Page, longestMs = MAX_MS): Promise<boolean> {
  const { open } = trafficOf(page)
  for (let waited = 0; waited < longestMs && open.size > 0; waited += 20) await sleep(20)
  return open.size === 0
}

/** Everything that has arrived is drawn, and what it leads to has begun. Runs in the page. */
const drawn = () =>
  new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1000 }))),
  )

/**
 * Until everything that the page asked for has come and is drawn, and nothing more was asked for by that. Requests and the end of
 * drawing are told in their order, so no time needs to pass; Playwright's `networkidle` waits half a second each time.
 */
export async function settled(page: Page): Promise<void> {
  const seen = trafficOf(page)
  for (let before = Number.NaN; before !== seen.changes || seen.open.size > 0; ) {
    await allAnswered(page)
    before = seen.changes
    await page.evaluate(drawn)
  }
}
