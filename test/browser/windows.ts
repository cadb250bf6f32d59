import type { Browser, BrowserContext, Page } from 'playwright-core'
import { watchRequests } from './settled.ts'

export type View = {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  locale?: string
  /** With the service worker, which is no part of other tests: it would fetch everything twice. */
  worker?: boolean
}

type Window = { page: Page; context: BrowserContext; locale: string; worker: boolean; problems: string[] }

/** A refusal, or a network that the test itself has taken away. */
const EXPECTED =
  /Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_INTERNET_DISCONNECTED)|^NetworkError: The server cannot be reached/

async function newWindow(browser: Browser, base: string, locale: string, worker: boolean): Promise<Window> {
  const context = await browser.newContext({
    baseURL: base,
    locale,
    permissions: ['clipboard-read', 'clipboard-write'],
    serviceWorkers: worker ? 'allow' : 'block',
  })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const opened: Window = { page, context, locale, worker, problems: [] }
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

/** False where something of the last person could stay behind. */
async function forgetPerson({ page, context }: Window, base: string): Promise<boolean> {
  // The tab's own storage can only be emptied from a page of our origin.
  if (new URL(page.url()).origin !== base) return false
  await page.unrouteAll()
  await page.evaluate(() => sessionStorage.clear())
  await page.goto('about:blank')
  await context.clearCookies()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin: base, storageTypes: 'all' })
  await devtools.detach()
  return true
}

/**
 * The windows of one test file. A window is used again by the next test after everything of its person is gone:
 * a new one costs the browser a process and the app's scripts anew, 0.4 s of processor time each.
 */
export class Windows {
  #used: Window[] = []
  #idle: Window[] = []
  #base = ''

  async open(browser: Browser, base: string, view: View): Promise<Window> {
    this.#base = base
    // Chromium would take the machine's, and texts with dates and numbers would differ from machine to machine.
    const locale = view.locale ?? 'en-US'
    const worker = view.worker ?? false
    const reused = this.#idle.find((one) => one.locale === locale && one.worker === worker)
    this.#idle = this.#idle.filter((one) => one !== reused)
    const opened = reused ?? (await newWindow(browser, base, locale, worker))
    this.#used.push(opened)
    await opened.page.setViewportSize({ width: view.width ?? 1280, height: view.height ?? 800 })
    await opened.page.emulateMedia({ colorScheme: view.theme ?? 'light', reducedMotion: 'reduce' })
    return opened
  }

  /** Says what went wrong in the windows since they were opened. */
  async empty(): Promise<string[]> {
    const used = this.#used.splice(0)
    for (const one of used) {
      if (await forgetPerson(one, this.#base)) this.#idle.push(one)
      else await one.context.close()
    }
    return used.flatMap(({ problems }) => problems.splice(0))
  }

  async closeAll(): Promise<void> {
    for (const { context } of [...this.#used.splice(0), ...this.#idle.splice(0)]) await context.close()
  }
}
