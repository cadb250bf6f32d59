import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { breakAnswer, intercept } from './intercept.ts'
import { lookAround, picture } from './pictures.ts'
import { settled } from './settled.ts'
import { type Account, openStage, PASSWORD, type Person } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()

/** Throws if any of it is ever taken for markup; the window's watch turns the error into a failed test. */
const HOSTILE = `"><img src=x onerror="throw new Error('ran')"><script>throw new Error('ran')</script>`

type Workspace = { workspace_id: string }
type InviteAction = { invite_url: string }

async function teamOf(lead: Account, name = 'Platform team'): Promise<string> {
  const { workspace_id } = await lead.api<Workspace>('POST', '/api/v1/workspaces', { name, type: 'team' })
  return workspace_id
}

const CARD = {
  title: 'Connection pool runs dry under load',
  symptom: 'Requests hang after a few minutes of traffic and the pool reports no free connections at all.',
  fix_summary: 'Return the connection in a finally block; an early return kept it open in the error path.',
}

test('a lead invites somebody new, who accepts, and both find the card that is shared', async () => {
  const lead = await stage.person('Team lead')
  const { page } = lead
  await openPage(page, '/workspaces')
  await page.getByRole('heading', { name: 'No team yet' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New workspace' }).click()
  await page.getByLabel('Name').fill('Platform team')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create workspace' }).click()

  await page.getByLabel('E-mail address').fill('newcomer@example.com')
  await page.getByLabel('Role', { exact: true }).selectOption('editor')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('No mail is sent, so send them this link yourself.').waitFor()
  await page.getByText('which other computers cannot open').getByText('BASE_URL').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Copy invitation link' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  const workspaceId = new URL(page.url()).pathname.split('/').at(-1)
  await page.getByRole('link', { name: 'Team cards' }).click()
  await page.getByText('Nothing shared yet').waitFor()

  const guest = await stage.window()
  await guest.page.goto(link)
  await guest.page.getByRole('heading', { name: 'Join Platform team' }).waitFor()
  await guest.page.getByText('Team lead invites').waitFor()
  await guest.page.getByRole('link', { name: 'Create an account and join' }).click()
  await guest.page.getByLabel('Name').fill('Newcomer')
  expect(await guest.page.getByLabel('Invite code').count()).toBe(0)
  expect(await guest.page.getByLabel('E-mail').inputValue()).toBe('newcomer@example.com')
  await guest.page.getByLabel('Password').fill(PASSWORD)
  await guest.page.getByRole('button', { name: 'Create account' }).click()
  await guest.page.getByText('You are editor of Platform team now.').waitFor()

  const { card_id } = await lead.api<{ card_id: string }>('POST', '/api/v1/cards', {
    ...CARD,
    workspace_id: workspaceId,
  })
  const find = async () => {
    await openPage(guest.page, '/?q=connection+pool+dry')
    await settled(guest.page)
    return guest.page.getByText(CARD.title).count()
  }
  expect(await find()).toBe(0)
  await lead.api('POST', `/api/v1/cards/${card_id}/share`)
  expect(await find()).toBeGreaterThan(0)

  await openPage(page, `/workspaces/${workspaceId}?tab=members`)
  await page.getByRole('row', { name: /Newcomer/ }).waitFor()
  await page.getByRole('tab', { name: 'Audit log' }).click()
  await page.getByText('accepted an invitation').first().waitFor()
})

test('a signed-in person accepts with one click; the link works once', async () => {
  const lead = await stage.account('Inviter')
  const guest = await stage.person('Guest')
  const id = await teamOf(lead, 'Mobile team')
  const { invite_url } = await lead.api<InviteAction>('POST', `/api/v1/workspaces/${id}/invites`, {
    email: guest.email,
  })
  await openPage(guest.page, invite_url)
  await guest.page.getByRole('button', { name: 'Accept and join' }).click()
  await guest.page.getByText('You are viewer of Mobile team now.').waitFor()
  await guest.page.getByText('What editors share with the team').waitFor()
  expect(await guest.page.getByRole('link', { name: 'Write a card' }).count()).toBe(0)
  await openPage(guest.page, invite_url)
  await guest.page.getByText('This invitation has already been accepted.').waitFor()
  await guest.page.getByRole('link', { name: 'Open my workspaces' }).waitFor()
  // Who opens an invitation for another address can go on as somebody else.
  const other = await lead.api<InviteAction>('POST', `/api/v1/workspaces/${id}/invites`, {
    email: 'somebody-else@example.com',
  })
  await openPage(guest.page, other.invite_url)
  await guest.page.getByRole('button', { name: 'Use another' }).click()
  await guest.page.getByRole('link', { name: 'I have an account' }).waitFor()
  // Somebody else with the link is not taken for a member.
  await openPage(guest.page, invite_url)
  await guest.page.getByText('This invitation has already been accepted.').waitFor()
  expect(await guest.page.getByText('You are in').count()).toBe(0)
  await guest.page.getByRole('link', { name: 'Sign in' }).waitFor()
})

test('a link that was replaced or revoked says so, without saying more', async () => {
  const lead = await stage.person('Revoker')
  const id = await teamOf(lead)
  const { invite_url } = await lead.api<InviteAction>('POST', `/api/v1/workspaces/${id}/invites`, {
    email: 'late@example.com',
  })
  await openPage(lead.page, `/workspaces/${id}?tab=invitations`)
  const renew = lead.page.getByRole('button', { name: 'Make a new link for late@example.com' })
  await renew.press('Enter')
  await lead.page.getByText('The old one no longer works.').waitFor()
  expect(await renew.evaluate((button) => button === document.activeElement)).toBe(true)
  const { page } = await stage.window()
  await openPage(page, invite_url)
  await page.getByRole('heading', { name: 'No invitation here' }).waitFor()
  await expectAccessible(page)
  await lead.page.getByRole('button', { name: 'Revoke the invitation of late@example.com' }).click()
  await lead.page.getByText('was revoked').waitFor()
  await lead.page.getByRole('region', { name: 'Invitation link' }).waitFor({ state: 'detached' })
  await lead.page.getByRole('heading', { name: 'No open invitations' }).waitFor()
  await lead.page.locator('main h1:focus').waitFor()
  await lead.page.getByLabel('Show accepted, declined and revoked').check()
  await lead.page
    .getByRole('row', { name: /late@example.com/ })
    .getByText('Revoked')
    .filter({ visible: true })
    .waitFor()
})

test('a role changes at once and can be undone; who gives up the own one is asked first', async () => {
  const lead = await stage.person('Role lead')
  const member = await stage.person('Member')
  const id = await teamOf(lead)
  await lead.api('POST', `/api/v1/workspaces/${id}/members/by-email`, { email: member.email, role: 'viewer' })
  const { page } = lead
  await openPage(page, `/workspaces/${id}?tab=members`)
  await page.getByLabel('Role of Member').selectOption('editor')
  await page.getByText('Member is editor now.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => page.getByLabel('Role of Member').inputValue()).toBe('viewer')
  await intercept(page, '**/members**', (route) =>
    route.fulfill({ status: 500, json: { detail: 'It is stuck.' } }),
  )
  await page.getByLabel('Role of Member').selectOption('admin')
  await page.getByText('It is stuck.').waitFor()
  expect(await page.getByLabel('Role of Member').inputValue()).toBe('viewer')
  await page.unroute('**/members**')
  await page.getByLabel('Role of Role lead').selectOption('viewer')
  await page.getByRole('button', { name: 'Become viewer' }).click()
  await page.getByText('This is the last admin').waitFor()
  expect(await page.getByLabel('Role of Role lead').inputValue()).toBe('admin')

  await page.getByRole('button', { name: 'Remove Member' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Member was removed.').waitFor()
  await page.locator('[aria-label="Leave the workspace"]:focus').waitFor()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page
    .getByRole('row', { name: /Member/ })
    .first()
    .waitFor()

  const second = await stage.account('Second admin')
  await lead.api('POST', `/api/v1/workspaces/${id}/members/by-email`, { email: second.email, role: 'admin' })
  await openPage(page, `/workspaces/${id}?tab=members`)
  await page.getByLabel('Role of Role lead').selectOption('editor')
  const asked = page.getByRole('dialog', { name: 'Give up being admin of Platform team' })
  await asked.getByText('You cannot undo this yourself').waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByLabel('Role of Role lead').inputValue()).toBe('admin')
  await page.getByLabel('Role of Role lead').selectOption('editor')
  await asked.getByRole('button', { name: 'Become editor' }).click()
  await page.getByText('You are editor of Platform team now.').waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await page.getByLabel('Role of Second admin').waitFor({ state: 'detached' })

  await openPage(member.page, `/workspaces/${id}?tab=members`)
  await member.page.getByRole('row', { name: /Role lead/ }).waitFor()
  expect(await member.page.getByRole('tab', { name: 'Policy' }).count()).toBe(0)
  await member.page.getByRole('button', { name: 'Leave the workspace' }).click()
  await member.page.getByText('no longer read or find what others share in this workspace').waitFor()
  await member.page.getByRole('button', { name: 'Leave', exact: true }).click()
  await member.page.getByText('You left Platform team.').waitFor()
  await openPage(member.page, `/workspaces/${id}`)
  await member.page.getByRole('heading', { name: 'Not found' }).waitFor()

  // Removed while the page is open: the next click says so, and leads on.
  const { user_id } = await lead.api<{ user_id: string }>('GET', '/api/v1/auth/me')
  await second.api('DELETE', `/api/v1/workspaces/${id}/members/${user_id}`)
  await page.getByRole('tab', { name: 'This week' }).click()
  await page.getByRole('link', { name: 'All workspaces' }).waitFor()
  expect(await page.getByText('You are editor', { exact: true }).count()).toBe(0)
})

test('the policy is edited without losing what others put there', async () => {
  const lead = await stage.person('Policy lead')
  const { workspace_id: id } = await lead.api<Workspace>('POST', '/api/v1/workspaces', {
    name: 'Careful team',
    type: 'team',
    policy_json: { retention_days: 90 },
  })
  const { page } = lead
  await openPage(page, `/workspaces/${id}?tab=policy`)
  await page.getByText('retention_days').waitFor()
  await page.getByLabel('Cards of this workspace may be published').uncheck()
  const domains = page.getByLabel('Invite only people of these domains')
  await domains.fill('not a domain!!')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Input should be a domain such as example.com', { exact: true }).waitFor()
  expect(await domains.getAttribute('aria-invalid')).toBe('true')
  await domains.fill('@example.com')
  // Neither another tab nor what another admin changes meanwhile takes away what is not saved yet.
  await lead.api('PATCH', `/api/v1/workspaces/${id}`, { name: 'Very careful team' })
  await page.getByRole('tab', { name: 'Invitations' }).click()
  await page.getByLabel('E-mail address').fill('somebody@example.net')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByRole('heading', { name: 'Very careful team' }).waitFor()
  await page.getByRole('tab', { name: 'Policy' }).click()
  expect(await domains.inputValue()).toBe('@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It applies from now on.').waitFor()
  expect(await lead.api('GET', `/api/v1/workspaces/${id}`)).toMatchObject({
    name: 'Very careful team',
    policy_json: { retention_days: 90, allow_publish: false, invite_domains: ['example.com'] },
  })
  // What another admin changes while the page is open stays, whether a name or the policy is saved here.
  const policy = { allow_publish: false, invite_domains: ['example.com'] }
  await lead.api('PATCH', `/api/v1/workspaces/${id}`, { policy_json: { ...policy, retention_days: 30 } })
  await page.getByLabel('Name', { exact: true }).fill('Most careful team')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Most careful team' }).waitFor()
  const saved = () => lead.api<Workspace>('GET', `/api/v1/workspaces/${id}`)
  expect(await saved()).toMatchObject({ policy_json: { ...policy, retention_days: 30 } })
  await settled(page)
  await lead.api('PATCH', `/api/v1/workspaces/${id}`, { policy_json: { ...policy, retention_days: 7 } })
  await page.getByLabel('A verdict counts half after').fill('90')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(saved)
    .toMatchObject({ policy_json: { ...policy, retention_days: 7, trust_half_life_days: 90 } })
  await page.getByRole('tab', { name: 'Invitations' }).click()
  await page.getByLabel('E-mail address').fill('somebody@example.org')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByRole('alert').waitFor()
})

test('changes of a policy wait until they are saved, also where the session ends', async () => {
  const { page, email, api } = await stage.person('Interrupted lead')
  const { workspace_id: id } = await api<Workspace>('POST', '/api/v1/workspaces', { name: 'Patient team' })
  await openPage(page, `/workspaces/${id}?tab=policy`)
  const domains = page.getByLabel('Invite only people of these domains')
  const back = page.getByText('What you changed before is back.')
  await domains.fill('example.com')
  expect(await back.count()).toBe(0)
  await visit(page, '/library')
  await page.goBack()
  await back.waitFor()
  expect(await domains.inputValue()).toBe('example.com')
  await expectAccessible(page)
  await picture(page, 'policy-back')
  await page.getByRole('button', { name: 'Discard' }).click()
  expect([await domains.inputValue(), await back.count()]).toEqual(['', 0])

  await domains.fill('example.org')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await back.waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It applies from now on.').waitFor()
  await back.waitFor({ state: 'detached' })
  await visit(page, '/library')
  await page.goBack()
  expect(await domains.inputValue()).toBe('example.org')
  expect(await back.count()).toBe(0)
})

test('markup in a name of a workspace, a person or an invitation stays text', async () => {
  const lead = await stage.person('Careless')
  const name = HOSTILE.slice(0, 120)
  await lead.api('PATCH', `/api/v1/workspaces/${await teamOf(lead)}`, { name })
  const { items } = await lead.api<{ items: { name: string; workspace_id: string }[] }>(
    'GET',
    '/api/v1/workspaces?include_public=false',
  )
  const id = items.find((one) => one.name === name)?.workspace_id
  const { invite_url } = await lead.api<InviteAction>('POST', `/api/v1/workspaces/${id}/invites`, {
    email: 'guest@example.com',
  })
  const { page } = lead
  for (const path of ['/workspaces', `/workspaces/${id}`, `/workspaces/${id}?tab=audit`, invite_url]) {
    await openPage(page, path)
    await page.getByText(name).first().waitFor()
    expect(await page.locator('img').count(), path).toBe(0)
  }
})

test('a new workspace is made by keyboard alone', async () => {
  const { page, api } = await stage.person('Keyboard lead')
  await openPage(page, '/workspaces')
  await page.getByRole('button', { name: 'New workspace' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Name').waitFor()
  await page.keyboard.type('Typed team')
  // It is made, but the answer is lost: who tries again makes no second one.
  await intercept(page, '**/api/v1/workspaces', breakAnswer, { times: 1 })
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('The answer is lost.').waitFor()
  // A form is sent once in two frames, and an answer may be sooner on a busy machine.
  await settled(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Typed team' }).waitFor()
  const { items } = await api<{ items: { name: string }[] }>('GET', '/api/v1/workspaces')
  expect(items.filter(({ name }) => name === 'Typed team')).toHaveLength(1)
  await page.getByRole('tab', { name: 'Invitations' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByLabel('Cards of this workspace may be published').waitFor()
})

async function furnished(): Promise<{ lead: Person; id: string; inviteUrl: string }> {
  const lead = await stage.person('Team lead')
  const id = await teamOf(lead)
  await teamOf(lead, 'Incident reviews')
  for (const [name, role] of [
    ['Backend developer', 'editor'],
    ['Support engineer', 'viewer'],
  ] as const) {
    const member = await stage.account(name)
    await lead.api('POST', `/api/v1/workspaces/${id}/members/by-email`, { email: member.email, role })
  }
  const { invite_url } = await lead.api<InviteAction>('POST', `/api/v1/workspaces/${id}/invites`, {
    email: 'newcomer@example.com',
    role: 'editor',
  })
  return { lead, id, inviteUrl: invite_url }
}

test('the list of workspaces, each tab of one and an invitation look right in every size and theme', async () => {
  const { lead, id, inviteUrl } = await furnished()
  await lookAround(lead, [
    ['/workspaces', 'team', 'Incident reviews'],
    [`/workspaces/${id}?tab=members`, 'team-members', 'Support engineer'],
    [`/workspaces/${id}?tab=invitations`, 'team-invitations', 'newcomer@example.com'],
    [`/workspaces/${id}?tab=policy`, 'team-policy', 'Cards of this workspace may be published'],
    [`/workspaces/${id}?tab=audit`, 'team-audit', 'created the workspace'],
  ])
  // The window is a phone's by now: a role can be read, and a member removed, without scrolling sideways.
  const { page: phone } = lead
  const log = phone.getByRole('region', { name: 'Audit log' })
  expect(await log.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0)
  await visit(phone, `/workspaces/${id}?tab=members`)
  const role = await phone.getByLabel('Role of Backend developer').boundingBox()
  expect(role?.width).toBeGreaterThanOrEqual(128)
  const remove = await phone.getByRole('button', { name: 'Remove Backend developer' }).boundingBox()
  expect((remove?.x ?? 360) + (remove?.width ?? 0)).toBeLessThanOrEqual(344)

  // The invitation, for somebody who is not signed in.
  await lead.context.clearCookies()
  await openPage(phone, inviteUrl)
  await phone.getByRole('heading', { name: 'Join Platform team' }).waitFor()
  await expectAccessible(phone)
  await picture(phone, 'invitation-360-dark')
})
