import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { lookAround, picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { type Account, openStage, PASSWORD, type Person, switchSetting } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage()
type CardAnswer = { card_id: string }

async function fill(person: Account, more: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (const sample of SAMPLES)
    ids.push((await person.api<CardAnswer>('POST', '/api/v1/cards', { ...sample, ...more })).card_id)
  return ids
}

const balanceOf = async (person: Person) =>
  (await person.api<{ credits_balance: number }>('GET', '/api/v1/auth/me')).credits_balance

/** Somebody with own cards, a teammate with shared ones, and memory: what the box looks through. */
async function teamLead(): Promise<Person> {
  const person = await stage.person('Team lead')
  await fill(person)
  const mate = await stage.account('Mate')
  const team = await mate.api<{ workspace_id: string }>('POST', '/api/v1/workspaces', {
    name: 'Platform team',
  })
  const { user_id } = await person.api<{ user_id: string }>('GET', '/api/v1/auth/me')
  const path = `/api/v1/workspaces/${team.workspace_id}`
  await mate.api('POST', `${path}/members`, { user_id, role: 'editor' })
  const { card_id } = await mate.api<CardAnswer>('POST', '/api/v1/cards', {
    ...SAMPLES[0],
    title: 'Connection pool of the reporting service runs dry',
    workspace_id: team.workspace_id,
  })
  await mate.api('POST', `/api/v1/cards/${card_id}/share`)
  await person.api('POST', '/api/v1/project-context/events', {
    project_key: 'example/shop',
    event_type: 'agent_report',
    title: 'Pool size after the deploy',
    content: 'We raised the `connection pool` from 10 to 20 and the timeout went away.',
  })
  return person
}

test('one box finds own cards, team cards and memory, by keyboard alone, and Back leads back to it', async () => {
  const person = await teamLead()
  const { page } = person
  await openPage(page, '/cards')
  await page.getByText('Most used tags').waitFor()
  await page.keyboard.press('/')
  await page.getByRole('textbox', { name: 'Filter' }).press('Escape')
  await visit(page, '/')
  // The cards that changed last are moved through as hits are.
  await page.getByText('Changed last').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  const recent = page.locator('[data-hit] a')
  await expect.poll(() => recent.nth(1).getAttribute('aria-current')).toBe('page')
  await page.keyboard.press('k')
  const first = (await recent.first().locator('[dir=auto]').textContent()) ?? ''
  await page.getByRole('article').getByRole('heading', { name: first }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/cards/*')
  await visit(page, '/')
  const box = page.getByRole('textbox', { name: 'Search' })
  await box.pressSequentially('connection pool')
  const mine = page.getByRole('list', { name: 'Mine' })
  await mine.getByText('Connection pool exhausted').waitFor()
  await mine.locator('mark').first().waitFor()
  // The second line is the fix; readers who are the usual ones are not named.
  await mine.getByText('Release the client in a finally block').first().waitFor()
  expect(await page.locator('[data-hit]').getByText('Platform team, 2 people').count()).toBe(0)
  const memory = page.getByRole('list', { name: 'Memory' })
  await memory.getByText('example/shop · Only you').waitFor()
  await memory.getByText('We raised the connection pool from 10').waitFor()
  await page.getByRole('article').getByRole('heading', { name: SAMPLES[0].title }).waitFor()
  await settled(page)

  // Enter with the answer on screen does nothing; the arrow chooses, Enter opens.
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).pathname).toBe('/')
  await page.keyboard.press('ArrowDown')
  await page.waitForURL(/card=/)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('list', { name: 'Team' }).locator('[aria-current]').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /reporting service/ }).waitFor()
  await page.goBack()
  await page.getByRole('list', { name: 'Team' }).waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-focus')))
    .toBe('search')
  expect(await box.inputValue()).toBe('connection pool')

  // j, k and ? work once one is not typing; a memory event opens beside the list.
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.getByRole('article').getByText('We raised the connection pool').waitFor()
  await page.keyboard.press('k')
  await page
    .getByRole('article')
    .getByRole('heading', { name: /reporting service/ })
    .waitFor()
  await page.keyboard.press('y')
  await page.getByText('Link copied.').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')

  // On paper goes the open card alone, whole.
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('list', { name: 'Mine' }).isVisible()).toBe(false)
  const inPane = page.getByRole('region', { name: 'Card' })
  expect(await inPane.evaluate((pane) => pane.scrollHeight - pane.clientHeight)).toBe(0)
  await picture(page, 'search-print')
  await page.emulateMedia({ media: 'screen' })

  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'New card' }).waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('placeholder')))
    .toBe('Connection pool exhausted after deploy')
})

test('searches are kept, come back in the empty box and in the palette, and can be switched off', async () => {
  const person = await stage.person('Repeater')
  await fill(person)
  const { page } = person
  await openPage(page, '/?q=signing+key&tags=jwt')
  await page
    .getByRole('list', { name: 'Mine' })
    .getByRole('link', { name: /^Rotate/ })
    .click()
  await page.getByRole('button', { name: 'Save this search' }).click()
  await page.getByRole('button', { name: 'Saved; remove it' }).waitFor()
  await visit(page, '/?q=ENOSPC')
  await page
    .getByRole('list', { name: 'Mine' })
    .getByRole('link', { name: /^Dev server/ })
    .click()
  await settled(page)
  await openPage(page, '/')
  const kept = page.getByRole('region', { name: 'Your searches' })
  await kept.getByRole('button', { name: 'Searched before: ENOSPC' }).waitFor()
  await expectAccessible(page)
  await kept.getByRole('button', { name: /^Saved: signing key/ }).click()
  await page.waitForURL(/tags=jwt/)
  await page.getByRole('list', { name: 'Mine' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Go to, create, find a card').fill('enos')
  await page.getByRole('option', { name: 'Searched before: ENOSPC' }).click()
  await page.waitForURL(/q=ENOSPC/)

  await visit(page, '/settings')
  await switchSetting(page.getByLabel('Keep a history of my searches'), false)
  await page.getByText('Saved.').waitFor()
  await openPage(page, '/')
  await kept.getByRole('button', { name: /^Saved/ }).waitFor()
  expect(await kept.getByRole('button', { name: /^Searched before/ }).count()).toBe(0)
  await kept.getByRole('button', { name: 'Forget signing key' }).click()
  await kept.waitFor({ state: 'detached' })
  await page.locator('main h1:focus').waitFor()
})

test('whole words of two letters and CJK are found, tags are links, and every hit can be reached', async () => {
  const person = await stage.person('Short')
  const { page } = person
  await fill(person)
  for (const title of ['Go modules need a proxy', '展開に失敗する'])
    await person.api('POST', '/api/v1/cards', { ...SAMPLES[5], title })
  for (let i = 0; i < 25; i++)
    await person.api('POST', '/api/v1/cards', { ...SAMPLES[5], title: `Marmot number ${i} of the burrow` })
  await page.setViewportSize({ width: 1280, height: 900 })
  await openPage(page, '/')
  const box = page.getByRole('textbox', { name: 'Search' })
  const mine = page.getByRole('list', { name: 'Mine' })
  for (const [typed, title] of [
    ['Go', 'Go modules need a proxy'],
    ['展開', '展開に失敗する'],
  ] as const) {
    await box.fill(typed)
    await mine.getByRole('link', { name: title }).waitFor()
  }
  await box.fill('marmot burrow')
  await mine
    .getByRole('link', { name: /^Marmot/ })
    .nth(19)
    .waitFor()
  const inSight = await mine
    .getByRole('listitem')
    .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length)
  expect(inSight).toBeGreaterThanOrEqual(9)
  // What did not come is said, and asked for once more.
  const refuse = (route: Route) =>
    route.fulfill({ status: 429, json: { detail: 'Too many requests.', code: 'rate_limited' } })
  await intercept(page, '**/api/v1/search/box', refuse, { times: 1 })
  await page.getByRole('button', { name: '5 more' }).click()
  await page.getByRole('alert').getByText('Too many requests.').waitFor()
  await page.getByRole('button', { name: '5 more' }).click()
  // With the last hits the button goes; the first that came has the focus.
  await mine.getByRole('listitem').nth(20).locator('a:focus').waitFor()
  await mine
    .getByRole('link', { name: /^Marmot/ })
    .nth(24)
    .waitFor()
  const paste = (text: string) =>
    box.evaluate((input, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  await paste(`first line\n${'log '.repeat(10_000)}\nlast line`)
  await expect.poll(() => box.inputValue()).toMatch(/^first line log .{19900,19980} log {2}last line$/)
  // Six characters of the address for each letter: it can still be loaded again.
  await paste('ошибка '.repeat(2800))
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toMatch(/^ошибка/)
  expect(await page.evaluate(() => fetch(location.href).then(({ status }) => status))).toBe(200)
  await box.fill('default database')
  await mine.getByRole('link', { name: 'Only with the tag architecture' }).click()
  await page.waitForURL(/tags=architecture/)
})

test('the library shows its price, is asked only when told to, and one question is paid for once', async () => {
  const author = await stage.account('Author')
  const person = await stage.person('Buyer')
  const [first = ''] = await fill(author)
  await author.api('POST', `/api/v1/cards/${first}/publish`)
  const { page } = person
  const charged = page.getByRole('heading', { name: '5 credits charged' })
  await openPage(page, '/?q=connection+pool+exhausted')
  await page.getByText('Nothing found').waitFor()
  const buy = page.getByRole('button', { name: 'Search the library · 5 credits' })
  await buy.waitFor()
  await page.getByRole('textbox', { name: 'Search' }).press('Enter')
  expect(await balanceOf(person)).toBe(100)
  await buy.press('Enter')
  await page.locator('h2:focus').getByText('5 credits charged').waitFor()
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: '95 credits' }).waitFor()
  await page.keyboard.press('Escape')
  // What was paid for is what is seen: no word about nothing above it, and its best hit open.
  await page.getByText('The library has.').waitFor()
  expect(await page.getByText('Nothing found').count()).toBe(0)
  await page.getByRole('region', { name: 'Card' }).getByRole('heading', { name: SAMPLES[0].title }).waitFor()
  await page.reload()
  await charged.waitFor()
  // A session can end without signing out. The next person in this tab does not see what the first one paid for.
  const [own, next] = [await person.context.cookies(), await stage.person('Next in the tab')]
  // With a request on its way, the app would see the other session, and load itself anew beside the test.
  const goOnAs = async (cookies: typeof own) => {
    await settled(page)
    await person.context.addCookies(cookies)
    await page.reload()
  }
  await goOnAs(await next.context.cookies())
  await buy.waitFor()
  expect(await charged.count()).toBe(0)
  await goOnAs(own)
  await charged.waitFor()
  // Another window of the same session asks the same question, and then a new session: the first answer comes again.
  for (const isNewSession of [false, true]) {
    await page.evaluate(() => sessionStorage.clear())
    if (isNewSession)
      await person.api('POST', '/api/v1/auth/login', { email: person.email, password: PASSWORD })
    await reopenPage(page)
    await buy.click()
    await charged.waitFor()
    expect(await balanceOf(person)).toBe(95)
  }

  // A plan is made from the same hits: it is no other question, here or in another window.
  await visit(page, '/?q=connection+pool+exhausted&plan=true')
  await charged.waitFor()
  await page.evaluate(() => sessionStorage.clear())
  await reopenPage(page)
  await buy.click()
  await charged.waitFor()
  expect(await balanceOf(person)).toBe(95)

  // Somebody without cards of their own finds their searches in the empty box.
  await visit(page, '/')
  await page.getByText('Your vault is empty').waitFor()
  await page.getByRole('button', { name: 'Searched before: connection pool exhausted' }).waitFor()
  await page.getByRole('button', { name: 'Clear the history' }).click()
  await page.locator('main h1:focus').waitFor()

  await visit(page, '/?q=zzqx+unheard-of+flurbification')
  await buy.click()
  await page.getByRole('heading', { name: '0 · nothing charged' }).waitFor()
  expect(await page.getByText('ask the library').count()).toBe(0)
  expect(await balanceOf(person)).toBe(95)

  for (let spent = 0; spent < 95; spent += 5)
    await person.api('POST', '/api/v1/search', { query: 'connection pool exhausted', scope: 'public' })
  await visit(page, '/?q=pool+exhausted+deploy')
  await buy.click()
  await page.getByRole('alert').getByText('Nothing was charged.').waitFor()
  await page.getByRole('link', { name: 'Get credits' }).click()
  await page.waitForURL(/\/billing/)
})

test('a mistyped word is corrected in plain sight, and searched as it is after one click', async () => {
  const person = await stage.person('Typist')
  await fill(person)
  const { page } = person
  // A word is known for misspellings about a second after it was first used.
  const back = page.getByRole('button', { name: 'search for conection instead' })
  await expect
    .poll(
      async () => {
        await openPage(page, '/?q=conection+pool+exhausted')
        await page.getByRole('list', { name: 'Mine' }).getByRole('link').first().waitFor()
        return back.count()
      },
      { timeout: 15_000 },
    )
    .toBe(1)
  await expectAccessible(page)
  await back.click()
  await back.waitFor({ state: 'detached' })
  // No card has the word, so those with the other words are shown.
  await page.getByRole('list', { name: 'Mine' }).getByRole('link').first().waitFor()
  expect(await page.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('+"conection" pool exhausted')
})

test('filters narrow the search and stand in the address; an action card joins the best hits', async () => {
  const person = await stage.person('Filterer')
  await fill(person)
  const { page } = person
  await openPage(page, '/?q=default+database+machine+linux')
  const mine = page.getByRole('list', { name: 'Mine' })
  await mine.getByRole('listitem').nth(1).waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  const environment = page.getByLabel('Environment')
  await environment.fill('vite')
  await page.keyboard.press('Enter')
  await page.getByText('Write it as name: version').waitFor()
  await environment.fill('vite 99')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Drop the filters' }).click()
  await mine.getByRole('listitem').nth(1).waitFor()
  await page.locator('main h1:focus').waitFor()
  expect(await environment.inputValue()).toBe('')
  await environment.fill('vite: 8')
  await page.keyboard.press('Enter')
  await page.getByText('1 result').first().waitFor()
  expect(await mine.textContent()).toContain('ENOSPC')
  expect(page.url()).toContain('env=')
  await expectAccessible(page)
  // Enter in the box opens the chosen hit, also while the filters are open.
  await page.getByRole('textbox', { name: 'Search' }).press('ArrowDown')
  await page.waitForURL(/card=/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/cards/*')
  await visit(page, '/?q=rotate+signing+key&plan=true')
  const plan = page.getByRole('article')
  await plan.getByText('Action card').waitFor()
  expect(await plan.getByRole('listitem').count()).toBeGreaterThan(0)
  await settled(page)
  await expectAccessible(page)
})

test('whoever goes on while the box still waits for more letters stays where they go', async () => {
  const { page } = await stage.person('In a hurry')
  await openPage(page, '/')
  await page.getByRole('textbox', { name: 'Search' }).fill('pool')
  // The wait ends while the next page is not drawn yet, as on a busy machine.
  await page.evaluate(() => {
    type Router = { history: { push: (path: string) => void } }
    const { history } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__
    history.push('/cards')
    for (const until = performance.now() + 300; performance.now() < until; );
  })
  await page.getByRole('heading', { name: 'My cards' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/cards')
})

/** Whether the line around it, which is cut where it ends, shows all of it. Runs in the page. */
const isInSight = (mark: Element): boolean => {
  const line = mark.parentElement?.getBoundingClientRect()
  return line !== undefined && mark.getBoundingClientRect().right <= line.right
}

test('on a phone a hit opens as a page of its own, and back returns to the hit', async () => {
  const person = await stage.person('Commuter', { width: 360, height: 740 })
  const [first = ''] = await fill(person)
  const { page } = person
  // Somebody at a desk has sent the address, with the card that is open beside the list there.
  await page.goto(`/?q=connection+pool&card=${first}`)
  await page.getByRole('heading', { level: 1, name: SAMPLES[0].title }).waitFor()
  await openPage(page, '/?q=connection+pool')
  const mine = page.getByRole('list', { name: 'Mine' })
  const fix = mine.getByText('Release the client').first()
  expect(await fix.evaluate(isInSight)).toBe(true)
  await mine.getByRole('link', { name: /^Connection/ }).click()
  await page.getByRole('heading', { level: 1, name: SAMPLES[0].title }).waitFor()
  await page.goBack()
  await page.getByRole('list', { name: 'Mine' }).waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-focus')))
    .toMatch(/^card-/)
})

test('home, hits, and nothing found, in both sizes and themes', async () => {
  const person = await teamLead()
  await person.api('POST', '/api/v1/searches/saved', { query: 'connection pool', name: 'Pools' })
  await lookAround(person, [
    ['/', 'home', 'Changed last'],
    ['/?q=connection+pool+timeout', 'search', 'Connection pool exhausted'],
    ['/?q=zzqx+flurbification', 'search-nothing', 'Nothing found'],
  ])
})

test('the first page is asked for once, before the app itself runs; a stranger is asked who they are and no more', async () => {
  const person = await stage.person('First sight')
  const [card = ''] = await fill(person)
  const { page } = person
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const data = () => asked.filter((one) => one.includes('/api/v1/'))
  await page.goto(`/?q=connection+pool&card=${card}`)
  await page.getByRole('article').getByText('Connection pool exhausted').first().waitFor()
  await page.getByRole('list', { name: 'Mine' }).waitFor()
  const first = ['GET /api/v1/auth/me', 'POST /api/v1/search/box', `GET /api/v1/cards/${card}`]
  expect(data().filter((one) => first.includes(one))).toEqual(first)
  // The files that show a card come with the page, and none of them twice.
  const files = asked.filter((one) => one.includes('/assets/'))
  expect(files.length).toBe(new Set(files).size)

  asked.length = 0
  await page.goto('/')
  await page.getByText('Changed last').waitFor()
  const home = ['GET /api/v1/auth/me', 'GET /api/v1/cases']
  expect(data().filter((one) => home.includes(one))).toEqual(home)

  const stranger = (await stage.window()).page
  const askedByStranger: string[] = []
  stranger.on('request', (request) => askedByStranger.push(new URL(request.url()).pathname))
  await stranger.goto('/')
  await stranger.getByRole('link', { name: 'Sign in' }).first().waitFor()
  expect(askedByStranger.filter((path) => path.startsWith('/api/'))).toEqual(['/api/v1/auth/me'])
})
