import { expect, test } from 'vitest'
import { SAMPLES } from './samples.ts'
import { expectAccessible, openStage, PASSWORD, settled } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()
type CardAnswer = { card_id: string; version: number }

test('a card is written with the review at hand, saved, and read as it was written', async () => {
  const { page } = await stage.person('Writer')
  await openPage(page, '/cards/new')
  await page.getByText('What publishing asks for').waitFor()
  await page.getByText('only you can read it until you share it').waitFor()
  await page.getByLabel('Title').fill(SAMPLES[0].title)
  await page.getByLabel('Symptom', { exact: true }).fill(SAMPLES[0].symptom)
  await page.getByLabel('Fix', { exact: true }).last().fill(SAMPLES[0].fix_summary)
  await page.getByLabel('Root cause').fill(SAMPLES[0].root_cause)
  await page.getByText('Ready to publish').waitFor()
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByLabel('Step 1, action').fill('Log the idle count of the pool.')
  await page.getByLabel('Step 1, result').fill('It falls to 0.')
  await page.getByRole('button', { name: 'Add a line' }).click()
  await page.getByLabel('Environment 1, name').fill('node')
  await page.getByLabel('Environment 1, value').fill('20.11')
  await page.getByLabel('Tags').fill('postgres, pool, postgres')
  await page.getByRole('button', { name: 'Add evidence' }).click()
  await page.getByLabel('Evidence 1, content').fill('waiting=37 idle=0 total=10')
  await page.getByRole('textbox', { name: 'Notes' }).fill('1. أعد تشغيل الخادم')
  await page.getByRole('button', { name: 'Preview fix' }).click()
  await page.locator('pre code.hljs').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save card' }).click()

  await page.getByRole('heading', { name: SAMPLES[0].title }).waitFor()
  await page.getByText('Personal · Only you').waitFor()
  await page.getByText('waiting=37 idle=0 total=10').waitFor()
  // The number of an item from right to left needs room at its right.
  const item = page.getByRole('listitem').filter({ hasText: 'أعد تشغيل' })
  expect(await item.evaluate((li) => getComputedStyle(li).margin)).toBe('0px 20px 0px 0px')
  expect(await page.getByRole('list', { name: 'Tags' }).getByRole('listitem').count()).toBe(2)
})

test('a draft survives a reload and the end of its team, and is forgotten once the card is saved', async () => {
  const { page, api } = await stage.person('Drafter')
  const team = await api<{ workspace_id: string }>('POST', '/api/v1/workspaces', { name: 'Short-lived' })
  await page.goto('/cards/new')
  await page.getByLabel('Workspace').selectOption('Short-lived')
  await page.getByLabel('Title').fill('Half a thought about the deploy')
  await page.getByRole('button', { name: 'Add a step' }).click()
  // The focus is in the new row, and the page is left in the middle of the word.
  await page.keyboard.type('Look at the lo')
  await api('DELETE', `/api/v1/workspaces/${team.workspace_id}?confirm_name=Short-lived`)
  await page.reload()
  await page.getByText(/Your draft from .* is back/).waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('Half a thought about the deploy')
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.keyboard.type('Wait')
  expect(await page.getByLabel('Step 1, action').inputValue()).toBe('Look at the lo')
  await page.getByRole('button', { name: 'Remove step 2' }).click()
  expect(await page.getByLabel('Step 1, action').inputValue()).toBe('Look at the lo')
  await page.getByLabel('Symptom', { exact: true }).fill('The deploy hangs.')
  await page.getByLabel('Fix', { exact: true }).last().fill('Wait for it.')
  await page.getByText('You can no longer write in the workspace that this draft was for.').waitFor()
  await page.getByRole('button', { name: 'Save card' }).click()
  await page.getByRole('heading', { name: 'Half a thought about the deploy' }).waitFor()
  await page.getByText('Personal · Only you').waitFor()
  await page.goto('/cards/new')
  expect(await page.getByLabel('Title').inputValue()).toBe('')

  // On a small screen, no field that has the focus is behind the bars at the bottom.
  await page.getByLabel('Title').fill('A draft makes the bar taller')
  await page.getByRole('button', { name: 'Discard draft' }).waitFor()
  for (const size of [
    { width: 360, height: 640 },
    { width: 640, height: 400 },
  ]) {
    await page.setViewportSize(size)
    await page.getByLabel('Title').focus()
    const behind: string[] = []
    for (let at = 0; at < 16; at++) {
      await page.keyboard.press('Tab')
      behind.push(...(await page.evaluate(hiddenFocus)))
    }
    expect(behind, `${size.width} × ${size.height}`).toEqual([])
    const place = await page.evaluate(() => scrollY)
    await page.getByRole('button', { name: 'Save card' }).focus()
    expect(await page.evaluate(() => scrollY)).toBe(place)
  }
})

/** What has the focus, if something lies above all of it. Runs in the page. */
function hiddenFocus(): string[] {
  const focused = document.activeElement
  const box = focused?.getBoundingClientRect()
  if (!focused || !box || focused.matches('.sr-only')) return []
  const isSeen = [box.top + 2, box.top + box.height / 2, box.bottom - 2].some((y) =>
    focused.contains(document.elementFromPoint(box.left + box.width / 2, y)),
  )
  return isSeen ? [] : [focused.outerHTML.slice(0, 100)]
}

test('danger is pointed out while typing, with a safer way to say it', async () => {
  const { page } = await stage.person('Cautious')
  await openPage(page, '/cards/new')
  await page.getByLabel('Title').fill(SAMPLES[0].title)
  await page.getByLabel('Symptom', { exact: true }).fill(SAMPLES[0].symptom)
  const fix = page.getByLabel('Fix', { exact: true }).last()
  await fix.fill(`${SAMPLES[0].fix_summary} Then clear the disk with sudo rm -rf / and set chmod 777 /srv.`)
  await page.getByText('cannot be published like this').waitFor()
  await page.getByText('is marked for its readers').waitFor()
  await page.getByText('Name the exact folder').waitFor()
  await page.getByText('Not ready to publish yet').waitFor()
  await page.getByText('Nothing dangerous for readers').waitFor()
  await expectAccessible(page)
  await fix.fill(SAMPLES[0].fix_summary)
  await page.getByLabel('Root cause').fill(SAMPLES[0].root_cause)
  await page.getByText('Ready to publish').waitFor()
  await page.getByText('cannot be published like this').waitFor({ state: 'detached' })
})

test('a secret is pointed out while typing and replaced by one click', async () => {
  const { page } = await stage.person('Careful')
  await openPage(page, '/cards/new')
  const secret = ['AK', 'IA', 'QYLPMN5HFIQR7BBB'].join('')
  await page.getByLabel('Symptom', { exact: true }).fill(`The log shows ${secret} in clear text.`)
  await page.getByText('This looks like a secret').waitFor()
  await page.getByRole('button', { name: 'Put a placeholder' }).click()
  await page.getByText('This looks like a secret').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Symptom', { exact: true }).inputValue()).not.toContain(secret)
})

test('somebody else’s change is shown before anything is overwritten', async () => {
  const person = await stage.person('Editor')
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[0])
  const { page } = person
  await openPage(page, `/cards/${card.card_id}/edit`)
  await page.getByText('Personal · Only you').waitFor()
  await page.getByLabel('Title').fill('My new title for this card')
  await person.api('PATCH', `/api/v1/cards/${card.card_id}`, { title: 'Their new title for this card' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Nothing was saved over it').waitFor()
  await page.locator('del', { hasText: 'Their' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Go on with mine' }).click()
  // What is written while it is being saved is not lost with the draft.
  const cause = page.getByRole('textbox', { name: 'Root cause' })
  await page.route('**/api/v1/cards/*', async (route) => {
    if (route.request().method() === 'PATCH') await cause.fill('Written meanwhile')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  expect(await cause.inputValue()).toBe('Written meanwhile')
  await page.getByRole('button', { name: 'Add a line' }).click()
  for (const [line, version] of ['20', '22'].entries()) {
    if (line > 0) await page.getByRole('button', { name: 'Add a line' }).click()
    await page.getByLabel(`Environment ${line + 1}, name`).fill('node')
    await page.getByLabel(`Environment ${line + 1}, value`).fill(version)
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Environment: node is there twice.').waitFor()
  await page.getByRole('button', { name: 'Remove environment 1' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'My new title for this card' }).waitFor()
  await page.getByText('Written meanwhile').waitFor()

  // Deleted while somebody writes: the text goes on as a new card, also after the page was left.
  await page.keyboard.press('e')
  await page.getByLabel('Where it applies').fill('Only since 16.')
  await person.api('DELETE', `/api/v1/cards/${card.card_id}`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('it is no longer shared with you. Your text is still here.').waitFor()
  await expectAccessible(page)
  await openPage(page, `/cards/${card.card_id}`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  await page.getByRole('button', { name: 'Save as a new card of mine' }).click()
  await page.getByText(/Your draft from .* is back/).waitFor()
  expect(await page.getByRole('textbox', { name: 'Notes' }).inputValue()).toBe('Only since 16.')
  await page.getByRole('button', { name: 'Save card' }).click()
  await page.getByRole('heading', { name: 'My new title for this card' }).waitFor()
})

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
  await openPage(page, `/cards/${card.card_id}`)
  await page.getByRole('heading', { name: SAMPLES[4].title }).waitFor()
})

/** Feedback of people without a window. */
async function commentOfOthers(cardId: string, people: number): Promise<void> {
  const send = (path: string, body: object, token?: string) =>
    fetch(`${stage.base}/api/v1${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    })
  for (let at = 0; at < people; at++) {
    const account = { email: `commenter-${at}@example.com`, password: PASSWORD }
    const { access_token } = (await (await send('/auth/register', account)).json()) as {
      access_token: string
    }
    await send(`/cards/${cardId}/feedback`, { kind: 'useful', comment: `Comment ${at}` }, access_token)
  }
}

test('a reader says that a card helped, and its author reads the comment', async () => {
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
  await reader.page.getByRole('button', { name: 'Useful 0' }).click()
  await reader.page.getByRole('button', { name: 'Useful 1', pressed: true }).waitFor()
  await reader.page.getByLabel('Comment for the author').fill('Saved me an afternoon.')
  await reader.page.getByRole('button', { name: 'Send' }).click()
  await reader.page.getByText('Thank you. The author reads your comment.').waitFor()
  // An editor sees the feedback of others, and finds the own one behind however many of them.
  await commentOfOthers(card.card_id, 20)
  await reader.page.reload()
  await reader.page.getByRole('button', { name: 'Useful 21', pressed: true }).waitFor()
  await reader.page.getByRole('button', { name: 'Take back', exact: true }).waitFor()
  await settled(reader.page)
  await expectAccessible(reader.page)
  await author.api('PATCH', `${members}/${user_id}`, { role: 'viewer' })
  await openPage(reader.page, `/cards/${card.card_id}/edit`)
  await reader.page.getByRole('heading', { name: 'You can read this card, not change it' }).waitFor()
  await reader.page.getByRole('link', { name: 'Read the card' }).click()
  await reader.page.getByRole('heading', { name: SAMPLES[0].title }).waitFor()
  await openPage(author.page, `/cards/${card.card_id}`)
  await author.page.getByRole('button', { name: 'Show more of 21' }).click()
  await author.page.getByText('Saved me an afternoon.').waitFor()
})

test('a deleted card is gone at once and comes back by undo, also while a dialog is open', async () => {
  const person = await stage.person('Deleter')
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[5])
  const { page } = person
  await openPage(page, `/cards/${card.card_id}`)
  await page.getByRole('button', { name: 'More' }).first().click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
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
  for (let i = 1; i <= 180; i++)
    await person.api('POST', '/api/v1/cards', {
      ...SAMPLES[i % SAMPLES.length],
      title: `Note ${String(i).padStart(3, '0')}${i % 60 === 0 ? ' about heron nests' : ''}`,
    })
  await openPage(page, '/cards?sort=title')
  await page.getByText('180 cards').first().waitFor()
  const rows = page.getByRole('list', { name: 'Cards' }).getByRole('listitem')
  await rows.getByRole('link', { name: 'Note 001' }).waitFor()
  expect(await rows.count()).toBeLessThan(60)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Note 002')
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const last = rows.getByRole('link', { name: 'Note 180 about heron nests' })
  await last.waitFor()
  expect(await rows.count()).toBeLessThan(60)
  await settled(page)

  // Back leads to the row that was opened, with the focus on it.
  await last.click()
  await page.getByRole('heading', { level: 1, name: 'Note 180 about heron nests' }).waitFor()
  await page.goBack()
  await last.waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('Note 180 about heron nests')

  await page.getByLabel('Filter').fill('heron nests')
  await page.getByText('3 cards').first().waitFor()
  await page.getByLabel('Sort by').selectOption('created')
  await page.waitForURL(/sort=created/)
  await expect.poll(() => rows.first().textContent()).toContain('Note 180')
  await rows.first().getByRole('link', { name: 'Only with the tag' }).first().click()
  await page.waitForURL(/tag=/)
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
