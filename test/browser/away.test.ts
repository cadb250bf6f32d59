import { expect, test } from 'vitest'
import { expectAccessible, openStage, picture, settled } from './support.ts'

const stage = openStage()

const AWAY = 'The server cannot be reached. What is on the page stays'

test('while the server is away the frame stays, and pages come back by themselves', async () => {
  const { page, context } = await stage.person('Traveller')
  await page.goto('/')
  await settled(page)
  await context.setOffline(true)
  await page.getByText(AWAY).waitFor()
  await page.getByRole('link', { name: 'Memory' }).first().click()
  await page.getByText('This page loads by itself when it is back.').waitFor()
  expect(await page.getByRole('link', { name: 'My cards' }).first().isVisible()).toBe(true)
  await expectAccessible(page)
  await picture(page, 'away-1280')
  await context.setOffline(false)
  await page.getByRole('heading', { name: /Memory/ }).waitFor()
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
  await page.route('**/api/v1/cards', async (route) => {
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
