import packaged from '@sparticuz/chromium'
import { chromium, type LaunchOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { FLAGS, launchOptions, NO_BROWSER } from './chromium.ts'

/** With these the browser dies with its first window, or stops to look at what security tests look at. */
const FORBIDDEN = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--allow-running-insecure-content',
]

async function argumentsOf(options: LaunchOptions): Promise<string[]> {
  const server = await chromium.launchServer(options)
  try {
    return server.process().spawnargs
  } finally {
    await server.close()
  }
}

test('the browser starts with our flags alone', async ({ skip }) => {
  const options = (await launchOptions()) ?? skip(NO_BROWSER)
  expect(options.args).toEqual(FLAGS)
  const started = await argumentsOf(options)
  expect(started).toEqual(expect.arrayContaining(FLAGS))
  expect(started.filter((argument) => FORBIDDEN.includes(argument))).toEqual([])
  const alwaysGiven = new Set([...FLAGS, ...(await argumentsOf({ ...options, args: [] }))])
  const brought = packaged.args.filter((flag) => !alwaysGiven.has(flag))
  expect(brought, 'the package still has arguments of its own').toEqual(expect.arrayContaining(FORBIDDEN))
  expect(started.filter((argument) => brought.includes(argument))).toEqual([])
})
