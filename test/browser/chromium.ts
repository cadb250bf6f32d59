import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

/** All that Chromium is told, on every processor. Nothing here may weaken what the tests look at. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page of a test lives for seconds, and compiling its scripts well costs more than running them.
  '--js-flags=--no-opt --no-maglev',
]

/** The headless shell comes first: it does the same with a third of the work. */
const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The npm package carries a browser for 64-bit Intel Linux; elsewhere an installed one is taken. */
async function findBrowser(): Promise<string | undefined> {
  const named = process.env.CHROMIUM_PATH
  if (named) return named
  if (process.platform === 'linux' && process.arch === 'x64')
    return (await import('@sparticuz/chromium')).default.executablePath()
  return INSTALLED.find((candidate) => existsSync(candidate))
}

export const NO_BROWSER =
  'there is no Chromium for this processor; install chromium or chromium-headless-shell, or set CHROMIUM_PATH to its program'

/** The package's own arguments are for a cloud function: they end the browser with its first window, so they stay out. */
export async function launchOptions(): Promise<LaunchOptions | undefined> {
  const executablePath = await findBrowser()
  return executablePath === undefined ? undefined : { executablePath, args: FLAGS, headless: true }
}

let browser: Promise<Browser | undefined> | undefined

/** One browser for all test files that run in this process. Playwright ends it together with the process. */
export function sharedBrowser(): Promise<Browser | undefined> {
  browser ??= launchOptions().then((options) => options && chromium.launch(options))
  return browser
}
