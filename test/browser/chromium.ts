import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The npm package carries a browser for 64-bit Intel Linux; elsewhere an installed one is taken. */
async function findBrowser(): Promise<{ path: string; args: string[] }> {
  const named = process.env.CHROMIUM_PATH
  if (named) return { path: named, args: FLAGS }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const packaged = (await import('@sparticuz/chromium')).default
    return { path: await packaged.executablePath(), args: [...packaged.args, ...FLAGS] }
  }
  const path = INSTALLED.find((candidate) => existsSync(candidate))
  if (path) return { path, args: FLAGS }
  throw new Error(
    'No browser for the browser tests. Install Chromium or Google Chrome, or set CHROMIUM_PATH to its program.',
  )
}

export async function launchBrowser(): Promise<Browser> {
  const { path, args } = await findBrowser()
  return chromium.launch({ executablePath: path, args, headless: true })
}
