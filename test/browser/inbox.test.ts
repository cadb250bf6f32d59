import { expect, test } from 'vitest'
import { intercept } from './intercept.ts'
import { look } from './pictures.ts'
import { type Account, openStage, switchSetting } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()

type Workspace = { workspace_id: string }

async function addTo(lead: Account, name: string, person: Account, role = 'viewer'): Promise<string> {
  const { workspace_id } = await lead.api<Workspace>('POST', '/api/v1/workspaces', { name, type: 'team' })
  await lead.api('POST', `/api/v1/workspaces/${workspace_id}/members/by-email`, {
    email: person.email,
    role,
  })
  return workspace_id
}

test('somebody who was added is told by whom, and leaves with one click', async () => {
  const [lead, mate] = [await stage.account('Stranger'), await stage.person('Mate')]
  await addTo(lead, 'Strange team', mate)
  const { page } = mate
  await openPage(page, '/')
  // A phone has no side bar.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: 'Inbox 1 unread' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('link', { name: 'Inbox 1 unread' }).click()
  await page.getByText('Stranger added you to Strange team').waitFor()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByText('You left the workspace.').waitFor()
  await page.getByText('You are not a member').waitFor()
  await page.locator('main h1:focus').waitFor()
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  await visit(page, '/workspaces')
  await page.getByRole('heading', { name: 'No team yet' }).waitFor()
})

test('a person who wants to be asked first switches that on, and accepts or declines in the inbox', async () => {
  const [lead, mate] = [await stage.account('Lead'), await stage.person('Careful')]
  const { page } = mate
  await openPage(page, '/settings')
  await switchSetting(page.getByLabel('Ask me before I am added to a workspace'), true)
  await page.getByText('Saved.').waitFor()
  const wanted = await addTo(lead, 'Wanted team', mate, 'editor')
  await addTo(lead, 'Unwanted team', mate)
  await openPage(page, '/inbox')
  const notice = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  const { promise, resolve } = Promise.withResolvers<void>()
  await intercept(page, '**/accept', (route) => promise.then(() => route.continue()), { times: 1 })
  const invitation = notice('Lead invites you to Wanted team')
  await invitation.getByRole('button', { name: 'Accept' }).click()
  // One answer is enough.
  await invitation.getByRole('button', { name: 'Decline', disabled: true }).waitFor()
  resolve()
  await page.getByText('You are a member now.').waitFor()
  await notice('Unwanted team').locator('button:focus').waitFor()
  await notice('Lead invites you to Unwanted team').getByRole('button', { name: 'Decline' }).click()
  await page.getByText('Invitation declined.').waitFor()
  await notice('Unwanted team').getByText('You are not a member').waitFor()
  await notice('Wanted team').locator('a:focus').waitFor()
  await notice('to Wanted team').getByRole('link').click()
  await page.getByRole('heading', { name: 'Wanted team' }).waitFor()
  const { role } = await mate.api<{ role: string }>('GET', `/api/v1/workspaces/${wanted}`)
  expect(role).toBe('editor')
})

test('all notices are marked as read at once, and markup in a name stays text', async () => {
  const [lead, mate] = [await stage.account('Busy lead'), await stage.person('Reader')]
  const hostile = `"><img src=x onerror="throw new Error('ran')">`
  for (const name of ['One team', 'Two team', hostile]) await addTo(lead, name, mate)
  const { page } = mate
  await openPage(page, '/inbox')
  await page.getByText('added you to One team').waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  // Opening what one is about marks it as read.
  await page.getByRole('listitem').filter({ hasText: 'One team' }).getByRole('link').click()
  await page.getByRole('link', { name: 'Inbox 2 unread' }).click()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  await page.locator('main h1:focus').waitFor()
  await expect.poll(() => page.getByText('New', { exact: true }).count()).toBe(0)
  await visit(page, '/inbox?page=2')
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText('added you to One team').waitFor()
})

test('the inbox looks right in every size and theme, full and empty', async () => {
  const [lead, mate] = [await stage.account('Team lead'), await stage.person('Newcomer')]
  await look(mate, '/inbox', 'inbox-empty', 'Nothing here')
  await addTo(lead, 'Platform team', mate)
  await mate.api('PUT', '/api/v1/user/settings', { ask_before_added: true })
  await addTo(lead, 'Incident reviews', mate, 'admin')
  await addTo(lead, 'name_without_a_blank_'.repeat(5), mate)
  await look(mate, '/inbox', 'inbox', 'Platform team')
})
