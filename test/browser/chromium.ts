import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { packagedChromium } from './packaged-chromium.ts'

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
function findBrowser(): LaunchOptions | undefined {
  const named = process.env.CHROMIUM_PATH
  if (named) return { executablePath: named }
  if (process.platform === 'linux' && process.arch === 'x64') return packagedChromium()
  const installed = INSTALLED.find((candidate) => existsSync(candidate))
  return installed === undefined ? undefined : { executablePath: installed }
}

export const NO_BROWSER =
  'there is no Chromium for this processor; install chromium or chromium-headless-shell, or set CHROMIUM_PATH to its program'

/** The package's own arguments are for a cloud function: they end the browser with its first window, so they stay out. */
export function launchOptions(): LaunchOptions | undefined {
  const found = findBrowser()
  return found && { ...found, args: FLAGS, headless: true }
}

async function startBrowser(): Promise<Browser | undefined> {
  const options = launchOptions()
  return options && chromium.launch(options)
}

let browser: Promise<Browser | undefined> | undefined

/** One browser for all test files that run in this process. Playwright ends it together with the process. */
export function sharedBrowser(): Promise<Browser | undefined> {
  browser ??= startBrowser()
  return browser
}
