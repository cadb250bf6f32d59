import { beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { breakAnswer, intercept } from './intercept.ts'
import { lookAround } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { openStage, PASSWORD, switchSetting } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage()
beforeAll(() => stage.publishByStranger())

/** Throws if any of it is ever taken for markup; the window's watch turns the error into a failed test. */
const HOSTILE = `"><img src=x onerror="throw new Error('ran')"><script>throw new Error('ran')</script>`

test('a key is made with chosen scopes, shown once, used, and deleted', async () => {
  const person = await stage.person('Key holder')
  const { page } = person
  await openPage(page, '/settings?tab=keys')
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Laptop agent')
  expect(await page.getByLabel('Publish cards to the library').isChecked()).toBe(false)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByText(/^kv_[\w-]{40}$/).textContent()) ?? ''
  await page.getByRole('button', { name: 'Copy API key' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Done' }).click()

  const row = page.getByRole('row', { name: /Laptop agent/ })
  await row.getByText('Never').waitFor()
  expect(await row.textContent()).toContain('Edit cards')
  expect(await row.textContent()).not.toContain('publish')
  expect(await page.content()).not.toContain(key)

  const refused = await fetch(`${stage.base}/api/v1/auth/api-keys`, { headers: { 'X-API-Key': key } })
  expect(refused.status).toBe(403)
  await reopenPage(page)
  await row.getByText('just now').waitFor()

  await row.getByRole('button', { name: 'Delete key Laptop agent' }).click()
  await page.getByRole('button', { name: 'Delete key', exact: true }).click()
  await page.getByText('no longer works').waitFor()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await page.locator('main h1:focus').waitFor()
  const dead = await fetch(`${stage.base}/api/v1/auth/me`, { headers: { 'X-API-Key': key } })
  expect(dead.status).toBe(401)
})

test('what an agent records goes to the team that was chosen when it was connected', async () => {
  const person = await stage.person('Connector')
  const { page } = person
  await openPage(page, '/connect')
  await page.getByRole('button', { name: 'Create a key' }).waitFor()
  await page.getByText('/mcp?profile=core').waitFor()
  expect(await page.getByLabel('What it records goes to').count()).toBe(0)
  const team = await person.api<{ workspace_id: string }>('POST', '/api/v1/workspaces', {
    name: 'Platform team',
  })
  await reopenPage(page)
  await page.getByLabel('What it records goes to').selectOption('Platform team')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a key' }).click()
  const key = (await page.getByText(/^kv_[\w-]{40}$/).textContent()) ?? ''
  const answer = await fetch(`${stage.base}/api/v1/cards`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'Found by an agent', symptom: 'It hangs.', fix_summary: 'Restart it.' }),
  })
  expect(await answer.json()).toMatchObject({ workspace_id: team.workspace_id })
  await visit(page, '/settings?tab=keys')
  await page.getByText('Records in Platform team').waitFor()
  const scopes = async () =>
    (await person.api<{ scopes: string[] }[]>('GET', '/api/v1/auth/api-keys')).map((one) => one.scopes)
  expect(await scopes()).toEqual([['search', 'record', 'case:write']])
  await openPage(page, '/connect')
  await page.getByLabel('Publish cards to the library').check()
  await page.getByText('/mcp?profile=core').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByText(/^kv_[\w-]{40}$/).waitFor()
  expect(await scopes()).toContainEqual(['search', 'record', 'case:write', 'publish'])
})

test('a key is made and removed by keyboard alone', async () => {
  const { page } = await stage.person('Keyboard')
  await openPage(page, '/settings?tab=keys')
  const create = page.getByRole('button', { name: 'New key' })
  await create.focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Name').waitFor()
  await page.keyboard.type('By keyboard')
  // The key is made, but its answer is lost: who tries again gets that key, and no second one.
  await intercept(page, '**/api/v1/auth/api-keys', breakAnswer, { times: 1 })
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('The answer is lost.').waitFor()
  // A form is sent once in two frames, and an answer may be sooner on a busy machine.
  await settled(page)
  await page.keyboard.press('Enter')
  await page.getByText(/^kv_[\w-]{40}$/).waitFor()
  await page.getByRole('button', { name: 'Done' }).focus()
  await page.keyboard.press('Enter')
  const remove = page.getByRole('button', { name: 'Delete key By keyboard' })
  await remove.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Delete key', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
})

test('markup in the name of a key stays text', async () => {
  const { page, api } = await stage.person('Key writer')
  await api('POST', '/api/v1/auth/api-keys', { name: HOSTILE.slice(0, 120) })
  await openPage(page, '/settings?tab=keys')
  await page.getByText(HOSTILE.slice(0, 120)).first().waitFor()
  expect(await page.locator('img').count()).toBe(0)
})

test('a setting is saved as it is changed, and can be undone', async () => {
  const { page, api } = await stage.person('Setter')
  await openPage(page, '/settings')
  const publishing = page.getByLabel('I may publish cards to the library')
  await switchSetting(publishing, false)
  await page.getByText('Saved.').waitFor()
  expect(await api('GET', '/api/v1/user/settings')).toMatchObject({ publishing_enabled: false })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => publishing.isChecked()).toBe(true)
  await expect.poll(() => api('GET', '/api/v1/user/settings')).toMatchObject({ publishing_enabled: true })

  // The way back of one leaves the others alone, also what another tab has changed meanwhile.
  await switchSetting(publishing, false)
  await page.getByText('Saved.').waitFor()
  await switchSetting(page.getByLabel('Ask me before I am added'), true)
  await expect.poll(() => page.getByText('Saved.').count()).toBe(2)
  const changed = await api('GET', '/api/v1/user/settings')
  await api('PUT', '/api/v1/user/settings', { ...changed, language: 'fr' })
  await page.getByRole('button', { name: 'Undo' }).first().click()
  const both = { publishing_enabled: true, ask_before_added: true, language: 'fr' }
  await expect.poll(() => api('GET', '/api/v1/user/settings')).toMatchObject(both)
  // What is not saved is not shown, even if the server does not say what is.
  await intercept(page, '**/settings', (route) =>
    route.fulfill({ status: 500, json: { detail: 'It is stuck.' } }),
  )
  await publishing.click()
  await page.getByText('It is stuck.').waitFor()
  await expect.poll(() => publishing.isChecked()).toBe(true)
})

test('the language of dates and numbers is chosen, and the whole app follows', async () => {
  const { page, api } = await stage.person('Reader')
  await openPage(page, '/settings')
  await page.getByLabel('Share anonymous usage counts').waitFor({ state: 'detached' })
  await page.getByLabel('Language of dates and numbers').selectOption({ label: 'Deutsch' })
  await page.getByText('Saved.').waitFor()
  expect(await api('GET', '/api/v1/user/settings')).toMatchObject({ language: 'de' })
  await page.getByText(/Now it is \d{1,2}\. /).waitFor()
  await visit(page, '/billing?tab=plans')
  await page.getByText('12\u00a0$').first().waitFor()
  await page.getByText('2.000 credits each month').waitFor()
  await page.getByText('Your support tickets come before those on Pro and Free').waitFor()
  await visit(page, '/billing')
  await page.getByRole('heading', { name: '2.000 credits' }).waitFor()
})

test('mail about feedback can be turned off', async () => {
  const { page, api } = await stage.person('Quiet one')
  await openPage(page, '/settings')
  await switchSetting(page.getByLabel('Mail me about my cards'), false)
  await page.getByText('Saved.').waitFor()
  expect(await api('GET', '/api/v1/user/settings')).toMatchObject({ email_notifications: false })
})

test('the editor begins with the workspace from the settings', async () => {
  const { page, api } = await stage.person('Team writer')
  const { workspace_id } = await api<{ workspace_id: string }>('POST', '/api/v1/workspaces', {
    name: 'Platform',
  })
  await openPage(page, '/settings')
  await page.getByLabel('New cards go to').selectOption({ label: 'Platform' })
  await page.getByText('Saved.').waitFor()
  await visit(page, '/cards/new')
  await page.getByRole('combobox', { name: 'Workspace' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Workspace' }).inputValue()).toBe(workspace_id)
})

test('the password is changed; a wrong one is refused beside the field', async () => {
  const person = await stage.person('Changer')
  const { page } = person
  await openPage(page, '/settings?tab=account')
  await page.getByLabel('Current password').fill('not it at all')
  await page.getByLabel('New password').fill('a new long password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The current password is not right.').waitFor()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password is changed').waitFor()
  const key = await person.api<{ api_key: string }>('POST', '/api/v1/auth/api-keys', { name: 'kept' })
  const keyWorks = async () =>
    (await fetch(`${stage.base}/api/v1/auth/me`, { headers: { 'X-API-Key': key.api_key } })).status
  expect(await keyWorks()).toBe(200)
  await page.getByLabel('Current password').fill('a new long password')
  await page.getByLabel('New password').fill('a newer long password')
  expect(await page.getByLabel('Also delete my API keys').isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect.poll(() => page.getByLabel('New password').inputValue()).toBe('')
  expect(await keyWorks()).toBe(200)
  await page.getByLabel('Current password').fill('a newer long password')
  await page.getByLabel('New password').fill('a new long password')
  await page.getByLabel('Also delete my API keys').check()
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect.poll(keyWorks).toBe(401)
  const login = await fetch(`${stage.base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: person.email, password: 'a new long password' }),
  })
  expect(login.status).toBe(200)
})

test('a person sees where they are signed in and signs out everywhere, keys included', async () => {
  const person = await stage.person('Doubter')
  const { page, api } = person
  const key = await api<{ api_key: string }>('POST', '/api/v1/auth/api-keys', { name: 'lost' })
  const elsewhere = await fetch(`${stage.base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: person.email, password: PASSWORD }),
  })
  const { access_token } = (await elsewhere.json()) as { access_token: string }
  await openPage(page, '/settings?tab=account')
  await page.getByText('In 2 browsers.').waitFor()
  expect(await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(2)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByLabel('Also end 1 API key and 0 connected apps').waitFor()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await openPage(page, '/settings')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  for (const credential of [access_token, key.api_key]) {
    const headers = { Authorization: `Bearer ${credential}` }
    expect((await fetch(`${stage.base}/api/v1/auth/me`, { headers })).status).toBe(401)
  }
})

test('a person changes the name that others see', async () => {
  const { page, api } = await stage.person('Before')
  await openPage(page, '/settings?tab=account')
  await page.getByLabel('Name').fill('After')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('Your name is changed.').waitFor()
  await page.getByRole('button', { name: 'Account After' }).waitFor()
  expect(await api('GET', '/api/v1/auth/me')).toMatchObject({ display_name: 'After' })
})

test('a person who signed in a while ago is asked for the password before the account is deleted', async () => {
  const person = await stage.person('Late leaver')
  const { page } = person
  const { card_id } = await person.api<{ card_id: string }>('POST', '/api/v1/cards', SAMPLES[0])
  await person.api('POST', `/api/v1/cards/${card_id}/share`)
  await stage.app.services.database.transaction((db) =>
    db
      .updateTable('sessions')
      .set({ created_at: new Date(Date.now() - 11 * 60_000).toISOString() })
      .execute(),
  )
  await openPage(page, '/settings?tab=account')
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByText('1 card that you shared or published stays, by “deleted user”.').waitFor()
  await page.getByLabel(/^Type .* to confirm/).fill(person.email)
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete account' })
  await remove.click()
  await page.getByText('sign in again and repeat this within 10 minutes').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Your password').fill(PASSWORD)
  await remove.click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('an account is taken along as a file and then deleted with its address typed', async () => {
  const person = await stage.person('Leaver')
  const { page } = person
  await openPage(page, '/settings?tab=account')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download my data' }).click(),
  ])
  expect(await file.failure()).toBeNull()
  await page.getByRole('button', { name: 'Delete account' }).click()
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete account' })
  expect(await remove.isDisabled()).toBe(true)
  await expectAccessible(page)
  await page.getByLabel(/^Type .* to confirm/).fill(person.email)
  const { user_id } = await person.api<{ user_id: string }>('GET', '/api/v1/auth/me')
  await page.evaluate((id) => localStorage.setItem(`kv-reason:${id}:appeal:`, '"Begun."'), user_id)
  await remove.click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.evaluate(() => Object.keys(localStorage).join())).not.toContain(user_id)
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('is not right').waitFor()
})

test('each tab of the settings looks right in every size and theme', async () => {
  const person = await stage.person('Settings viewer')
  await person.api('POST', '/api/v1/auth/api-keys', { name: 'Agent on the laptop' })
  await person.api('POST', '/api/v1/auth/api-keys', {
    name: 'Nightly import',
    scopes: ['search', 'record'],
    expires_in_days: 90,
  })
  await lookAround(person, [
    ['/settings', 'settings', 'Mail and language'],
    ['/settings?tab=keys', 'settings-keys', 'Nightly import'],
    ['/settings?tab=account', 'settings-account', 'Current password'],
  ])
})
