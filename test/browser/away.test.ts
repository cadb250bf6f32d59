import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { breakCanvasOnce } from './broken-canvas.ts'
import { intercept } from './intercept.ts'
import { picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { openStage, PASSWORD } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()

const AWAY = 'The server cannot be reached. What is on the page stays'

test('while the server is away the frame stays, and pages come back by themselves', async () => {
  const { page, context } = await stage.person('Traveller')
  await page.goto('/')
  await settled(page)
  await context.setOffline(true)
  await page.getByText(AWAY).waitFor()
  await page.getByRole('link', { name: 'Memory' }).first().click()
  // Each part says so, if an earlier test has left the script of the page in the window's cache.
  await page.getByText('This page loads by itself when it is back.').first().waitFor()
  expect(await page.getByRole('link', { name: 'Cards', exact: true }).first().isVisible()).toBe(true)
  await expectAccessible(page)
  await picture(page, 'away-1280')
  await context.setOffline(false)
  await page.getByRole('heading', { name: /Memory/ }).waitFor()
  await page.getByText(AWAY).waitFor({ state: 'detached' })
})

test('the line about it is seen wherever a person reads', async () => {
  const { page, context, api } = await stage.person('Reader')
  const body = 'One more line.\n\n'.repeat(100)
  const { card_id } = await api<{ card_id: string }>('POST', '/api/v1/cards', { ...SAMPLES[0], body })
  await page.goto(`/cards/${card_id}`)
  await settled(page)
  await page.evaluate(() => scrollTo(0, 1500))
  await context.setOffline(true)
  await page.getByText(AWAY).waitFor()
  expect((await page.getByText(AWAY).boundingBox())?.y).toBe(0)
  await context.setOffline(false)
  await page.getByText(AWAY).waitFor({ state: 'detached' })
})

test('a card that is saved while the server is away waits, and is saved once', async () => {
  const { page, context, api } = await stage.person('Writer', { width: 390, height: 800 })
  await page.goto('/cards/new')
  await page.getByLabel('Title').fill('Written on a train')
  await page.getByRole('textbox', { name: 'Symptom' }).fill('The tunnel has no network at all.')
  await page.getByRole('textbox', { name: 'Fix' }).fill('Wait for the end of the tunnel.')
  await settled(page)
  // The first try gets through to the server, and only its answer is lost.
  await intercept(page, '**/api/v1/cards', async (route) => {
    await route.fetch()
    await context.setOffline(true)
    await route.abort('internetdisconnected')
    await page.unroute('**/api/v1/cards')
  })
  await page.getByRole('button', { name: 'Save card' }).click()
  await page.getByText('Your text waits here and is saved once').waitFor()
  await page.getByRole('button', { name: 'Waiting for the server' }).waitFor()
  await picture(page, 'away-saving-390')
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Written on a train' }).waitFor()
  const { total } = await api<{ total: number }>('GET', '/api/v1/cards')
  expect(total).toBe(1)
})

test('a reload while the server is away shows the app, not an error of the browser', async () => {
  const { page, context } = await stage.person('Reloader', { worker: true })
  await page.goto('/cards')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await expect
    .poll(() => page.evaluate(async () => (await caches.match('/app-shell')) !== undefined))
    .toBe(true)
  await page.reload()
  await settled(page)
  const kept = await page.evaluate(async () => {
    const cache = await caches.open('kvault-shell')
    return (await cache.keys()).map((request) => new URL(request.url).pathname)
  })
  expect(kept.filter((path) => path.startsWith('/api'))).toEqual([])
  await context.setOffline(true)
  await page.reload()
  await page.getByText('This page loads by itself when it is back.').waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'My cards' }).waitFor()
})

test('an error in a page, in a part of one or in a chart leaves everything around it', async () => {
  const { page, problems } = await stage.window()
  const headers = { 'X-Session': 'cookie', 'X-Requested-With': 'kvault-web' }
  const post = async (path: string, data: object) =>
    (await page.request.post(`${stage.base}/api/v1${path}`, { headers, data })).json()
  await post('/auth/register', { email: 'unlucky@example.com', password: PASSWORD, display_name: 'Unlucky' })
  const { card_id } = await post('/cards', SAMPLES[0])
  const frame = page.getByRole('link', { name: 'Cards', exact: true }).first()

  await intercept(page, '**/api/v1/notices?*', (route) =>
    route.fulfill({ json: { items: [null], total: 1 } }),
  )
  await page.goto('/inbox')
  await page.getByRole('heading', { name: 'This did not load' }).waitFor()
  await page.getByText('Your data is safe.').waitFor()
  expect(await frame.isVisible()).toBe(true)

  await intercept(page, '**/similar', (route) => route.fulfill({ json: [null] }))
  await page.goto(`/cards/${card_id}`)
  await page.getByText('The list of similar cards cannot be shown.').waitFor()
  await page.getByRole('heading', { name: SAMPLES[0].title }).waitFor()

  await breakCanvasOnce(page)
  const booked = (entry_id: string, day: string) => ({
    ...{ entry_id, delta: 5, balance_after: 100, reason: 'publish_reward' },
    ...{ ref_type: null, ref_id: null, card_title: null, created_at: `2026-01-${day}T00:00:00.000Z` },
  })
  const items = [booked('3', '03'), booked('2', '02'), booked('1', '01')]
  await intercept(page, '**/api/v1/credits/history*', (route) =>
    route.fulfill({ json: { items, total: 3, page: 1, page_size: 100 } }),
  )
  await visit(page, '/billing?code=KV-1')
  await page.getByText(/^The chart .* cannot be shown\./).waitFor()
  await page.getByRole('heading', { name: 'Buy credits' }).waitFor()
  await expectAccessible(page)
  // Each of them is reported to the console, which is what this test is about.
  expect(problems.length).toBeGreaterThan(0)
  problems.length = 0
})

test('the fields of a new card stay where they are while the list of workspaces is on its way', async () => {
  const { page, api } = await stage.person('On a slow line')
  await api('POST', '/api/v1/workspaces', { name: 'Platform team' })
  const { promise, resolve } = Promise.withResolvers<void>()
  await intercept(page, '**/api/v1/workspaces?*', async (route) => {
    await promise
    await route.continue()
  })
  await openPage(page, '/cards/new')
  const title = page.getByLabel('Title')
  await title.waitFor()
  const before = await title.boundingBox()
  resolve()
  await page.getByLabel('Workspace').and(page.locator(':enabled')).waitFor()
  expect(await title.boundingBox()).toEqual(before)
})

type Id = { card_id: string; workspace_id: string }

test('a part that did not load says so and offers another try, where people would take it for empty', async () => {
  const [owner, mate] = [await stage.person('Owner of a card'), await stage.account('Mate')]
  const { page, api, email } = owner
  const { workspace_id } = await mate.api<Id>('POST', '/api/v1/workspaces', { name: 'Platform team' })
  await mate.api('POST', `/api/v1/workspaces/${workspace_id}/members/by-email`, { email, role: 'editor' })
  const { card_id } = await api<Id>('POST', '/api/v1/cards', { ...SAMPLES[0], workspace_id })
  const other = await api<Id>('POST', '/api/v1/cards', { ...SAMPLES[1], workspace_id })
  await api('POST', `/api/v1/cards/${card_id}/share`)
  await api('POST', `/api/v1/cards/${card_id}/links`, { to_card_id: other.card_id, kind: 'related' })
  await mate.api('POST', `/api/v1/cards/${card_id}/feedback`, { kind: 'useful', comment: 'It helped me.' })
  const settings = await api<object>('GET', '/api/v1/user/settings')
  await api('PUT', '/api/v1/user/settings', { ...settings, default_workspace_id: workspace_id })

  const broken = /\/(workspaces\?|invitations|sessions|links|images|verdicts\?|comments\?)/
  const missing = page.getByRole('status').filter({ hasText: 'did not load.' })
  const shows = async (path: string, parts: string[]) => {
    await intercept(page, broken, (route) => route.fulfill({ status: 500, json: { detail: 'Broken.' } }))
    await openPage(page, path)
    for (const part of parts) await page.getByText(`${part} did not load.`, { exact: true }).waitFor()
    await expectAccessible(page)
    await page.unroute(broken)
    for (const _ of parts) {
      const before = await missing.count()
      await missing.first().getByRole('button').click()
      await expect.poll(() => missing.count()).toBeLessThan(before)
    }
  }
  const said = ['What people said after use', 'The comments']
  await shows(`/cards/${card_id}`, ['The pictures', 'The linked cards', ...said])
  await page.getByText('It helped me.').waitFor()
  await page.getByRole('link', { name: SAMPLES[1].title }).waitFor()
  await shows('/workspaces', ['The list of your invitations'])
  await shows('/cards/new', ['Your workspaces'])
  const chosen = (label: string) => expect.poll(() => page.getByLabel(label).inputValue())
  await chosen('Workspace').toBe(workspace_id)
  await shows('/settings', ['The list of your workspaces'])
  await chosen('New cards go to').toBe(workspace_id)
  await shows('/settings?tab=account', ['The list'])
  await page.getByText('Only here.').waitFor()

  // A card is published under one also where the choice is missing.
  const config = '**/app-config.json'
  await intercept(page, config, (route) => route.fulfill({ status: 500, json: { detail: 'Broken.' } }))
  await openPage(page, `/cards/${card_id}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: 'Library' }).check()
  const licence = page.getByRole('status').filter({ hasText: 'The choice of a licence did not load.' })
  await page.unroute(config)
  await licence.getByRole('button', { name: 'Try again' }).click()
  await page.getByLabel('Licence').waitFor()
})
