import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { lookAround, picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { type Account, openStage, type Person } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()
type CardAnswer = { card_id: string }

async function cardsOf(person: Account): Promise<string[]> {
  const ids: string[] = []
  for (const sample of SAMPLES)
    ids.push((await person.api<CardAnswer>('POST', '/api/v1/cards', sample)).card_id)
  return ids
}

let library: Promise<void> | undefined

/** The library takes each card once, so one author fills it for all tests of this file. */
async function fillLibrary(): Promise<void> {
  const author = await stage.account('Author')
  for (const id of (await cardsOf(author)).slice(0, 4))
    await author.api('POST', `/api/v1/cards/${id}/publish`)
}

async function withCards(name: string): Promise<Person> {
  library ??= fillLibrary()
  await library
  const person = await stage.person(name)
  const ids = await cardsOf(person)
  for (const id of [ids[0], ids[3]]) await person.api('POST', `/api/v1/cards/${id}/share`)
  return person
}

test('the pages for anybody, in both sizes and themes', async () => {
  await lookAround(await stage.window(), [
    ['/sign-in', 'sign-in', 'Forgot it?'],
    ['/sign-up', 'sign-up', 'At least 8 characters.'],
    ['/reset', 'reset', 'This server sends no mail.'],
    ['/verify?token=a-token-from-a-mail', 'verify', 'Confirm your e-mail address'],
    ['/no-such-page', 'not-found', 'No page at this address'],
  ])
})

/** A card of a team, with names as long as they may be and without a space. */
async function cardWithLongNames(person: Person): Promise<string> {
  const { workspace_id } = await person.api<{ workspace_id: string }>('POST', '/api/v1/workspaces', {
    name: 'PlatformTeam'.repeat(10),
  })
  const { card_id } = await person.api<CardAnswer>('POST', '/api/v1/cards', {
    ...SAMPLES[0],
    body: '# What the log says\n\nThe pool is empty.',
    workspace_id,
    environment: { ['ENVIRONMENT_'.repeat(16)]: '20.11' },
  })
  await person.api('PATCH', `/api/v1/cards/${card_id}`, {
    root_cause: `${SAMPLES[0].root_cause} It came back in June, after a new call site was added.`,
  })
  return card_id
}

test('the first pages, and the pages of cards, in both sizes and themes', async () => {
  const person = await withCards('Team lead')
  const cardId = await cardWithLongNames(person)
  await lookAround(person, [
    ['/welcome', 'welcome', 'What do you want first?'],
    ['/connect', 'connect', 'Create a key'],
    ['/cards', 'my-cards', 'Most used tags'],
    ['/library', 'library', 'Connection pool exhausted'],
    ['/cards/new', 'card-new', 'What the library asks for'],
    [`/cards/${cardId}`, 'card', 'Root cause'],
    [`/cards/${cardId}/edit`, 'card-edit', 'What the library asks for'],
    [`/cards/${cardId}/history`, 'card-history', 'What version 2 changed'],
  ])
})

test('pages without anything in them say what belongs there', async () => {
  await lookAround(await stage.newcomer('Newcomer'), [
    ['/', 'home-empty', 'Your vault is empty'],
    ['/cards', 'my-cards-empty', 'No cards yet'],
    ['/cards/0190a000-0000-7000-8000-000000000000', 'card-missing', 'Not found'],
  ])
})

/** What a screen reader is told of a page that was opened; scripts do not see it. */
async function saidTitle(page: Page): Promise<string | undefined> {
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  await devtools.detach()
  const isLive = (id?: string) =>
    nodes
      .find(({ nodeId }) => nodeId === id)
      ?.properties?.some(({ name, value }) => name === 'live' && value.value === 'polite')
  return nodes.find(({ role, parentId }) => role?.value === 'StaticText' && isLive(parentId))?.name?.value
}

test('the palette goes everywhere and the keys are listed', async () => {
  const person = await withCards('Keyboarder')
  const { page } = person
  await openPage(page, '/cards')
  await page.getByText('Most used tags').waitFor()
  await page.keyboard.press('Control+k')
  // Typed where the focus is, as a person does.
  await page.getByPlaceholder('Go to, create, find a card').waitFor()
  await page.keyboard.type('connection pool')
  await page.getByRole('option', { name: /^Connection pool exhausted/ }).waitFor()
  // Hits that come late go below: what is chosen stays chosen, and stays where it is.
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await intercept(page, '**/api/v1/search/box*', async (route) => {
    asked.resolve()
    await answered.promise
    await route.continue()
  })
  await page.getByPlaceholder('Go to, create, find a card').fill('pool')
  await asked.promise
  const chosen = page.getByRole('dialog').getByRole('option', { selected: true })
  const [words, box] = [await chosen.textContent(), await chosen.boundingBox()]
  expect(words).toBe('Search for “pool”')
  const said = () => page.getByRole('combobox', { expanded: true }).getAttribute('aria-activedescendant')
  expect(await said()).toBe(await chosen.getAttribute('id'))
  answered.resolve()
  await page.getByRole('option', { name: /^Connection pool exhausted/ }).waitFor()
  expect([await chosen.textContent(), await chosen.boundingBox()]).toEqual([words, box])
  await page.unrouteAll()
  await page.getByPlaceholder('Go to, create, find a card').fill('libr')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Library' }).waitFor()
  await page.locator('main:focus').waitFor()
  await expect.poll(() => saidTitle(page)).toBe('Library')
  await page.getByRole('link', { name: 'Memory' }).click()
  await page.locator('main:focus').waitFor()
  await expect.poll(() => saidTitle(page)).toBe('Agent Memory')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'New card' }).waitFor()
  await page.locator('input:focus').waitFor()
  await expect.poll(() => saidTitle(page)).toBe('New card')
  await visit(page, '/no-such-page')
  expect(await page.title()).toBe('No page at this address · Knowledge Vault')
})

test('what stands for a card while it loads begins where the card will', async () => {
  const person = await stage.person('Waiting reader', { width: 1440, height: 900 })
  const [id] = await cardsOf(person)
  const { page } = person
  await openPage(page, '/cards')
  const held = Promise.withResolvers<Route>()
  await intercept(page, `**/api/v1/cards/${id}?*`, held.resolve)
  await page.evaluate((path) => history.pushState(null, '', path), `/cards/${id}`)
  // Asked for by the page of the card, so what stands there now stands for the card.
  const route = await held.promise
  const loading = await page.getByRole('status', { name: 'Loading' }).boundingBox()
  await route.continue()
  expect(loading?.x).toBe((await page.getByRole('article').boundingBox())?.x)
})

test('in a low window the account menu stays in view', async () => {
  const { page } = await stage.newcomer('Laptop owner', { width: 1280, height: 600 })
  await openPage(page, '/cards')
  await page.getByText('First steps').first().waitFor()
  const box = await page.getByRole('button', { name: 'Account Laptop owner' }).boundingBox()
  expect((box?.y ?? 600) + (box?.height ?? 0)).toBeLessThanOrEqual(600)
})

test('lists move by j and k and open by Enter', async () => {
  const person = await withCards('Mover')
  const { page } = person
  await openPage(page, '/cards')
  await page.getByRole('list', { name: 'Cards', exact: true }).waitFor()
  await settled(page)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await page.getByRole('article').waitFor()
  const opened = new URL(page.url()).pathname
  await page.goBack()
  const first = await page
    .getByRole('list', { name: 'Cards', exact: true })
    .getByRole('link')
    .first()
    .getAttribute('href')
  expect(opened).toBe(first)
  // The button that drops the filters goes with them.
  for (const path of ['/cards', '/library']) {
    await visit(page, `${path}?q=flurbification`)
    await page.getByRole('button', { name: 'Drop the filters' }).click()
    await page.locator('main h1:focus').waitFor()
  }
})

test('the chosen theme stays after a reload', async () => {
  const { page } = await stage.person('Night owl')
  await openPage(page, '/cards')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'Dark' }).click()
  await page.reload()
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
})

test('an answer that the server cannot give is explained with its request id', async () => {
  const { page } = await stage.person('Unlucky')
  await intercept(page, '**/api/v1/cases?*', (route) =>
    route.fulfill({
      // A 503 would be asked for again, for three seconds.
      status: 500,
      headers: { 'x-request-id': 'the-request-id' },
      json: { detail: 'Something went wrong here.', code: 'internal_error' },
    }),
  )
  await openPage(page, '/cards')
  await page.getByText('Request the-request-id').waitFor()
  await page.getByText('Your data is safe').waitFor()
  await page.unroute('**/api/v1/cases?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No cards yet').waitFor()
})

test('with texts at twice their size on a phone nothing runs out of sight', async () => {
  // As 400 pixels are where the letters are twice as large.
  const { page, api } = await stage.person('Far-sighted', { width: 200 })
  const tags = ['a-tag-as-long-as-the-longest-word-of-german']
  const { card_id } = await api<CardAnswer>('POST', '/api/v1/cards', { ...SAMPLES[0], tags })
  await api('POST', `/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })
  // What only a card has that many people used.
  await intercept(page, '**/search/box', async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    Object.assign(answer.mine.results[0].trust, { worked: 12, failed: 3, stale: 2 })
    await route.fulfill({ response, json: answer })
  })
  for (const path of ['/?q=pool', '/settings', '/moderation', '/cards', `/cards/${card_id}`]) {
    await openPage(page, path)
    await settled(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(200)
  }
  await picture(page, 'twice-as-large')
  expect(await page.getByRole('link', { name: 'Drafts', exact: true }).isVisible()).toBe(true)
  // Each page in the bar at the bottom keeps to its own part of it.
  const ends = await page.getByRole('navigation', { name: 'Main' }).evaluate((bar) =>
    [...bar.children].map((part) => {
      const drawn = document.createRange()
      drawn.selectNodeContents(part)
      const { left, right } = drawn.getBoundingClientRect()
      return { left, right }
    }),
  )
  for (const [at, { left }] of ends.entries())
    if (at > 0) expect(left).toBeGreaterThan(ends[at - 1]?.right ?? 0)
  // A row of a list has room for its name, and a hit for its title beside what came of the card.
  await visit(page, '/?q=pool')
  const hit = page.getByRole('list', { name: 'Mine' }).getByRole('listitem')
  await hit.getByText('Worked for 12, failed for 3, outdated for 2').waitFor()
  expect((await hit.getByRole('link', { name: SAMPLES[0].title }).boundingBox())?.width).toBeGreaterThan(50)
  await visit(page, '/workspaces')
  const name = await page.getByRole('listitem').getByText('Personal', { exact: true }).boundingBox()
  expect(name?.width).toBeGreaterThan(50)
})

test('a title that is written from right to left shows its beginning, and a long word stays in its column', async () => {
  const { page, api } = await stage.person('Reader', { width: 360, height: 740 })
  const { workspace_id } = await api<CardAnswer>('POST', '/api/v1/workspaces', { name: 'Team' })
  for (const title of [
    'فشل الاتصال بقاعدة البيانات بعد النشر '.repeat(4),
    'Donaudampfschifffahrt'.repeat(6),
  ]) {
    const { card_id } = await api<CardAnswer>('POST', '/api/v1/cards', { ...SAMPLES[0], title, workspace_id })
    await api('POST', `/api/v1/cards/${card_id}/share`)
  }
  for (const path of ['/', '/cards', '/?q=pool']) {
    await openPage(page, path)
    await page.getByText('فشل').first().waitFor()
    const first = await page
      .getByText('فشل')
      .first()
      .evaluate((title) => {
        const letter = document.createRange()
        letter.setStart(title.firstChild as Text, 0)
        letter.setEnd(title.firstChild as Text, 1)
        return letter.getBoundingClientRect().right
      })
    expect(first, path).toBeLessThanOrEqual(360)
  }
  await picture(page, 'right-to-left')
  await openPage(page, `/workspaces/${workspace_id}?tab=audit`)
  const table = page.getByRole('table')
  await table.waitFor()
  expect((await table.boundingBox())?.width).toBeLessThanOrEqual(360)
})

test('what is open over a page does not stay over the page before it', async () => {
  const { page } = await stage.person('Keyboarder')
  await openPage(page, '/cards')
  for (const key of ['Control+k', '?']) {
    await visit(page, '/library')
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'My cards' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})
