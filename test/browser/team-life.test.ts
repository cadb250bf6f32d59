import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { mailTeams } from '../../src/features/inbox/team-week.ts'
import { sendDueMails } from '../../src/features/mail/sender.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { startSmtp } from '../support/smtp.ts'
import { expectAccessible } from './accessible.ts'
import { intercept, lockNext, loseAnswer } from './intercept.ts'
import { judgeThreeSizes, picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { openStage, type Person, switchSetting } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())
const stage = openStage({ SMTP_URL: smtp.url })
beforeAll(() => stage.publishByStranger())

const HOSTILE = `<img src=x onerror="throw new Error('ran')">`
const never = new AbortController().signal

type Id = { card_id: string; workspace_id: string; user_id: string }

async function teamOf(lead: Person, ...others: [Person, string][]): Promise<string> {
  const { workspace_id } = await lead.api<Id>('POST', '/api/v1/workspaces', { name: 'Platform team' })
  for (const [{ email }, role] of others)
    await lead.api('POST', `/api/v1/workspaces/${workspace_id}/members/by-email`, { email, role })
  return workspace_id
}

async function shared(owner: Person, workspace_id: string, sample = 0): Promise<string> {
  const card = await owner.api<Id>('POST', '/api/v1/cards', { ...SAMPLES[sample], workspace_id })
  await owner.api('POST', `/api/v1/cards/${card.card_id}/share`)
  return card.card_id
}

test('two people talk about a card: a mention, an answer, an edit and a deletion', async () => {
  const [lead, mate] = [await stage.person('Ada Lead'), await stage.person('Mate Miller')]
  const team = await teamOf(lead, [mate, 'editor'])
  const title = SAMPLES[0].title
  const cardId = await shared(lead, team)

  const { page } = mate
  await openPage(page, `/cards/${cardId}`)
  const field = page.getByLabel('New comment')
  await field.click()
  await page.keyboard.insertText('Does it **hold** for replicas too, ')
  await page.keyboard.type('@le')
  await page.getByRole('option', { name: 'Ada Lead' }).waitFor()
  await page.getByText('1 member matches. Arrow keys choose').waitFor({ state: 'attached' })
  await expectAccessible(page)
  await picture(page, 'comment-mention-1280-light')
  // This Enter ends a composition and chooses nobody.
  await field.dispatchEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing: true })
  expect(await field.inputValue()).toMatch(/@le$/)
  await page.keyboard.press('Enter')
  await page.keyboard.insertText(`? ${HOSTILE}`)
  // It waits while something else is looked at.
  await visit(page, '/library')
  await page.goBack()
  await field.click()
  expect(await field.inputValue()).toContain('@Ada Lead ?')
  // The comment gets through, and only the answer is lost: sent again, it is still one.
  const comments = `**/api/v1/cards/${cardId}/comments`
  await intercept(page, comments, loseAnswer, {
    times: 1,
  })
  await page.keyboard.press('Control+Enter')
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
  // A form is sent once in two frames, and an answer may be sooner on a busy machine.
  await settled(page)
  await page.keyboard.press('Control+Enter')
  const thread = page.getByRole('region', { name: 'Comments' })
  await thread.getByText('1 comment').waitFor()
  // Seen by everybody, since a long thread shows its last comments on request.
  await page.getByRole('region', { name: 'Notices' }).getByText('Your comment is added.').waitFor()
  expect(await thread.locator('strong').allTextContents()).toEqual(['hold', '@Ada Lead'])
  expect(await page.locator('main img').count()).toBe(0)
  expect(await field.inputValue()).toBe('')

  await openPage(lead.page, '/')
  await lead.page.getByRole('link', { name: 'Inbox 1 unread' }).click()
  const notice = lead.page.getByRole('listitem').filter({ hasText: 'mentioned you on' })
  await notice.getByText(`Mate Miller mentioned you on “${title}”`).waitFor()
  await expectAccessible(lead.page)
  await notice.getByRole('link').click()
  await lead.page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  const leadThread = lead.page.getByRole('region', { name: 'Comments' })
  await leadThread.getByLabel('New comment').fill('It does, @Mate Miller.')
  await leadThread.getByLabel('New comment').press('Tab')
  await lead.page.keyboard.press('Enter')
  await leadThread.getByText('2 comments').waitFor()
  await leadThread.locator('textarea:focus').waitFor()
  await leadThread.scrollIntoViewIfNeeded()
  await judgeThreeSizes(lead.page, 'comments')

  await leadThread.getByRole('button', { name: 'Edit' }).press('Enter')
  await leadThread.locator('textarea:focus').waitFor()
  expect(await leadThread.getByLabel('Your comment').inputValue()).toBe('It does, @Mate Miller.')
  await lead.page.keyboard.type(' Yes.')
  expect(await leadThread.getByLabel('Your comment').inputValue()).toBe('It does, @Mate Miller. Yes.')
  await lead.page.keyboard.press('Escape')
  await leadThread.getByRole('button', { name: 'Edit' }).click()
  expect(await leadThread.getByLabel('Your comment').inputValue()).toBe('It does, @Mate Miller. Yes.')
  // A second member of that name is not meant by it, nor is the one who is written to dropped.
  const namesake = await stage.account('Mate Miller')
  await lead.api('POST', `/api/v1/workspaces/${team}/members/by-email`, {
    email: namesake.email,
    role: 'editor',
  })
  await reopenPage(lead.page)
  await leadThread.getByRole('button', { name: 'Edit' }).click()
  const edited = leadThread.getByLabel('Your comment')
  await edited.fill('It does since 16, @Mate Miller.')
  const goOn = await lockNext(lead.page, `${comments}/*`)
  await leadThread.getByRole('button', { name: 'Save' }).click()
  // What is written while it is being saved stays, with all that stood before it.
  await edited.press('End')
  await lead.page.keyboard.type(' Really.')
  goOn()
  await leadThread.getByText('edited').waitFor()
  await settled(lead.page)
  expect(await edited.inputValue()).toBe('It does since 16, @Mate Miller. Really.')
  await leadThread.getByRole('button', { name: 'Save' }).click()
  await leadThread.locator('button:focus', { hasText: 'Edit' }).waitFor()
  const { items } = await lead.api<{ items: { body: string }[] }>('GET', `/api/v1/cards/${cardId}/comments`)
  const { user_id } = await mate.api<Id>('GET', '/api/v1/auth/me')
  expect(items.at(-1)?.body).toBe(`It does since 16, <@${user_id}>. Really.`)
  await openPage(page, '/inbox')
  await page.getByText('Ada Lead mentioned you on').waitFor()
  await page.getByRole('link', { name: /Ada Lead mentioned you/ }).click()
  await thread.getByText('It does since 16').waitFor()
  expect(await field.inputValue()).toBe('')

  // An admin takes away what somebody else wrote, and the log names the card.
  await leadThread.getByRole('button', { name: 'Delete' }).first().click()
  await lead.page.getByRole('dialog', { name: 'Delete the comment of Mate Miller?' }).waitFor()
  // The list cannot be read again: what is on the page stays, with what is being written there.
  const list = `**/api/v1/cards/${cardId}/comments?*`
  await intercept(lead.page, list, (route) => route.fulfill({ status: 500, json: { detail: 'Broken.' } }))
  await leadThread.getByLabel('New comment').evaluate((box) => box.setAttribute('data-same', ''))
  const refetch = lead.page.waitForResponse((answer) => answer.status() === 500)
  await lead.page.getByRole('button', { name: 'Delete', exact: true }).last().click()
  await refetch
  await settled(lead.page)
  expect(await leadThread.locator('textarea[data-same]').count()).toBe(1)
  await lead.page.unroute(list)
  await reopenPage(lead.page)
  await leadThread.getByText('1 comment').waitFor()
  await visit(lead.page, `/workspaces/${team}?tab=audit`)
  await lead.page.getByText('deleted a comment on').first().waitFor()
  await lead.page.getByRole('link', { name: title }).first().click()
  await lead.page.getByRole('heading', { name: title }).waitFor()
})

test('a comment that is edited in two windows loses nothing: the second one is shown what it says now', async () => {
  const lead = await stage.person('Two Windows')
  const mate = await stage.account('Reader')
  const team = await teamOf(lead)
  await lead.api('POST', `/api/v1/workspaces/${team}/members/by-email`, { email: mate.email, role: 'editor' })
  const cardId = await shared(lead, team)
  const path = `/api/v1/cards/${cardId}/comments`
  await lead.api('POST', path, { body: 'It holds for 15.' })
  const pages = [lead.page, await stage.sameSession(lead, {})]
  const [first, second] = pages.map((page) => page.getByRole('region', { name: 'Comments' }))
  for (const page of pages) await openPage(page, `/cards/${cardId}`)
  for (const thread of [first, second]) await thread?.getByRole('button', { name: 'Edit' }).click()
  await first?.getByLabel('Your comment').fill('It holds for 15 and 16.')
  await second?.getByLabel('Your comment').fill('It holds for 15, on Linux.')
  await first?.getByRole('button', { name: 'Save' }).click()
  await first?.getByText('edited').waitFor()

  await second?.getByRole('button', { name: 'Save' }).click()
  await second?.getByText('It now says:').waitFor()
  await second?.getByText('It holds for 15 and 16.').waitFor()
  expect(await second?.getByLabel('Your comment').inputValue()).toBe('It holds for 15, on Linux.')
  const bodies = async () =>
    (await lead.api<{ items: { body: string }[] }>('GET', path)).items.map(({ body }) => body)
  expect(await bodies()).toEqual(['It holds for 15 and 16.'])
  await expectAccessible(pages[1] ?? lead.page)
  await second?.getByLabel('Your comment').fill('It holds for 15 and 16, on Linux.')
  await second?.getByRole('button', { name: 'Save' }).click()
  await second?.getByText('It holds for 15 and 16, on Linux.').waitFor()
  expect(await bodies()).toEqual(['It holds for 15 and 16, on Linux.'])
})

test('somebody who cannot be mentioned, and a reader of the library, are told so calmly', async () => {
  const [lead, reader] = [await stage.person('Publisher'), await stage.person('Reader')]
  const team = await teamOf(lead)
  const cardId = await shared(lead, team)
  await lead.api('POST', `/api/v1/cards/${cardId}/publish`)
  await openPage(reader.page, `/cards/${cardId}`)
  await reader.page.getByRole('region', { name: 'Did it work?' }).waitFor()
  await settled(reader.page)
  expect(await reader.page.getByRole('region', { name: 'Comments' }).count()).toBe(0)
  await openPage(lead.page, `/cards/${cardId}`)
  await lead.page.getByText('not by readers of the library').waitFor()
  const { user_id } = await reader.api<Id>('GET', '/api/v1/auth/me')
  await lead.page.getByLabel('New comment').fill(`Hello <@${user_id}>`)
  await lead.page.getByRole('button', { name: 'Comment', exact: true }).click()
  await lead.page.getByText('is not a member who can read this card').waitFor()
  expect(await lead.page.getByLabel('New comment').inputValue()).toContain('Hello')
})

test('a team reads its week, switches a part off, and gets it by mail', async () => {
  const [lead, mate] = [await stage.person('Ada Lead'), await stage.person('Mate Miller')]
  for (const person of [lead, mate]) await confirm(person)
  const team = await teamOf(lead, [mate, 'editor'])
  const { page } = lead
  await openPage(page, `/workspaces/${team}`)
  await page.getByRole('heading', { name: 'A quiet week' }).waitFor()
  await expectAccessible(page)

  const first = await shared(mate, team)
  const second = await shared(lead, team, 1)
  await lead.api('POST', `/api/v1/cards/${first}/feedback`, { kind: 'useful' })
  await mate.api('POST', `/api/v1/cards/${second}/feedback`, { kind: 'outdated' })
  await mate.api('POST', '/api/v1/search', {
    query: 'kafka consumer lag',
    scope: 'workspace',
    workspace_ids: [team],
  })
  const { api_key } = await mate.api<{ api_key: string }>('POST', '/api/v1/auth/api-keys', { name: 'agent' })
  const draft = await fetch(`${stage.base}/api/v1/cards`, {
    method: 'POST',
    headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...SAMPLES[2], workspace_id: team }),
  })
  expect(draft.status).toBe(201)

  await reopenPage(page)
  const part = (name: string) => page.getByRole('region', { name })
  await part('New and changed cards').getByRole('link', { name: SAMPLES[0].title }).waitFor()
  await part('What worked for whom').getByText('worked for Ada Lead').waitFor()
  await part('Searches that found nothing').getByText('kafka consumer lag').waitFor()
  await part('Needs somebody').getByRole('link', { name: SAMPLES[1].title }).waitFor()
  await part('Needs somebody').getByText('A draft by an agent of Mate Miller').waitFor()
  await judgeThreeSizes(page, 'team-week')

  await page.getByRole('tab', { name: 'Policy' }).click()
  await page.getByLabel('Show the team which searches found nothing').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It applies from now on.').waitFor()
  await page.getByRole('tab', { name: 'This week' }).click()
  await part('Needs somebody').waitFor()
  // What was known of the week is shown until the new answer is there.
  await expect.poll(() => part('Searches that found nothing').count()).toBe(0)

  await visit(page, '/settings')
  await switchSetting(page.getByLabel('Mail me once a week what happened in my teams'), true)
  await page.getByText('Saved.', { exact: true }).waitFor()
  await mailOnMonday()
  const mail = await smtp.mailTo(lead.email, 'This week in Platform team')
  expect(mail.text).toContain('worked for Ada Lead')
  const window = await stage.window({ width: 640, height: 900 })
  await window.page.goto('about:blank')
  await window.page.setContent(mail.html ?? '')
  await picture(window.page, 'team-mail-640-light')
  await window.page.setViewportSize({ width: 390, height: 900 })
  await picture(window.page, 'team-mail-390-light')
  expect(await window.page.getByRole('link', { name: SAMPLES[0].title }).first().getAttribute('href')).toBe(
    `${stage.base}/cards/${first}`,
  )

  await openPage(mate.page, '/inbox')
  await mate.page.getByText(`Worked for Ada Lead: “${SAMPLES[0].title}”`).waitFor()
  await judgeThreeSizes(mate.page, 'inbox-cards')
  await visit(mate.page, '/billing')
  await mate.page.getByRole('link', { name: SAMPLES[0].title }).first().waitFor()
  await mate.page.getByRole('link', { name: SAMPLES[0].title }).first().scrollIntoViewIfNeeded()
  await judgeThreeSizes(mate.page, 'ledger')
})

/** As if they had followed the link: mails go, and credits are earned, only then. */
const confirm = ({ email }: Person) =>
  stage.app.services.database.transaction((db) =>
    db.updateTable('users').set({ email_verified: 1 }).where('email', '=', email).execute(),
  )

/** The job as it would run on the next Monday. */
async function mailOnMonday(): Promise<void> {
  const { services } = stage.app
  const weekMs = 7 * DAY_MS
  const monday = Date.parse('1970-01-05T06:00:00.000Z')
  const since = (Date.now() - monday) % weekMs
  const now = () => new Date(Date.now() - since + weekMs)
  const mails = { ...services, now }
  await mailTeams(contextFor(mails), never)
  await sendDueMails(contextFor(mails), never)
}
