import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

const QUIET_MS = 100
const LONGEST_MS = 15_000

type Traffic = { open: Set<Request>; lastChange: number }
const traffic = new WeakMap<Page, Traffic>()

/** Call it before the page loads anything. */
export function watchRequests(page: Page): void {
  const seen: Traffic = { open: new Set(), lastChange: Date.now() }
  traffic.set(page, seen)
  const end = (request: Request) => {
    seen.open.delete(request)
    seen.lastChange = Date.now()
  }
  page.on('request', (request) => {
    seen.open.add(request)
    seen.lastChange = Date.now()
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

async function waitUntil(isDone: () => boolean): Promise<void> {
  for (let waited = 0; waited < LONGEST_MS && !isDone(); waited += 20) await sleep(20)
}

/** Until no request is open. */
export const allAnswered = (page: Page): Promise<void> => {
  const { open } = trafficOf(page)
  return waitUntil(() => open.size === 0)
}

/** Until everything that the page asked for has come. Playwright's `networkidle` waits half a second each time. */
export async function settled(page: Page): Promise<void> {
  const seen = trafficOf(page)
  await waitUntil(() => seen.open.size === 0 && Date.now() - seen.lastChange >= QUIET_MS)
  // Everything that has arrived is drawn.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
}
