import { beforeAll, expect, test } from 'vitest'
import { makeAdmin } from '../support/admin.ts'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { lookAround, picture } from './pictures.ts'
import { openStage, PASSWORD } from './support.ts'
import { openPage, visit } from './visit.ts'

const ADMIN = 'admin@example.com'
const stage = openStage()
beforeAll(() => stage.publishByStranger())

const HOSTILE = `"><img src=x onerror="throw new Error('ran')"><script>throw new Error('ran')</script>`

test('a question is answered from the guide as it is written, with its sources', async () => {
  const { page } = await stage.person('Asker')
  await openPage(page, '/support')
  const question = page.getByLabel('Your question')
  await intercept(page, '**/api/v1/chat/support/stream', (route) => route.abort('internetdisconnected'), {
    times: 1,
  })
  // The examples go once one is asked.
  await page.getByRole('button', { name: 'When does a search cost credits?' }).press('Enter')
  await page.getByRole('alert').getByText('Ask again, or write to us.').waitFor()
  expect(await question.inputValue()).toBe('When does a search cost credits?')
  await page.locator('button:focus').waitFor()
  await question.fill('When does a library search cost credits?')
  await page.keyboard.press('Enter')
  const sources = page.getByRole('list', { name: 'Sources' })
  await sources.getByRole('link').first().waitFor()
  await expectAccessible(page)
  const address = (await sources.getByRole('link').first().getAttribute('href')) ?? ''
  expect((await page.request.get(address)).status()).toBe(200)
  await picture(page, 'support-answer-1280-light')

  await page.getByRole('button', { name: 'Write to a person' }).click()
  const message = page.getByLabel('Message')
  expect(await message.inputValue()).toBe('When does a library search cost credits?')
  await page.getByLabel('Subject').fill('A charge too many')
  await message.fill('I was charged twice.')
  await page.getByRole('tab', { name: 'Ask' }).click()
  await sources.waitFor()
  await page.getByRole('tab', { name: 'Write to us' }).click()
  expect(await message.inputValue()).toBe('I was charged twice.')
  // Both stay until they are sent, also where the session ends.
  await page.reload()
  expect(await page.getByLabel('Subject').inputValue()).toBe('A charge too many')
  expect(await message.inputValue()).toBe('I was charged twice.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Write another' }).click()
  expect([await page.getByLabel('Subject').inputValue(), await message.inputValue()]).toEqual(['', ''])
})

test('markup in a question stays text', async () => {
  const { page } = await stage.person('Tricky')
  await openPage(page, '/support')
  await page.getByLabel('Your question').fill(`${HOSTILE} [link](javascript:alert(1))`)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('button', { name: 'Write to a person' }).waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
})

test('a ticket with attachments is sent by somebody who cannot sign in', async () => {
  const { page } = await stage.window()
  await openPage(page, '/help?tab=ticket')
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
  await page.locator('button:focus', { hasText: 'Attach files' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('[role=status]:focus').getByText('We have your message').waitFor()
  await expectAccessible(page)
})

test('a ticket that is sent after the session ended is one of its author, and says which files are missing', async () => {
  const { page, email } = await stage.person('Away for lunch')
  await openPage(page, '/support?tab=ticket')
  await page.getByLabel('About').selectOption('bug')
  await page.getByLabel('Subject').fill('A slow import')
  await page.getByLabel('Message').fill('It takes an hour.')
  const file = { name: 'import.log', mimeType: 'text/plain', buffer: Buffer.from('row 41') }
  await page.getByLabel('Attach files').setInputFiles([file])
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Attach these files again: import.log.').waitFor()
  expect(await page.getByLabel('About').inputValue()).toBe('bug')
  expect(await page.getByLabel('Subject').inputValue()).toBe('A slow import')
  expect(await page.getByLabel('Message').inputValue()).toBe('It takes an hour.')
  await expectAccessible(page)
  await picture(page, 'support-files-again')
  await page.getByLabel('Attach files').setInputFiles([file])
  await page.getByText('Attach these files again').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('We have your message').waitFor()
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join())).not.toContain('kv-ticket')
  await page.getByRole('tab', { name: 'My tickets' }).click()
  await page.getByText('A slow import').waitFor()
})

test('an administrator reads a ticket, takes its attachment and closes it; others may not', async () => {
  const { page, context } = await stage.window()
  await context.request.post(`${stage.base}/api/v1/auth/register`, {
    headers: { 'X-Session': 'cookie' },
    data: { email: ADMIN, password: PASSWORD, display_name: 'Administrator' },
  })
  await makeAdmin(stage.app, ADMIN)
  const sent = await context.request.post(`${stage.base}/api/v1/support/tickets`, {
    headers: { 'X-Requested-With': 'kvault-web' },
    multipart: {
      email: 'customer@example.com',
      subject: HOSTILE,
      message: `The import stops half-way. ${HOSTILE}`,
      category: 'bug',
      attachments: { name: 'import.log', mimeType: 'text/plain', buffer: Buffer.from('row 41: no title') },
    },
  })
  const { ticket_id } = (await sent.json()) as { ticket_id: string }
  await openPage(page, '/support')
  await page.getByRole('link', { name: 'All tickets' }).click()
  await page.getByText('customer@example.com').first().waitFor()
  await page.getByText('Free plan').first().waitFor()
  await expectAccessible(page)
  await picture(page, 'tickets-1280-light')
  await page
    .getByRole('link', { name: /customer@example.com/ })
    .first()
    .click()
  await page.getByText('The import stops half-way').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  await expectAccessible(page)
  await picture(page, 'ticket-1280-light')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /import\.log/ }).click(),
  ])
  expect(await file.failure()).toBeNull()
  const [reply, message] = [page.getByLabel('Your reply'), page.getByLabel('Message')]
  await reply.fill('Row 41 needs a title.')
  await visit(page, '/support?tab=ticket')
  await message.fill('I am asked for rows.')
  await visit(page, `/admin/tickets/${ticket_id}`)
  expect(await reply.inputValue()).toBe('Row 41 needs a title.')
  await page.getByRole('button', { name: 'Send reply' }).click()
  await expect.poll(() => reply.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Closed', { exact: true }).waitFor()
  await visit(page, '/support?tab=ticket')
  expect(await message.inputValue()).toBe('I am asked for rows.')

  const other = await stage.person('Not an administrator')
  await openPage(other.page, `/admin/tickets/${ticket_id}`)
  await other.page.getByText('Only administrators').waitFor()
})

test('both tabs of support look right in every size and theme', async () => {
  await lookAround(await stage.person('Support viewer'), [
    ['/support', 'support', 'For example'],
    ['/support?tab=ticket', 'support-ticket', 'Attach files'],
  ])
})
