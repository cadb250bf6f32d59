import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { contextFor, inTx } from '../../src/core/context.ts'
import { noteFirstStep } from '../../src/features/identity/first-steps.ts'
import { addLike } from '../support/cards.ts'
import { makeVault, QUICK_HASHING, type TestEnv, type Vault } from '../support/engines.ts'
import { freePort, isFree } from '../support/postgres.ts'
import { NO_BROWSER, sharedBrowser } from './chromium.ts'
import { type View, Windows } from './windows.ts'

export { expectAccessible } from './accessible.ts'
export { picture } from './pictures.ts'
export { settled } from './settled.ts'

export const PASSWORD = 'correct horse battery'

/** Has no word that a test searches for. */
const OF_A_STRANGER = {
  title: 'Barcode scanner beeps twice per parcel',
  symptom: 'The handheld scanner of the warehouse reads each parcel label two times, and stock doubles.',
  fix_summary: 'Choose trigger mode single in the scanner menu and forbid continuous reading in its profile.',
  root_cause: 'A factory profile leaves continuous reading switched on.',
}

/** Somebody without a window. */
export type Account = { email: string; api: Api }
export type Person = Account & { page: Page; context: BrowserContext }
type Api = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>

/** Of all test files of this process. */
const windows = new Windows()

let lastPort: number | undefined

/** The port of the file before, so that its windows fit, with all that they keep of the app's scripts. */
async function samePort(): Promise<number> {
  if (lastPort === undefined || !(await isFree(lastPort))) lastPort = await freePort()
  return lastPort
}

/** A running vault for one test file, and the browser of its process, with people who each have a window of their own. */
export class Stage {
  readonly #env: TestEnv
  #vault: Vault | undefined
  #app: App | undefined
  #browser: Browser | undefined
  #people = 0
  /** Leaves out the test that runs now, where there is no browser. */
  skip: ((reason: string) => never) | undefined
  base = ''

  constructor(env: TestEnv = {}) {
    this.#env = env
  }

  get app(): App {
    if (!this.#app) throw new Error('The app is not up yet: use it inside tests and hooks')
    return this.#app
  }

  async up(): Promise<void> {
    const port = await samePort()
    this.base = `http://127.0.0.1:${port}`
    this.#vault = await makeVault('sqlite', { PORT: String(port), BASE_URL: this.base, ...this.#env })
    this.#app = await buildApp(readConfig(this.#vault.env), {
      passwordHashing: QUICK_HASHING,
      timeouts: { drainMs: 0 },
    })
    await this.#app.server.listen({ host: '127.0.0.1', port })
    this.#browser = await sharedBrowser()
  }

  async down(): Promise<void> {
    await this.#app?.close()
    await this.#vault?.remove()
  }

  /** A window without a session. Script errors, refusals by the CSP and calls to other hosts fail the test. */
  async window(view: View = {}): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
    if (!this.#browser) throw this.skip ? this.skip(NO_BROWSER) : new Error('Open windows inside tests')
    return windows.open(this.#browser, this.base, JSON.stringify(this.#env), view)
  }

  /** Somebody who has put the first steps away: as long as they are shown, they ask the server after each step. */
  async person(name = 'Person', view: View = {}): Promise<Person> {
    const person = await this.newcomer(name, view)
    await inTx(contextFor(this.app.services), async ({ db, now }) => {
      const account = db.selectFrom('users').select('user_id').where('email', '=', person.email)
      const { user_id } = await account.executeTakeFirstOrThrow()
      await noteFirstStep(db, user_id, { dismissed_at: now().toISOString() })
    })
    return person
  }

  /** Registers somebody and opens a window with their session. */
  async newcomer(name: string, view: View = {}): Promise<Person> {
    const { page, context } = await this.window(view)
    return { page, context, ...(await this.account(name, context)) }
  }

  /** Registers somebody whom no test watches: a window, even one that nobody looks into, costs 0.1 s. */
  async account(name: string, context?: BrowserContext): Promise<Account> {
    const email = `${name.toLowerCase().replace(/\W+/g, '-')}-${++this.#people}@example.com`
    const api = this.#apiOf(context)
    await api('POST', '/api/v1/auth/register', { email, password: PASSWORD, display_name: name })
    return { email, api }
  }

  /** Calls that set something up. By the browser's own requests each would cost as much again, for its cookies. */
  #apiOf(context?: BrowserContext): Api {
    const session: Record<string, string> = {}
    return async (method, path, body) => {
      const answer = await this.app.server.inject({
        method: method as 'GET',
        url: path,
        headers: { 'X-Session': 'cookie', 'X-Requested-With': 'kvault-web' },
        cookies: session,
        ...(body === undefined ? {} : { payload: body as object }),
      })
      if (answer.statusCode >= 400)
        throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.payload}`)
      for (const { name, value } of answer.cookies) {
        session[name] = value
        await context?.addCookies([{ name, value, url: this.base, httpOnly: true, sameSite: 'Lax' }])
      }
      return (answer.statusCode === 204 ? undefined : answer.json()) as never
    }
  }

  /** Puts a card of somebody else into the library: from then on the app speaks of credits. */
  async publishByStranger(): Promise<void> {
    const { api } = await this.account('Stranger')
    const { card_id } = await api('POST', '/api/v1/cards', OF_A_STRANGER)
    await api('POST', `/api/v1/cards/${card_id}/publish`)
  }

  /** Bookings of earlier days, so that the balance has a course. */
  async bookEarlier({ api }: Account): Promise<void> {
    const { user_id } = await api<{ user_id: string }>('GET', '/api/v1/auth/me')
    const rows = ['2026-01-01', '2026-02-02'].map((day) => ({
      entry_id: crypto.randomUUID(),
      cause: `earlier:${day}`,
      created_at: `${day}T00:00:00.000Z`,
    }))
    await addLike(this.app, 'credit_entries', ['user_id', user_id], rows)
  }

  /** Another window, such as a phone, for somebody who has one already. */
  async sameSession(person: Person, view: View): Promise<Page> {
    const { page, context } = await this.window(view)
    await context.addCookies(await person.context.cookies())
    return page
  }

  async emptyWindows(): Promise<void> {
    expect(await windows.empty()).toEqual([])
  }
}

/**
 * Ticks or clears the box of a setting that is saved as it changes. It shows the stored state until the app has drawn
 * the new one, so that `check`, which looks at once, would now and then see it unchanged.
 */
export async function switchSetting(box: Locator, isOn: boolean): Promise<void> {
  expect(await box.isChecked()).toBe(!isOn)
  await box.click()
  await expect.poll(() => box.isChecked()).toBe(isOn)
}

/** Wires a stage into a test file. */
export function openStage(env: TestEnv = {}): Stage {
  const stage = new Stage(env)
  beforeAll(() => stage.up())
  beforeEach(({ skip }) => {
    stage.skip = skip
  })
  afterEach(() => stage.emptyWindows())
  afterAll(() => stage.down())
  return stage
}

/** Opens the menu of the person, where the balance stands. */
export async function openMenu(page: Page) {
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menu').waitFor()
}
