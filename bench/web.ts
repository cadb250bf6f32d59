import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { launchOptions, NO_BROWSER } from '../test/browser/chromium.ts'
import { median } from './support/load.ts'
import { report } from './support/report.ts'
import { repository, startVault } from './support/servers.ts'

/**
 * How long a person waits: the largest paint and the script of the home page and of a search with an open card, in the
 * browser of the tests, with an empty cache, a processor four times slower and a connection of 10 Mbit/s.
 */
const ROUNDS = 5
const CPU_SLOWDOWN = 4
const LINE = { offline: false, latency: 20, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 }
const CARDS = 60
const SCRIPT_BAR_KB = 170

const card = (n: number) => ({
  title: `Connection pool of service ${n} is empty after a deploy`,
  symptom: `Requests to service ${n} wait and then fail:\n\n\`\`\`ts\nconst client = await pool.connect()\n\`\`\`\n`,
  fix_summary: 'Close each connection in a finally block, and raise the pool to twice the number of workers.',
  steps: [{ order: 1, action: 'Look at `pg_stat_activity`.', result: 'Idle connections without an end.' }],
  tags: ['postgres', 'pool'],
})

type Load = { paintMs: number; scriptKb: number }

/** For the browser, which has other types than this program. */
const MEASURE = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const scripts = performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('.js'))
    const bytes = scripts.reduce((sum, entry) => sum + entry.encodedBodySize, 0)
    resolve({ paintMs: list.getEntries().at(-1).startTime, scriptKb: bytes / 1000 })
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})`

async function signIn(context: BrowserContext, url: string): Promise<string> {
  const headers = { 'X-Session': 'cookie', 'X-Requested-With': 'kvault-web' }
  const post = (path: string, data: object) => context.request.post(url + path, { headers, data })
  await post('/api/v1/auth/register', { email: 'bench@example.com', password: 'correct horse battery' })
  let last = ''
  for (let n = 0; n < CARDS; n++) last = (await (await post('/api/v1/cards', card(n))).json()).card_id
  return last
}

/** Uses a new window, so that its cache has nothing of an earlier load. */
async function load(browser: Browser, cookies: Cookies, url: string, ready: string): Promise<Load> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    serviceWorkers: 'block',
  })
  await context.addCookies(cookies)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', LINE)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.goto(url)
  await page.waitForSelector(ready)
  await page.waitForLoadState('networkidle')
  const measured = await page.evaluate<Load>(MEASURE)
  await context.close()
  return measured
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

const options = launchOptions()
if (!options) throw new Error(NO_BROWSER)
execFileSync(
  process.execPath,
  [join(repository, 'node_modules/vite/bin/vite.js'), 'build', 'web', '--logLevel', 'error'],
  {
    cwd: repository,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'inherit',
  },
)
const server = await startVault()
const browser = await chromium.launch(options)
try {
  const context = await browser.newContext()
  const cardId = await signIn(context, server.url)
  const cookies = await context.cookies()
  const pages = [
    { what: 'home', path: '/', ready: '[data-search-box]', barMs: 1800 },
    {
      what: 'search with an open card',
      path: `/?q=pool&card=${cardId}`,
      ready: 'article .hljs-keyword',
      barMs: 2200,
    },
  ]
  for (const { what, path, ready, barMs } of pages) {
    const loads: Load[] = []
    for (let round = 0; round < ROUNDS; round++)
      loads.push(await load(browser, cookies, server.url + path, ready))
    const paintMs = Math.round(median(loads.map((one) => one.paintMs)))
    const scriptKb = Math.round(median(loads.map((one) => one.scriptKb)))
    console.table(
      loads.map((one) => ({ page: what, paint: Math.round(one.paintMs), script: Math.round(one.scriptKb) })),
    )
    report([
      {
        what: `${what}: largest paint`,
        measured: `${paintMs} ms`,
        bar: `${barMs} ms`,
        met: paintMs <= barMs,
      },
      {
        what: `${what}: script`,
        measured: `${scriptKb} kB`,
        bar: `${SCRIPT_BAR_KB} kB`,
        met: scriptKb <= SCRIPT_BAR_KB,
      },
    ])
  }
} finally {
  await browser.close()
  await server.stop()
}
