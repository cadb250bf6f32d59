import type { Browser, BrowserContext, Page } from 'playwright-core'
import { allAnswered, watchRequests } from './settled.ts'
import { leavePage } from './visit.ts'

export type View = {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  locale?: string
  /** With the service worker, which is no part of other tests: it would fetch everything twice. */
  worker?: boolean
}

type Window = {
  page: Page
  context: BrowserContext
  base: string
  locale: string
  worker: boolean
  problems: string[]
  /** Those of the vault that the app in it was loaded from: another vault may have other rules for the browser. */
  settings: string
}

/** A refusal, or a network that the test itself has taken away. */
const EXPECTED =
  /Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_INTERNET_DISCONNECTED)|^NetworkError: The server cannot be reached/

type Wanted = Pick<Window, 'base' | 'settings' | 'locale' | 'worker'>

async function newWindow(browser: Browser, wanted: Wanted): Promise<Window> {
  const { base, locale, worker } = wanted
  const context = await browser.newContext({
    baseURL: base,
    locale,
    permissions: ['clipboard-read', 'clipboard-write'],
    serviceWorkers: worker ? 'allow' : 'block',
  })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const opened: Window = { ...wanted, page, context, problems: [] }
  watchRequests(page)
  page.on('pageerror', (error) => opened.problems.push(`script error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text()))
      opened.problems.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    // Leaving for another site, such as a sign-in page, is a choice of the person; fetching from one is not.
    if (!request.isNavigationRequest() && new URL(request.url()).origin !== base)
      opened.problems.push(`call to another host: ${request.url()}`)
  })
  return opened
}

/** An address of ours without scripts. From `about:blank` the next page would start in a new process. */
const RESTING_ADDRESS = '/favicon.svg'

/** Loading the app anew costs less than a longer wait. */
const SOON_MS = 1000

/** False where something of the last person could stay behind. */
async function forgetPerson({ page, context, base, worker }: Window): Promise<boolean> {
  // The tab's own storage can only be emptied from a page of our origin; a service worker could come back.
  if (worker || new URL(page.url()).origin !== base) return false
  // A tab that the last test has opened would go on with the session of the next person.
  for (const tab of context.pages()) if (tab !== page) await tab.close()
  await page.unrouteAll()
  await context.setOffline(false)
  const isIdle = (await leavePage(page)) && (await allAnswered(page, SOON_MS))
  if (!isIdle) await page.goto(RESTING_ADDRESS)
  await page.evaluate(() => {
    sessionStorage.clear()
    delete document.documentElement.dataset.theme
  })
  await context.clearCookies()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin: base, storageTypes: 'all' })
  await devtools.detach()
  return true
}

/**
 * The windows of one process. A window is used again by the next test, also of another file, after everything of
 * its person is gone: a new one costs the browser a process and the app's scripts anew, 0.4 s of processor time each.
 */
export class Windows {
  #used: Window[] = []
  #idle: Window[] = []

  async open(browser: Browser, base: string, settings: string, view: View): Promise<Window> {
    // Chromium would take the machine's, and texts with dates and numbers would differ from machine to machine.
    const locale = view.locale ?? 'en-US'
    const worker = view.worker ?? false
    const fits = (one: Window) => one.base === base && one.locale === locale && one.worker === worker
    const reused = this.#idle.find(fits)
    this.#idle = this.#idle.filter((one) => one !== reused)
    const opened = reused ?? (await newWindow(browser, { base, settings, locale, worker }))
    if (opened.settings !== settings) await opened.page.goto(RESTING_ADDRESS)
    opened.settings = settings
    this.#used.push(opened)
    await opened.page.setViewportSize({ width: view.width ?? 1280, height: view.height ?? 800 })
    await opened.page.emulateMedia({
      media: 'screen',
      colorScheme: view.theme ?? 'light',
      reducedMotion: 'reduce',
    })
    return opened
  }

  /** Says what went wrong in the windows since they were opened. */
  async empty(): Promise<string[]> {
    const used = this.#used.splice(0)
    for (const one of used) {
      if (await forgetPerson(one)) this.#idle.push(one)
      else await one.context.close()
    }
    return used.flatMap(({ problems }) => problems.splice(0))
  }
}
