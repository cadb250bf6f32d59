import type { Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { signPayload } from '../../src/adapters/payments.ts'
import { events, SECRET } from '../support/billing-events.ts'
import { intercept } from './intercept.ts'
import { judge, lookAround } from './pictures.ts'
import { settled } from './settled.ts'
import { openMenu, openStage } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage({ STRIPE_WEBHOOK_SECRET: SECRET })
/** As an operator runs it who sells nothing. */
const production = openStage({ NODE_ENV: 'production' })
const free = openStage({ CREDITS: 'off' })
beforeAll(() => stage.publishByStranger())
beforeAll(() => production.publishByStranger())

test('a person buys credits with the development provider and finds the booking in the ledger', async () => {
  const { page, api } = await stage.person('Buyer')
  await openPage(page, '/billing')
  await page.getByText('100 credits', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Buy for $16' }).click()
  await page.getByRole('heading', { name: 'Knowledge Vault: 500 credits' }).waitFor()
  await page.getByText('Due today, once').filter({ visible: true }).first().waitFor()
  await judge(page, 'dev-checkout')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Simulate a declined card' }).click()
  await page.getByRole('alert').getByText('The card was declined').waitFor()
  expect(await api('GET', '/api/v1/credits/balance')).toMatchObject({ balance: 100 })
  await page.getByRole('button', { name: 'Pay $16', exact: false }).first().click()

  await page.getByText('Payment received. 500 credits were added; your balance is 600 credits.').waitFor()
  await page
    .getByRole('row', { name: /Bought a credit pack/ })
    .getByText('+500')
    .waitFor()
  expect(await api('GET', '/api/v1/credits/balance')).toMatchObject({ balance: 600 })
  await openMenu(page)
  await page.getByRole('menuitem', { name: '600 credits' }).waitFor()
})

test('every page works in a browser whose language is not a valid tag', async () => {
  const posix = await stage.person('Posix', { locale: 'en-US@posix' })
  const { page } = posix
  await openPage(page, '/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const path of ['/cards', '/library', '/memory', '/workspaces', '/settings', '/support']) {
    await visit(page, path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
  }
  await visit(page, '/billing')
  await page.getByText('Welcome bonus').waitFor()
  expect(await page.getByRole('img', { name: /^Balance over/ }).count()).toBe(0)
  await stage.bookEarlier(posix)
  await openPage(page, '/billing')
  await page.getByRole('img', { name: 'Balance over the last 3 bookings', exact: true }).waitFor()
  expect(await page.evaluate(() => [navigator.language, ...navigator.languages])).toEqual(['en-US', 'en-US'])
})

test('a cancelled purchase says that nothing was charged', async () => {
  const { page, api } = await stage.person('Hesitant')
  await openPage(page, '/billing')
  await page.getByRole('button', { name: 'Buy for $4', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The payment was cancelled. Nothing was charged.').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => page.url()).not.toContain('checkout')
  expect(await api('GET', '/api/v1/credits/balance')).toMatchObject({ balance: 100 })
})

test('a person subscribes, sees the plan, and cancels and resumes it in the portal', async () => {
  const { page, api } = await stage.person('Subscriber')
  await openPage(page, '/billing?tab=plans')
  await page.getByRole('button', { name: 'Subscribe for $12 a month' }).click()
  await page.getByRole('button', { name: /^Pay \$12/ }).click()
  await page.getByText('Payment received. 500 credits were added').waitFor()
  await page.getByText(/^Pro renews on/).waitFor()
  expect(await page.getByRole('button', { name: /^Subscribe/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Open the billing portal' }).click()
  await page.getByRole('heading', { name: 'Billing portal' }).waitFor()
  await page.getByText('Payments').filter({ visible: true }).first().waitFor()
  await judge(page, 'dev-portal')
  const status = () => api('GET', '/api/v1/billing/status')
  const cancel = page.getByRole('button', { name: 'Cancel at the end of the period' })
  await cancel.click()
  await page.getByText('Ends on').waitFor()
  expect(await status()).toMatchObject({ plan_id: 'pro', cancel_at_period_end: true })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Active, renews on').waitFor()
  expect(await status()).toMatchObject({ cancel_at_period_end: false, credits_balance: 600 })
  await cancel.click()
  await page.getByRole('link', { name: 'Back to Knowledge Vault' }).click()
  await page.getByText(/^Pro ends on/).waitFor()
})

test('a plan that is reported after its payment appears by itself', async () => {
  const { page, api } = await stage.person('Patient')
  const { user_id: userId } = await api<{ user_id: string }>('GET', '/api/v1/auth/me')
  const make = events({ userId }, stage)
  const deliver = (event: object) => {
    const payload = JSON.stringify(event)
    const headers = { 'stripe-signature': signPayload(payload, SECRET, new Date()) }
    return stage.app.server.inject({ method: 'POST', url: '/api/v1/billing/webhook', headers, payload })
  }
  await openPage(page, '/billing?tab=plans&checkout=success')
  await page.getByText('Waiting for the payment provider').waitFor()
  await deliver(make.invoicePaid({}))
  await page.getByText('Payment received. 500 credits were added').waitFor()
  await settled(page)
  await deliver(make.subscription('created'))
  await page.getByText(/^Pro renews on/).waitFor()
  expect(await page.getByRole('button', { name: /^Subscribe/ }).count()).toBe(0)
})

test('an invite code made by one person gives credits to both', async () => {
  const giver = await stage.person('Giver')
  const taker = await stage.person('Taker')
  await openPage(giver.page, '/billing?tab=codes')
  const note = giver.page.getByLabel('Note')
  await note.fill('For the new colleague')
  // What is typed while the first note is sent stays.
  const keys: (string | undefined)[] = []
  const typeOn = (route: Route) => {
    keys.push(route.request().headers()['idempotency-key'])
    return note.fill('For the next one').then(() => route.continue())
  }
  await intercept(giver.page, '**/api/v1/billing/invites', typeOn, { times: 1 })
  await giver.page.getByRole('button', { name: 'Create code' }).click()
  const code = (await giver.page.getByText(/^KV-\w{5}-\w{5}$/).textContent()) ?? ''
  await giver.page.getByRole('button', { name: `Copy code ${code}` }).click()
  expect(await giver.page.evaluate(() => navigator.clipboard.readText())).toBe(code)
  expect(await note.inputValue()).toBe('For the next one')
  // A retry after a lost answer makes no second code.
  expect(keys).toEqual([expect.stringMatching(/./)])

  await giver.page.getByRole('textbox', { name: 'Invite code' }).fill(code)
  await giver.page.getByRole('button', { name: 'Redeem' }).click()
  await giver.page.getByText('You cannot redeem your own code').waitFor()

  await openPage(taker.page, `/billing?tab=codes&code=${code}`)
  await taker.page.getByRole('button', { name: 'Redeem' }).click()
  await taker.page.getByText('20 credits added. Your balance is 120 credits.').waitFor()
  await reopenPage(giver.page)
  await giver.page
    .getByRole('row', { name: new RegExp(code) })
    .getByText('Used')
    .waitFor()
  expect(await giver.api('GET', '/api/v1/credits/balance')).toMatchObject({ balance: 120 })
})

test('each tab of billing, and its page of the guide, look right in every size and theme', async () => {
  const person = await stage.person('Billing viewer')
  await person.api('POST', '/api/v1/billing/invites', { note: 'For the new colleague' })
  await lookAround(person, [
    ['/billing', 'billing', 'Welcome bonus'],
    ['/billing?tab=plans', 'billing-plans', 'Everything in Pro'],
    ['/billing?tab=codes', 'billing-codes', 'For the new colleague'],
    ['/guide/billing', 'guide-billing', 'What costs credits'],
  ])
})

test('a server that takes no payments offers none', async () => {
  const { page } = await production.person('Guest')
  await openPage(page, '/billing?tab=plans')
  await page.getByText('Welcome bonus').waitFor()
  await page.getByRole('tab', { name: 'Plans' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('heading', { name: 'Buy credits' }).count()).toBe(0)
})

test('a server without credits sells none, and a plan that somebody has stays in sight', async () => {
  await free.publishByStranger()
  const { page, api } = await free.person('Guest')
  await openPage(page, '/billing')
  await page.getByRole('heading', { name: 'Nothing costs anything here' }).waitFor()
  await api('POST', '/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })
  await openPage(page, '/')
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Billing' }).click()
  await page.getByText('Credits are switched off on this server').waitFor()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await settled(page)
  expect(await page.getByRole('heading', { name: 'Buy credits' }).count()).toBe(0)
})
