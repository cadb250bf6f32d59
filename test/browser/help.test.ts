import { expect, test } from 'vitest'
import { look } from './pictures.ts'
import { expectAccessible, openStage, picture } from './support.ts'

const ADMIN = 'support-lead-1@example.com'
const stage = openStage({ ADMIN_EMAILS: ADMIN })

const HOSTILE = `"><img src=x onerror="throw new Error('ran')"><script>throw new Error('ran')</script>`

test('a question is answered from the guide as it is written, with its sources', async () => {
  const { page } = await stage.person('Asker')
  await page.goto('/support')
  await expectAccessible(page)
  await page.getByLabel('Your question').fill('When does a library search cost credits?')
  await page.keyboard.press('Enter')
  const sources = page.getByRole('list', { name: 'Sources' })
  await sources.getByRole('link').first().waitFor()
  await expectAccessible(page)
  const address = (await sources.getByRole('link').first().getAttribute('href')) ?? ''
  expect((await page.request.get(address)).status()).toBe(200)
  await picture(page, 'support-answer-1280-light')

  await page.getByRole('button', { name: 'Write to a person' }).click()
  expect(await page.getByLabel('Message').inputValue()).toBe('When does a library search cost credits?')
})

test('markup in a question stays text', async () => {
  const { page } = await stage.person('Tricky')
  await page.goto('/support')
  await page.getByLabel('Your question').fill(`${HOSTILE} [link](javascript:alert(1))`)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('button', { name: 'Write to a person' }).waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
})

test('a ticket with attachments is sent by somebody who cannot sign in', async () => {
  const { page } = await stage.window()
  await page.goto('/help?tab=ticket')
  await page.getByLabel('Your e-mail address').fill('locked-out@example.com')
  await page.getByLabel('About').selectOption('account')
  await page.getByLabel('Subject').fill('I cannot sign in')
  await page.getByLabel('Message').fill('The reset mail does not arrive.')
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('log line') })
  await page
    .getByLabel('Attach files')
    .setInputFiles(['a.log', 'b.log', 'c.log', 'd.log', 'e.log', 'f.log'].map(file))
  await page.getByText('At most 5 files. Remove 1.').waitFor()
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Remove f.log' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('We have your message').waitFor()
  await expectAccessible(page)
})

test.each([
  ['/support', 'support', 'For example'],
  ['/support?tab=ticket', 'support-ticket', 'Attach files'],
])('%s looks right in every size and theme', async (path, name, ready) => {
  await look(await stage.person('Support viewer'), path, name, ready)
})
