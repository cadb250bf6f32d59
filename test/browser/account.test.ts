import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { settled } from './settled.ts'
import { openStage, PASSWORD } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()

test('somebody new signs up, answers the questions, and sees the agent connect', async () => {
  const { page } = await stage.window()
  await openPage(page, '/')
  await page.getByRole('heading', { name: 'Nobody solves the same problem twice' }).waitFor()
  await page.getByRole('link', { name: 'Create the first account' }).click()
  await page.getByLabel('Name').fill('Team lead')
  await page.getByLabel('E-mail').fill('lead@example.com')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()

  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  await page.getByText('Lead a team').click()
  await page.getByText('Claude Code').click()
  await page.getByRole('button', { name: 'Continue' }).click()

  await page.getByRole('heading', { name: 'Connect your agent' }).waitFor()
  await page.getByText(`npx -y ${stage.base}/kvault.tgz connect`).waitFor()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const key = (await page.getByText(/^kv_[\w-]{40}$/).textContent()) ?? ''
  await page.getByText('Waiting for the first call').waitFor()
  for (const name of ['Claude Code', 'Cursor', 'VS Code', 'HTTP']) {
    await page.getByRole('tab', { name }).click()
    expect(await page.getByRole('tabpanel').textContent()).toContain(key)
  }
  await expectAccessible(page)
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const account = await fetch(`${stage.base}/api/v1/user/settings`, { headers })
  expect(account.status).toBe(403)
  const tool = await fetch(`${stage.base}/mcp/tools/list_workspaces`, { method: 'POST', headers, body: '{}' })
  expect(tool.status).toBe(200)
  await page.getByText('Connected. Your agent has made its first call.').waitFor()
})

test('signing in returns to the page that was asked for, and no script can read the session', async () => {
  const person = await stage.account('Returning')
  const { page } = await stage.window()
  await openPage(page, '/connect')
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Connect your agent' }).waitFor()
  const readable = await page.evaluate(
    () => document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage),
  )
  expect(readable).not.toContain('kvs_')
})

test('signing out ends the session in this browser', async () => {
  const { page } = await stage.person('Leaving')
  await openPage(page, '/connect')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto('/connect')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a tab of somebody who has signed out does not write for the next person', async () => {
  const first = await stage.person('First')
  await openPage(first.page, '/cards/new')
  await first.page.getByLabel('Title').fill('A private thought')
  await first.page.getByLabel('Symptom', { exact: true }).fill('Only for me.')
  await first.page.getByLabel('Fix', { exact: true }).last().fill('Nothing.')
  // As from another window of the same browser that has no way to tell this one.
  const second = await stage.account('Second')
  await first.api('POST', '/api/v1/auth/login', { email: second.email, password: PASSWORD })
  await first.page.getByRole('button', { name: 'Save card' }).click()
  await first.page.getByRole('button', { name: 'Second', exact: false }).first().waitFor()
  expect(await second.api('GET', '/api/v1/cards')).toMatchObject({ total: 0 })
})

test('what ends the session in one tab empties the others, and a deleted account leaves no text behind', async () => {
  const { page, context, email, api } = await stage.person('Two tabs')
  const other = await context.newPage()
  const isKept = (text: string) =>
    page.evaluate((wanted) => Object.values(localStorage).join().includes(wanted), text)
  for (const button of ['Sign out everywhere', 'Delete account']) {
    await api('POST', '/api/v1/auth/login', { email, password: PASSWORD })
    await openPage(page, '/cards/new')
    await page.getByLabel('Title').fill(`A private thought: ${button}`)
    await expect.poll(() => isKept(button)).toBe(true)
    await openPage(other, '/settings?tab=account')
    await other.getByRole('button', { name: button }).click()
    if (button === 'Delete account') await other.getByLabel(/^Type .* to confirm/).fill(email)
    await other.getByRole('dialog').getByRole('button', { name: button }).click()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await isKept('A private thought'), button).toBe(button === 'Sign out everywhere')
  }
})

test('without a mail server the link to a new address is shown, and works', async () => {
  const { page, context, email } = await stage.person('Moving')
  await openPage(page, '/settings?tab=account')
  await page.getByText(email).waitFor()
  expect(await page.getByRole('button', { name: 'Send the confirmation again' }).count()).toBe(0)
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await page.getByRole('button', { name: 'Change address' }).click()
  await page.locator('input[type=email]:focus').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(focused).toBe('Change address')
  await page.keyboard.press('Enter')
  await page.getByLabel('New e-mail address').fill('moved@example.com')
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('This server sends no mail. Open this link').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Copy confirmation link' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  const cookies = await context.cookies()
  // Who never signed in here is asked to, and not told that a session has ended.
  await context.clearCookies()
  await page.goto(link)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Sign in to the account with this address').waitFor()
  expect(await page.getByText('session has ended').count()).toBe(0)
  await context.addCookies(cookies)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor()
  await openPage(page, '/settings?tab=account')
  await page.getByText('moved@example.com').waitFor()
})

test('an address outside the app is not followed after signing in', async () => {
  const person = await stage.account('Careful')
  const { page } = await stage.window()
  await openPage(page, '/sign-in?next=https://example.org/')
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).first().waitFor()
  expect(new URL(page.url()).origin).toBe(stage.base)
  // Ended elsewhere: the next request finds out, and the page says why it asks again. The draft waits.
  await visit(page, '/cards/new')
  await page.getByLabel('Title').fill('Written in an ended session')
  await page.getByLabel('Symptom', { exact: true }).fill('It has ended.')
  await page.getByLabel('Fix', { exact: true }).last().fill('Sign in.')
  await settled(page)
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save card' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByText('X-API-Key').count()).toBe(0)
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(/Your draft from .* is back/).waitFor()
})

test('the reset page answers the same for every address and refuses a dead link', async () => {
  const { page } = await stage.window()
  // As on a server that sends mail; one without says so instead.
  await intercept(page, '**/app-config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, mail: true } })
  })
  await openPage(page, '/reset')
  await page.getByLabel('E-mail').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('If there is an account for nobody@example.com').waitFor()
  await visit(page, '/reset?token=a-token-that-was-never-made')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('This link has been used').waitFor()
  await expectAccessible(page)
  await settled(page)
  // One that works is left behind: Back does not lead to it.
  await intercept(page, '**/api/v1/auth/password/reset', (route) => route.fulfill({ status: 204 }))
  await page.getByRole('link', { name: 'Ask for a new link' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  await visit(page, '/reset?token=a-token-that-works')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
})

test('a person who is signed in is not asked to sign in again', async () => {
  const { page } = await stage.person('Present')
  await page.goto('/sign-in?next=%2Fconnect')
  await page.getByRole('heading', { name: 'Connect your agent' }).waitFor()
})
