import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { makeAdmin } from '../support/admin.ts'
import { goodCard } from '../support/cards.ts'
import { judgeThreeSizes, picture, sideways } from './pictures.ts'
import { settled } from './settled.ts'
import { openStage, PASSWORD, type Person } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage({ PUBLIC_PAGES: 'on' })

const recordedBy = async (person: Person, more: Record<string, unknown> = {}) =>
  (await person.api<{ card_id: string; title: string }>('POST', '/api/v1/cards', {
    ...goodCard(),
    ...more,
  })) as {
    card_id: string
    title: string
  }

test('a stranger can read what the vault is, and what is public, without an account', async () => {
  const author = await stage.person('Author')
  const card = await recordedBy(author, { tags: ['locks'], environment: { node: '24.1' } })
  await author.api('POST', `/api/v1/cards/${card.card_id}/publish`)
  const secret = await recordedBy(author, { title: 'The private plan of the whole company' })

  const { page } = await stage.window()
  await page.goto('/')
  await page.getByRole('heading', { name: 'Nobody solves the same problem twice' }).waitFor()
  expect(await page.title()).toBe('Knowledge Vault')
  await judgeThreeSizes(page, 'landing')
  await page.getByRole('link', { name: 'Read the Public Library' }).click()
  await page.getByRole('heading', { name: 'Public Library' }).waitFor()
  await judgeThreeSizes(page, 'public-library')
  await page.getByRole('link', { name: card.title }).click()
  await page.getByRole('heading', { name: 'Root cause' }).waitFor()
  expect(await page.title()).toBe(`${card.title} · Knowledge Vault`)
  await judgeThreeSizes(page, 'public-card')
  // Lines stay lines, and paper gets dark text alone.
  const text = page.locator('article section p').first()
  expect(await text.evaluate((one) => getComputedStyle(one).whiteSpace)).toBe('pre-line')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0)
  expect(await text.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(26, 29, 36)')
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light')
  await picture(page, 'public-card-print')
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  await page.getByRole('link', { name: 'Open in the web app' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  // A program that previews a link learns nothing of a private card, not even that there is one.
  const preview = async (path: string) =>
    (await fetch(stage.base + path, { headers: { accept: '*/*' } })).text()
  const hidden = await preview(`/cards/${secret.card_id}`)
  expect(hidden).toContain('<meta property="og:title" content="A card in Knowledge Vault"')
  expect(hidden).toContain('<title>A card in Knowledge Vault</title>')
  expect(hidden).toBe(await preview('/cards/01890000-0000-7000-8000-000000000000'))
  expect(await preview(`/library/${secret.card_id}`)).toBe(await preview('/library/none'))

  // Whoever is signed in stays in the web app.
  await author.page.goto(`/library/${card.card_id}`)
  await author.page.getByRole('heading', { level: 1, name: card.title }).waitFor()
  expect(new URL(author.page.url()).pathname).toBe(`/cards/${card.card_id}`)
  await author.page.getByRole('list', { name: 'Tags' }).getByRole('link', { name: 'locks' }).click()
  await author.page.waitForURL('**/library?tag=locks')
  await author.page.getByRole('main').getByRole('link', { name: card.title }).waitFor()
})

test('the answers choose what comes first, and the first steps tick themselves off', async () => {
  const { page, context } = await stage.window()
  await openPage(page, '/sign-up')
  await page.getByLabel('E-mail').fill('newcomer@example.com')
  // The name that the address proposes gives way to what is typed.
  await page.getByLabel('Name').click()
  expect(await page.getByLabel('Name').getAttribute('placeholder')).toBe('newcomer')
  await page.keyboard.type('Newcomer')
  expect(await page.getByLabel('Name').inputValue()).toBe('Newcomer')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Cursor').click()
  await page.getByText('Give my agent memory').click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Connect your agent' }).waitFor()
  expect(await page.getByRole('tab', { name: 'Cursor' }).getAttribute('aria-selected')).toBe('true')

  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('0 of 5').waitFor()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await steps.getByText('1 of 5').waitFor()
  const key = (await page.getByText(/^kv_[\w-]{40}$/).textContent()) ?? ''
  const agent = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const call = (path: string, body: unknown) =>
    fetch(stage.base + path, { method: 'POST', headers: agent, body: JSON.stringify(body) })
  expect((await call('/api/v1/search', { query: 'pool exhausted' })).status).toBe(200)
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await steps.getByText('3 of 5').waitFor()
  await judgeThreeSizes(page, 'first-steps')
  await page.setViewportSize({ width: 1280, height: 800 })

  // The page below offers the same as soon as it knows that there are no cards.
  await page.getByRole('main').getByRole('button', { name: 'Add sample cards' }).first().click()
  await page.getByText('4 sample cards added. Only you see them.').waitFor()
  await page.getByText('Connection pool exhausted after a deploy').first().waitFor()
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.getByText('4 sample cards among yours').waitFor()
  await steps.getByText('3 of 5').waitFor()
  await judgeThreeSizes(page, 'sample-cards')
  await page.getByRole('main').getByRole('button', { name: 'Remove sample cards' }).press('Enter')
  await page.getByText('4 sample cards removed.').waitFor()
  await page.getByText('No cards yet').waitFor()
  await page.locator('main h1:focus').waitFor()

  expect((await call('/api/v1/cards', goodCard())).status).toBe(201)
  const web = { headers: { 'X-Requested-With': 'kvault-web' } }
  const made = await context.request.post(`${stage.base}/api/v1/workspaces`, {
    ...web,
    data: { name: 'Team' },
  })
  const { workspace_id } = await made.json()
  const mate = { email: 'mate@example.com', role: 'viewer' }
  await context.request.post(`${stage.base}/api/v1/workspaces/${workspace_id}/invites`, {
    ...web,
    data: mate,
  })
  await page.setViewportSize({ width: 1280, height: 800 })
  await reopenPage(page)
  await page.getByRole('link', { name: 'Home', exact: true }).waitFor()
  await settled(page)
  expect(await steps.count()).toBe(0)
})

test('the list can be put away, and stays away', async () => {
  const { page } = await stage.newcomer('Impatient')
  const asked: string[] = []
  const note = (request: Request) => asked.push(request.url())
  page.on('request', note)
  await openPage(page, '/')
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.waitFor()
  await settled(page)
  page.off('request', note)
  expect(asked.filter((url) => url.endsWith('/first-steps')).length, 'asked for once').toBe(1)
  await steps.getByRole('button', { name: 'Put the first steps away' }).click()
  await steps.waitFor({ state: 'detached' })
  await reopenPage(page)
  await page.getByRole('link', { name: 'Connect your agent' }).first().waitFor()
  await settled(page)
  expect(await steps.count()).toBe(0)
})

test('an exchange in memory becomes a card that leads back to it', async () => {
  const person = await stage.person('Rememberer')
  const { page } = person
  await person.api('POST', '/api/v1/project-context/turns', {
    project_key: 'acme/shop',
    user_message: 'The import fails with ECONNREFUSED after the upgrade of the database.',
    agent_report:
      '## Cause\nThe socket moved to another folder.\n\n## Fix\nSet the new path of the socket in the configuration of the pool.',
  })
  await openPage(page, '/memory/project?key=acme%2Fshop')
  const exchange = page.getByRole('button', { name: /The import fails/ })
  await exchange.waitFor()
  if ((await exchange.getAttribute('aria-expanded')) === 'false') await exchange.click()
  await page.getByRole('link', { name: 'Make a card' }).waitFor()
  await judgeThreeSizes(page, 'memory-make-card')
  await page.getByRole('link', { name: 'Make a card' }).click()
  await page.getByText('Filled in from').waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe(
    'The import fails with ECONNREFUSED after the upgrade of the database',
  )
  expect(await page.getByRole('textbox', { name: 'Root cause' }).inputValue()).toBe(
    'The socket moved to another folder.',
  )
  await judgeThreeSizes(page, 'card-from-memory')
  await page.getByRole('button', { name: 'Save card' }).click()
  await page.getByRole('link', { name: 'open the exchange' }).waitFor()
  await page.getByRole('link', { name: 'from your memory' }).click()
  await page.getByRole('heading', { name: 'An exchange' }).waitFor()
  await page.getByText('The socket moved to another folder.').waitFor()
  await judgeThreeSizes(page, 'memory-event')

  await visit(page, '/memory/project?key=acme%2Fshop&q=ECONNREFUSED')
  await page.getByRole('button', { name: /Turn/ }).click()
  await page.getByRole('link', { name: 'Make a card' }).waitFor()
})

test('an empty editor is calm, and says what is missing once there are words', async () => {
  const { page } = await stage.person('Writer')
  await openPage(page, '/cards/new')
  await page.getByText('What the library asks for').click()
  expect(await page.getByLabel('Missing:').count()).toBe(0)
  // pages.test.ts looks at it on a wide screen and a phone.
  await page.setViewportSize({ width: 768, height: 1024 })
  expect(await sideways(page)).toBe(0)
  await page.getByLabel('Title').fill('Something about a pool that is empty')
  await page.getByText('Not ready to publish yet').waitFor()
  expect(await page.getByLabel('Missing:').count()).toBeGreaterThan(0)
})

test('the guide is inside the app, can be searched, and shows the address of the vault', async () => {
  const { page } = await stage.person('Reader')
  await openPage(page, '/guide')
  await page.getByRole('heading', { level: 1, name: 'Guide' }).waitFor()
  await judgeThreeSizes(page, 'guide')
  await page.getByLabel('Search the guide').fill('one command connects agents')
  await page.getByRole('list', { name: 'Sections found' }).getByRole('link').first().waitFor()
  // Its own link leads back to all pages.
  await visit(page, '/guide')
  await page.getByRole('list', { name: 'Start here' }).waitFor()
  await settled(page)
  expect(await page.getByLabel('Search the guide').inputValue()).toBe('')
  expect(new URL(page.url()).search).toBe('')
  await visit(page, '/guide/nope')
  await page.getByText('The guide has no such page.').waitFor()
  await visit(page, '/cards/not-an-id')
  await page.getByText('Nothing has this address.').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await visit(page, '/guide/clients')
  await page.getByRole('heading', { level: 1, name: 'Connect your agent' }).waitFor()
  await page.getByText(`npx -y ${stage.base}/kvault.tgz connect`).first().waitFor()
  expect(await page.getByRole('main').textContent()).not.toContain('{base_url}')
  // Its source is wrapped at a width of its own.
  expect(await page.locator('main br').count()).toBe(0)
  await judgeThreeSizes(page, 'guide-page')
  await visit(page, '/guide/web-app#support')
  await page.getByRole('heading', { name: 'Support', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Verdicts and trust' }).click()
  await page.waitForURL('**/guide/trust')
})

test('the chat tells somebody in the web app what to click, and a ticket is answered there', async () => {
  const person = await stage.person('Asker')
  const { page } = person
  await openPage(page, '/support')
  await page.getByLabel('Your question').fill('How do I invite somebody to my team?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page
    .getByRole('list', { name: 'Conversation' })
    .getByRole('link', { name: /The web app: Team/ })
    .waitFor()
  expect(await page.getByRole('list', { name: 'Conversation' }).textContent()).not.toContain('/api/v1/')

  await page.getByRole('tab', { name: 'Write to us' }).click()
  await page.getByLabel('Subject').fill('It does not start')
  await page.getByLabel('Message').fill('Port 8080 is in use.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('tab', { name: 'My tickets' }).click()
  await page.getByRole('link', { name: /It does not start/ }).click()
  await page.getByRole('heading', { level: 1, name: 'It does not start' }).waitFor()
  const ticket = new URL(page.url()).pathname.split('/').at(-1)

  const admin = await stage.person('Operator')
  await makeAdmin(stage.app, admin.email)
  await openPage(admin.page, `/admin/tickets/${ticket}`)
  await admin.page.getByLabel('Your reply').fill('Set PORT to another number.')
  await admin.page.getByRole('button', { name: 'Send reply' }).click()
  await admin.page.getByRole('list', { name: 'Replies' }).getByText('Set PORT').waitFor()
  await admin.page.locator('textarea:focus').waitFor()

  await openPage(page, '/inbox')
  await page.getByText('Support answered your ticket').waitFor()
  await page.getByRole('link', { name: 'Support answered your ticket' }).click()
  await page.getByRole('link', { name: /1 reply/ }).click()
  await page.getByText('Set PORT to another number.').waitFor()
  await page.getByLabel('Your reply').fill('Thanks, it starts.')
  await page.getByRole('button', { name: 'Send reply' }).click()
  await page.getByRole('list', { name: 'Replies' }).getByText('Thanks, it starts.').waitFor()
  await judgeThreeSizes(page, 'ticket')
})

test('one session is ended among others', async () => {
  const person = await stage.person('Traveller')
  const { email } = person
  const login = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
  await fetch(`${stage.base}/api/v1/auth/login`, {
    ...login,
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  const { page } = person
  await openPage(page, '/settings?tab=account')
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await sessions.nth(1).waitFor()
  await page.getByRole('button', { name: /^End the session/ }).click()
  await page.getByText('That session is over.').waitFor()
  await sessions.nth(1).waitFor({ state: 'detached' })
  await page.locator('main h1:focus').waitFor()
})

test('small things: a key is not lost, a bad link is explained, a title names the card, two clicks are one', async () => {
  const person = await stage.person('Clicker')
  const { page } = person
  await openPage(page, '/settings?tab=keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('laptop')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(4, 4)
  await page.getByText(/^kv_[\w-]{40}$/).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()

  await visit(page, '/invite/not-a-token')
  await page.getByText('This link leads to no invitation.').waitFor()

  const card = await recordedBy(person)
  await visit(page, `/?card=${card.card_id}`)
  await page.getByRole('heading', { level: 2, name: card.title }).waitFor()
  expect(await page.title()).toBe(`${card.title} · Knowledge Vault`)
  await recordedBy(person, {
    title: 'Walrus service does not start',
    fix_summary: 'Start it by hand:\n\n```sh\nsystemctl start walrus\n```',
  })
  await visit(page, '/?q=walrus%20service%20start&plan=true')
  await page.locator('article pre', { hasText: 'systemctl start walrus' }).first().waitFor()
  expect(await page.getByRole('article').textContent()).not.toContain('```')
  await visit(page, '/cards?page=99')
  await page.getByRole('link', { name: new RegExp(card.title) }).waitFor()

  await visit(page, '/workspaces')
  await page.getByRole('button', { name: 'New workspace' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Twice')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v1/workspaces')) sent++
  })
  await page.evaluate(() => {
    const button = document.querySelector<HTMLButtonElement>('dialog button[type=submit]')
    button?.click()
    button?.click()
  })
  await page.getByRole('heading', { level: 1, name: 'Twice' }).waitFor()
  expect(sent).toBe(1)

  const { page: stranger } = await stage.window()
  await openPage(stranger, '/reset')
  await stranger.getByText('This server sends no mail.').waitFor()
  expect(await stranger.getByRole('button', { name: 'Send the link' }).count()).toBe(0)
})
