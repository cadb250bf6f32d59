import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { intercept, lockNext, loseAnswer } from './intercept.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { openStage } from './support.ts'
import { comeBack, openPage, reopenPage, visit } from './visit.ts'

const stage = openStage()
type CardAnswer = { card_id: string; version: number }

test('history shows what each version changed, and an old one comes back', async () => {
  const person = await stage.person('Historian')
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[4])
  await person.api('PATCH', `/api/v1/cards/${card.card_id}`, {
    title: 'A retry charged a customer three times',
  })
  const { page } = person
  await openPage(page, `/cards/${card.card_id}/history`)
  await page.getByRole('heading', { name: 'What version 2 changed' }).waitFor()
  await page.locator('ins', { hasText: 'three times' }).waitFor()
  await page.getByRole('button', { name: /^Version 1/ }).click()
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await page.getByText('Version 1 is back, as version 3.').waitFor()
  // Changed by somebody else meanwhile: that is told, and the next try is on top of it.
  await person.api('PATCH', `/api/v1/cards/${card.card_id}`, { title: 'A retry charged a customer twice' })
  await page.getByRole('button', { name: /^Version 2/ }).click()
  await page.getByRole('button', { name: 'Restore version 2' }).click()
  await page.getByRole('button', { name: /^Version 4/ }).waitFor()
  await page.getByRole('button', { name: 'Restore version 2' }).click()
  await page.getByText('Version 2 is back, as version 5.').waitFor()
  await visit(page, `/cards/${card.card_id}`)
  await page.getByRole('heading', { name: 'A retry charged a customer three times' }).waitFor()
  // Nor does undo go back over what somebody else has saved since.
  await person.api('PATCH', `/api/v1/cards/${card.card_id}`, { title: 'A retry charged a customer once' })
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page.getByRole('region', { name: 'Notices' }).getByText('is at version 6').waitFor()
  await page.getByRole('heading', { name: 'A retry charged a customer once' }).waitFor()
})

async function commentOfOthers(cardId: string, people: number): Promise<void> {
  for (let at = 0; at < people; at++) {
    const { api } = await stage.account(`Commenter ${at}`)
    await api('POST', `/api/v1/cards/${cardId}/feedback`, { kind: 'useful', comment: `Comment ${at}` })
  }
}

test('a reader says that a card worked, and its author reads what others wrote', async () => {
  const author = await stage.person('Author')
  const reader = await stage.person('Reader')
  const { workspace_id } = await author.api<{ workspace_id: string }>('POST', '/api/v1/workspaces', {
    name: 'Open team',
    visibility: 'public',
  })
  const members = `/api/v1/workspaces/${workspace_id}/members`
  const member = { email: reader.email, role: 'editor' }
  const { user_id } = await author.api<{ user_id: string }>('POST', `${members}/by-email`, member)
  const card = await author.api<CardAnswer>('POST', '/api/v1/cards', { ...SAMPLES[0], workspace_id })
  await author.api('POST', `/api/v1/cards/${card.card_id}/share`)
  await openPage(reader.page, `/cards/${card.card_id}`)
  const { page } = reader
  const pressed = (name: string) => page.getByRole('button', { name, pressed: true }).waitFor()
  const [dialog, note] = [page.getByRole('dialog'), page.getByRole('dialog').getByLabel('Note')]
  const addDetails = () => page.getByRole('button', { name: 'Add details' }).click()
  await page.getByRole('button', { name: 'Worked' }).click()
  await pressed('Worked')
  await settled(page)
  await addDetails()
  await note.fill('Saved me an afternoon.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('listitem').getByText('Saved me an afternoon.').waitFor()
  // The reader finds the own one behind however many of others.
  await commentOfOthers(card.card_id, 20)
  await reopenPage(page)
  await pressed('Worked')
  await addDetails()
  expect(await note.inputValue()).toBe('Saved me an afternoon.')
  await settled(page)
  await expectAccessible(page)
  // Sent, and the card left before the answer: nothing waits to be sent.
  await note.fill('Saved me an afternoon, and an evening.')
  const goOn = await lockNext(page, '**/verdicts')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await visit(page, '/library')
  goOn()
  await page.getByText('Noted.').waitFor()
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join())).not.toContain('kv-verdict')
  await openPage(page, `/cards/${card.card_id}`)
  // What this person says elsewhere is shown here too.
  await reader.api('POST', `/api/v1/cards/${card.card_id}/feedback`, { kind: 'not_applicable' })
  await comeBack(page)
  await pressed('Failed')
  await page.getByRole('button', { name: 'Outdated' }).click()
  await pressed('Outdated')
  await settled(page)
  await author.api('PATCH', `${members}/${user_id}`, { role: 'viewer' })
  await openPage(reader.page, `/cards/${card.card_id}/edit`)
  await reader.page.getByRole('heading', { name: 'You can read this card, not change it' }).waitFor()
  await reader.page.getByRole('link', { name: 'Read the card' }).click()
  await reader.page.getByRole('heading', { name: SAMPLES[0].title }).waitFor()
  await openPage(author.page, `/cards/${card.card_id}`)
  await author.page.getByRole('button', { name: 'Show more of 21' }).click()
  await author.page.getByText('Comment 0', { exact: true }).waitFor()
})

test('a deleted card is gone at once and comes back by undo, also while a dialog is open', async () => {
  const person = await stage.person('Deleter')
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[5])
  const { page } = person
  await openPage(page, `/cards/${card.card_id}`)
  const remove = async () => {
    await page.getByRole('button', { name: 'More' }).first().click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
  }
  // The first try deletes it, and only its answer is lost.
  await intercept(page, `**/api/v1/cards/${card.card_id}`, loseAnswer, { times: 1 })
  await remove()
  await page.getByText('The server cannot be reached').first().waitFor()
  await remove()
  await page.getByText('No cards yet').waitFor()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard' })
  await keys.getByRole('button', { name: 'Undo' }).waitFor()
  // Plain keys are for the dialog now.
  await page.keyboard.press('c')
  await expectAccessible(page)
  await keys.getByRole('button', { name: 'Undo' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: /^Exit codes/ }).waitFor()
})

test('copying gives a document, a prompt and a link; the keys do the same', async () => {
  const person = await stage.person('Copier')
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[0])
  const { page } = person
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await openPage(page, `/cards/${card.card_id}`)
  for (const [item, expected] of [
    ['Copy as Markdown', '# Connection pool exhausted'],
    ['Copy as a prompt', '<card>'],
    ['Copy link', `/cards/${card.card_id}`],
  ] as const) {
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    expect(await clipboard()).toContain(expected)
  }
  await page.keyboard.press('e')
  await page.getByRole('heading', { name: 'Edit card' }).waitFor()
})

test('a list of thousands of cards can be filtered, sorted and moved through by key, and only visible rows are drawn', async () => {
  const person = await stage.person('Collector')
  const { page } = person
  for (let i = 1; i <= 90; i++)
    await person.api('POST', '/api/v1/cards', {
      ...SAMPLES[i % SAMPLES.length],
      title: `Note ${String(i).padStart(3, '0')}${i % 30 === 0 ? ' about heron nests' : ''}`,
    })
  await openPage(page, '/cards?sort=title')
  await page.getByText('90 cards').first().waitFor()
  const rows = page.getByRole('list', { name: 'Cards' }).getByRole('listitem')
  await rows.getByRole('link', { name: 'Note 001' }).waitFor()
  expect(await rows.count()).toBeLessThan(60)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Note 002')
  const secondPage = (address: URL) => address.searchParams.get('page') === '2'
  await intercept(page, secondPage, (route) =>
    route.fulfill({ status: 500, json: { detail: 'No', code: 'internal' } }),
  )
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await page.getByText('Some of these cards did not load.').waitFor()
  await page.unroute(secondPage)
  await page.getByRole('button', { name: 'Try again' }).click()
  const last = rows.getByRole('link', { name: 'Note 090 about heron nests' })
  await last.waitFor()
  expect(await rows.count()).toBeLessThan(60)
  await settled(page)

  // Back leads to the row that was opened, with the focus on it.
  await last.click()
  await page.getByRole('heading', { level: 1, name: 'Note 090 about heron nests' }).waitFor()
  await page.goBack()
  await last.waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('Note 090 about heron nests')

  // A blank at the end stays while the list follows: the next word is another one.
  const filter = page.getByLabel('Filter')
  await filter.fill('heron ')
  await page.getByText('3 cards').first().waitFor()
  await filter.pressSequentially('nests')
  expect(await filter.inputValue()).toBe('heron nests')
  await page.waitForURL(/q=heron.+nests/)
  await page.getByLabel('Sort by').selectOption('created')
  await page.waitForURL(/sort=created/)
  await expect.poll(() => rows.first().textContent()).toContain('Note 090')
  // What is chosen stays as long as the list does.
  const chosen = page.getByText('1 card chosen')
  await rows.first().getByRole('checkbox').check()
  await page.getByLabel('Tag', { exact: true }).focus()
  await page.keyboard.press('Tab')
  await settled(page)
  expect(await chosen.count()).toBe(1)
  await rows.first().getByRole('link', { name: 'Only with the tag' }).first().click()
  await page.waitForURL(/tag=/)
  await chosen.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Drop the tag/ }).click()
  await page.getByLabel('Tag', { exact: true }).fill('no-such-tag')
  await page.keyboard.press('Enter')
  await page.getByText('No card fits these filters').waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Drop the tag no-such-tag')
  await page.keyboard.press('Enter')
  await page.getByText('3 cards').first().waitFor()
  await page.getByRole('list', { name: 'Most used tags' }).getByRole('link').first().click()
  await page.waitForURL(/tag=/)
  await page.getByRole('button', { name: /^Drop the tag/ }).click()
  await page.getByText('Fixes').click()
  await page.waitForURL(/track=debug/)
})

test('an empty list has nothing to filter and no bars of zero; sample cards open when they are added', async () => {
  const { page } = await stage.person('Empty handed')
  await openPage(page, '/cards')
  await page.getByText('No cards yet').waitFor()
  expect(await page.getByPlaceholder('Words in the card').count()).toBe(0)
  expect(await page.getByRole('complementary', { name: 'Numbers' }).count()).toBe(0)
  await page.getByRole('main').getByRole('button', { name: 'Add sample cards' }).click()
  await page.getByText('4 sample cards among yours').waitFor()
  await page.getByPlaceholder('Words in the card').fill('no such words')
  await page.getByText('No card fits these filters').waitFor()
  await page.getByPlaceholder('Words in the card').waitFor()
})

test('a form says what it misses in its own fields, and the first one gets the focus', async () => {
  const { page } = await stage.person('Hasty writer')
  await openPage(page, '/cards/new')
  await page.getByLabel('Title').fill('A title')
  await page.getByRole('button', { name: 'Save card' }).click()
  await page.locator('textarea:focus').waitFor()
  const symptom = page.getByRole('textbox', { name: 'Symptom', exact: true })
  expect(await symptom.evaluate((box) => box === document.activeElement)).toBe(true)
  const missing = page.getByText('Fill this in.')
  expect(await missing.count()).toBe(2)
  await expectAccessible(page)
  await symptom.fill('It fails.')
  expect(await missing.count()).toBe(1)
})
