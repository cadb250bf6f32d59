import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSmtp } from '../support/smtp.ts'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { type Account, openStage, PASSWORD, type Person } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())
const stage = openStage({ SMTP_URL: smtp.url })
beforeAll(() => stage.publishByStranger())

type Workspace = { workspace_id: string }
type Recorded = { card_id: string; workspace_id: string }

const teamOf = async (lead: Account, name: string) =>
  (await lead.api<Workspace>('POST', '/api/v1/workspaces', { name, type: 'team' })).workspace_id

const add = (lead: Person, id: string, member: Person, role: string) =>
  lead.api('POST', `/api/v1/workspaces/${id}/members/by-email`, { email: member.email, role })

const write = (person: Account, workspace_id?: string) =>
  person.api<Recorded>('POST', '/api/v1/cards', { ...SAMPLES[0], workspace_id })

const linkIn = (text: string | undefined): string => /https?:\S+token=[\w-]+/.exec(text ?? '')?.[0] ?? ''

async function confirmAddress({ page, email }: Person): Promise<void> {
  const mail = await smtp.mailTo(email, 'Confirm your e-mail address')
  await openPage(page, linkIn(mail.text))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor()
}

test('a workspace is deleted with its name typed, after the numbers; a colleague finds the card at home', async () => {
  const lead = await stage.person('Closing lead')
  const mate = await stage.person('Closing mate')
  const id = await teamOf(lead, 'Old team')
  await add(lead, id, mate, 'editor')
  const { card_id } = await write(mate, id)
  await mate.api('POST', `/api/v1/cards/${card_id}/share`)
  const { page } = lead
  await openPage(page, `/workspaces/${id}?tab=members`)
  await page.getByRole('button', { name: 'Delete workspace' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('0 cards of yours, 1 card of others').waitFor()
  await dialog.getByText('No longer read by others: 1 card.').waitFor()
  await dialog.getByText('1 other member').waitFor()
  const button = dialog.getByRole('button', { name: 'Delete workspace' })
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByLabel(/^Type .* to confirm/).fill('Old team')
  await expectAccessible(page)
  await picture(page, 'delete-workspace-1280-light')
  await button.click()
  await page.getByText('Old team is deleted. Given back to owners: 1 card.').waitFor()
  await page.getByRole('heading', { name: 'No team yet' }).waitFor()

  await openPage(mate.page, '/cards')
  await mate.page.getByText(SAMPLES[0].title).first().waitFor()
  // The box before a single card chooses it; no button for all of them.
  expect(await mate.page.getByRole('button', { name: /^Choose/ }).count()).toBe(0)
  await visit(mate.page, `/workspaces/${id}?tab=members`)
  await mate.page.getByRole('heading', { name: 'Not found' }).waitFor()
  await smtp.mailTo(mate.email, 'Closing lead deleted the workspace Old team')
})

test('one’s own workspace leads to its cards and offers no deletion; one of others offers no review', async () => {
  const person = await stage.person('Homebody')
  const { personal_workspace_id } = await person.api<{ personal_workspace_id: string }>(
    'GET',
    '/api/v1/auth/me',
  )
  await openPage(person.page, `/workspaces/${personal_workspace_id}`)
  await person.page.getByText('This is your own workspace.').waitFor()
  expect(await person.page.getByRole('button', { name: 'Delete workspace' }).count()).toBe(0)
  await write(person)
  await person.page.getByRole('link', { name: 'Cards', exact: true }).click()
  await person.page.getByRole('link', { name: SAMPLES[0].title }).waitFor()
  const host = await stage.account('Host')
  const { workspace_id } = await host.api<Workspace>('POST', '/api/v1/workspaces', {
    name: 'Open team',
    visibility: 'public',
  })
  await visit(person.page, `/workspaces/${workspace_id}`)
  await person.page.getByText('You are not a member').waitFor()
  expect(await person.page.getByRole('link', { name: 'Review queue' }).count()).toBe(0)
})

test('a verdict is given and taken back', async () => {
  const author = await stage.account('Author')
  const reader = await stage.person('Reader')
  const { card_id } = await write(author)
  await author.api('POST', `/api/v1/cards/${card_id}/publish`)
  const { page } = reader
  await openPage(page, `/cards/${card_id}`)
  const worked = page.getByRole('button', { name: 'Worked' })
  await worked.click()
  // It does nothing while the verdict is on its way.
  await page.getByRole('button', { name: 'Take back', disabled: false }).press('Enter')
  await page.getByText('Taken back. It no longer counts.').waitFor()
  await worked.and(page.locator(':focus')).waitFor()
  await expect.poll(() => worked.getAttribute('aria-pressed')).toBe('false')
})

test('an open invite code is withdrawn', async () => {
  const person = await stage.person('Giver')
  const { code } = await person.api<{ code: string }>('POST', '/api/v1/billing/invites', {})
  const { page } = person
  await openPage(page, '/billing?tab=codes')
  await page.getByRole('button', { name: `Withdraw code ${code}` }).click()
  await page.getByText(`${code} is withdrawn.`).waitFor()
  await page
    .getByRole('row', { name: new RegExp(code) })
    .getByText('Withdrawn')
    .waitFor()
  expect(await page.getByRole('button', { name: `Withdraw code ${code}` }).count()).toBe(0)
  await expectAccessible(page)
})

test('invitations are seen once the address is confirmed; one is declined, another joined without its link', async () => {
  const lead = await stage.account('Inviting lead')
  const guest = await stage.person('Invited guest')
  const { page } = guest
  for (const name of ['First team', 'Second team'])
    await lead.api('POST', `/api/v1/workspaces/${await teamOf(lead, name)}/invites`, { email: guest.email })
  await openPage(page, '/workspaces')
  await page.getByRole('heading', { name: 'No team yet' }).waitFor()
  expect(await page.getByText('Invitations for you').count()).toBe(0)
  await confirmAddress(guest)
  await openPage(page, '/workspaces')
  await page.getByRole('heading', { name: 'Invitations for you' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Decline the invitation to First team' }).click()
  await page.getByText('You declined the invitation to First team.').waitFor()
  await page.getByRole('button', { name: 'Join Second team' }).click()
  await page.getByText('You are viewer of Second team now.').waitFor()
  await page.getByRole('link', { name: /Second team/ }).waitFor()
  expect(await page.getByText('Invitations for you').count()).toBe(0)
})

test('the name changes, the confirmation mail comes again, and a new address is confirmed by mail', async () => {
  const person = await stage.person('Before')
  const { page, email } = person
  await openPage(page, '/settings?tab=account')
  await page.getByLabel('Name').fill('After')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('Your name is changed.').waitFor()
  await page.getByRole('button', { name: /^Account.*After/ }).waitFor()
  await page.getByRole('button', { name: 'Send the confirmation again' }).click()
  await page.getByText(`A new mail is on its way to ${email}.`).waitFor()
  await smtp.mailTo(email, 'Confirm your e-mail address', 2)

  await page.getByRole('button', { name: 'Change address' }).click()
  await page.getByLabel('New e-mail address').fill('after@example.com')
  await page.getByLabel('Your password').fill('wrong password')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('The current password is not right.').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('after@example.com waits to be confirmed').waitFor()
  await picture(page, 'change-address-1280-light')
  const mail = await smtp.mailTo('after@example.com', 'Confirm your new e-mail address')
  await page.goto(linkIn(mail.text))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor()
  await openPage(page, '/settings?tab=account')
  await page.getByText('after@example.com').waitFor()
  await page.getByText('Confirmed', { exact: true }).waitFor()
  await smtp.mailTo(email, 'The e-mail address of your account has changed')
})

test('a change of the address is given up; if the session ends then, the page says so and comes back', async () => {
  const { page, api, email } = await stage.person('Undecided')
  await api('POST', '/api/v1/auth/email', { email: 'elsewhere@example.com', current_password: PASSWORD })
  await openPage(page, '/settings?tab=account')
  await page.getByText('elsewhere@example.com waits to be confirmed').waitFor()
  // The first to hear of the end is the question who is signed in, as in a tab that was hidden for a while.
  await intercept(page, '**/api/v1/auth/me', async (route) => {
    await page.context().clearCookies()
    await route.fulfill({ status: 401, json: { code: 'not_authenticated', detail: 'Sign in.' } })
  })
  await page.getByRole('button', { name: 'Give up this change' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.unroute('**/api/v1/auth/me')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  expect(page.url()).toContain('/settings?tab=account')
  await expect.poll(() => page.getByText('elsewhere@example.com').count()).toBe(0)
})

test('a raw material is read and deleted, and from a page that is empty by now there is a way back', async () => {
  const { page, api } = await stage.person('Collector')
  await api('POST', '/api/v1/raw-materials', {
    title: 'Build log',
    kind: 'log',
    content: 'line\n'.repeat(900),
  })
  await openPage(page, '/memory')
  await page.getByRole('link', { name: 'Raw materials' }).click()
  await page.getByRole('button', { name: /^Build log/ }).click()
  await page.getByRole('dialog').getByText('line').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await expectAccessible(page)
  await visit(page, '/memory/materials?page=2')
  await page.getByText('Nothing is left on this page').waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByRole('button', { name: 'Delete Build log' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('The raw material is deleted.').waitFor()
  await page.getByRole('heading', { name: 'No raw materials' }).waitFor()
})

test('the timeline is narrowed to a session and to a type, and the address holds it', async () => {
  const { page, api } = await stage.person('Looking back')
  const append = (session_id: string, event_type: string, content: string) =>
    api('POST', '/api/v1/project-context/events', {
      project_key: 'org/shop',
      session_id,
      event_type,
      content,
    })
  await append('monday', 'user_message', 'Why is the checkout slow?')
  await append('monday', 'agent_report', 'An index was missing.')
  await append('tuesday', 'user_message', 'Add partial refunds.')
  await openPage(page, '/memory/project?key=org%2Fshop')
  const sessions = page.getByRole('list', { name: 'Timeline' })
  const monday = sessions.getByRole('listitem').filter({ hasText: 'monday' })
  await monday.getByRole('button', { name: 'Only this session' }).press('Enter')
  await expect.poll(() => page.getByText('Add partial refunds.').count()).toBe(0)
  await page.getByText('Why is the checkout slow?').first().waitFor()
  await page.locator('main h1:focus').waitFor()
  await reopenPage(page)
  await page.getByText('Session monday').waitFor()
  await page.getByLabel('Type of events').selectOption('Reports')
  await expect.poll(() => page.getByText('Why is the checkout slow?').count()).toBe(0)
  await page.getByText('An index was missing.').first().waitFor()
  await page.getByLabel('Type of events').selectOption('Summaries')
  await page.getByRole('heading', { name: 'No such events' }).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('Add partial refunds.').first().waitFor()
})
