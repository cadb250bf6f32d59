import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packaged from '@sparticuz/chromium'
import { chromium, type LaunchOptions } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { FLAGS, launchOptions, NO_BROWSER } from './chromium.ts'
import { keepFirst, surroundings } from './packaged-chromium.ts'

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
  const options = launchOptions() ?? skip(NO_BROWSER)
  expect(options.args).toEqual(FLAGS)
  const started = await argumentsOf(options)
  expect(started).toEqual(expect.arrayContaining(FLAGS))
  expect(started.filter((argument) => FORBIDDEN.includes(argument))).toEqual([])
  const alwaysGiven = new Set([...FLAGS, ...(await argumentsOf({ ...options, args: [] }))])
  const brought = packaged.args.filter((flag) => !alwaysGiven.has(flag))
  expect(brought, 'the package still has arguments of its own').toEqual(expect.arrayContaining(FORBIDDEN))
  expect(started.filter((argument) => brought.includes(argument))).toEqual([])
})

test('a machine without a desktop gets the libraries and fonts of the package, others keep their own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-chromium-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const starts = (status: number) =>
    writeFileSync(join(folder, 'chromium'), `#!/bin/sh\nexit ${status}\n`, { mode: 0o755 })
  const [fonts, missing] = [join(folder, 'chromium'), join(folder, 'none')]
  starts(0)
  expect(surroundings(folder, fonts)).toEqual({})
  starts(127)
  expect(surroundings(folder, missing)).toEqual({
    LD_LIBRARY_PATH: join(folder, 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  })
})

test('of two processes that unpack the browser at the same time, one keeps what the other has made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-chromium-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [first, second, kept] = ['first', 'second', 'kept'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const draft of [first, second]) {
    mkdirSync(draft)
    writeFileSync(join(draft, 'chromium'), draft)
    keepFirst(draft, kept)
  }
  expect(readFileSync(join(kept, 'chromium'), 'utf8')).toBe(first)
  expect([first, second].filter(existsSync)).toEqual([])
  expect(() => keepFirst(first, join(folder, 'nowhere'))).toThrow('ENOENT')
})
