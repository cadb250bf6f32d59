import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { breakAnswer, intercept } from './intercept.ts'
import { SAMPLES } from './samples.ts'
import { openStage } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()
type CardAnswer = { card_id: string; version: number }

test('a card is written with the review at hand, saved, and read as it was written', async () => {
  const { page } = await stage.person('Writer')
  await openPage(page, '/cards/new')
  await page.getByText('What the library asks for').click()
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
  await openPage(page, '/cards/new')
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
  await openPage(page, '/cards/new')
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
    const scrolled = await page.evaluate(() => scrollY)
    await page.getByRole('button', { name: 'Save card' }).focus()
    expect(await page.evaluate(() => scrollY)).toBe(scrolled)
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
  await page.getByText('What the library asks for').click()
  await page.getByText('Not ready to publish yet').waitFor()
  await page.getByText('Nothing too dangerous to publish').waitFor()
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

test('somebody else’s change of the same field is shown before anything is overwritten', async () => {
  const person = await stage.person('Editor')
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[0])
  const { page } = person
  await openPage(page, `/cards/${card.card_id}/edit`)
  await page.getByText('Personal · Only you').waitFor()
  await page.getByLabel('Title').fill('My new title for this card')
  await person.api('PATCH', `/api/v1/cards/${card.card_id}`, { title: 'Their new title for this card' })
  // What does not load is said, and the next try asks for it again.
  const broken = (route: Route) => route.fulfill({ status: 500, json: { detail: 'Broken.' } })
  await intercept(page, '**/api/v1/cards/*?*', broken, { times: 1 })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').getByText('Broken.').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('you both changed what is below').waitFor()
  await page.locator('del', { hasText: 'Their' }).waitFor()
  await expectAccessible(page)
  expect(await page.getByRole('button', { name: /^Take theirs/ }).count()).toBe(1)
  await page.getByRole('button', { name: 'Keep mine: Title' }).click()
  await page.getByText('you both changed what is below').waitFor({ state: 'detached' })
  // What is written while it is being saved is not lost with the draft.
  const cause = page.getByRole('textbox', { name: 'Root cause' })
  await intercept(page, '**/api/v1/cards/*', async (route) => {
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

test('two people change one card: only what both changed asks, and nothing else is touched', async () => {
  const person = await stage.person('Merger')
  const { page, api } = person
  const { card_id } = await api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[0])
  const address = `/api/v1/cards/${card_id}`
  await openPage(page, `/cards/${card_id}/edit`)
  await page.getByLabel('Title').fill('My own title of this card')
  await page.getByLabel('Tags').fill('mine')
  await api('PATCH', address, { root_cause: 'Their cause.', environment: { node: '22' } })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved, with what others changed meanwhile.').waitFor()
  const merged = { title: 'My own title of this card', tags: ['mine'], root_cause: 'Their cause.' }
  expect(await api('GET', address)).toMatchObject({ ...merged, environment: { node: '22' }, version: 3 })

  // Theirs is taken for one field; the text of a reload builds on the version it was written on.
  await page.keyboard.press('e')
  await page.getByLabel('Title').fill('Another title of mine')
  await page.getByLabel('Where it applies').fill('Only here.')
  await page.getByRole('button', { name: 'Discard draft' }).waitFor()
  await api('PATCH', address, { title: 'A title of theirs', root_cause: 'Their better cause.' })
  await page.reload()
  await page.getByText(/Your draft from .* is back/).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Take theirs: Title' }).click()
  expect(await page.getByLabel('Title').inputValue()).toBe('A title of theirs')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'A title of theirs' }).waitFor()
  const now = { title: 'A title of theirs', root_cause: 'Their better cause.', scope_notes: 'Only here.' }
  expect(await api('GET', address)).toMatchObject({ ...now, tags: ['mine'] })

  // Two tabs keep two texts: the save of one does not drop the other.
  const other = await page.context().newPage()
  await openPage(page, `/cards/${card_id}/edit`)
  await openPage(other, `/cards/${card_id}/edit`)
  await page.getByLabel('Title').fill('Written in the first tab')
  await page.getByRole('button', { name: 'Discard draft' }).waitFor()
  await other.getByRole('textbox', { name: 'Root cause' }).fill('Written in the second tab')
  await other.getByRole('button', { name: 'Discard draft' }).waitFor()
  await other.close()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Written in the first tab' }).waitFor()
  await page.keyboard.press('e')
  await page.getByText(/Your draft from .* is back/).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Written in the second tab').waitFor()
  expect(await api('GET', address)).toMatchObject({ title: 'Written in the first tab' })
})

test('a save that ends after its editor was left moves nobody, loses nothing and makes no second card', async () => {
  const { page, api } = await stage.person('On a slow line')
  const { card_id } = await api<CardAnswer>('POST', '/api/v1/cards', SAMPLES[0])
  const [title, cause] = [page.getByLabel('Title'), page.getByRole('textbox', { name: 'Root cause' })]
  const pass = (route: Route) => route.continue()
  /** Presses the button. The answer comes with the function that it returns. */
  const saveSlowly = async (name: string, answer: (route: Route) => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const held = (route: Route) => promise.then(() => answer(route))
    await intercept(page, /\/api\/v1\/cards(\/[\da-f-]{36})?$/, held, { times: 1 })
    await page.getByRole('button', { name, exact: true }).click()
    return resolve
  }
  const leaveAndReturn = async () => {
    await visit(page, '/library')
    await page.goBack()
    await page.getByText(/Your draft from .* is back/).waitFor()
  }

  // Another page stays, and a notice leads to the card.
  await openPage(page, `/cards/${card_id}/edit`)
  await title.fill('Saved while I search')
  let arrive = await saveSlowly('Save', pass)
  await visit(page, '/')
  const box = page.getByRole('textbox', { name: 'Search' })
  await box.fill('something else')
  arrive()
  await page.getByText('Saved: Saved while I search').waitFor()
  expect([new URL(page.url()).pathname, await box.inputValue()]).toEqual(['/', 'something else'])
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join())).not.toContain('kv-draft')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('heading', { name: 'Saved while I search' }).waitFor()

  // The same editor, opened again, goes on with what was written since.
  await page.keyboard.press('e')
  await title.fill('Saved while I write on')
  arrive = await saveSlowly('Save', pass)
  await leaveAndReturn()
  await cause.fill('Written after the first save')
  arrive()
  await page.getByText('Saved.', { exact: true }).waitFor()
  expect(await cause.inputValue()).toBe('Written after the first save')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Saved while I write on' }).waitFor()
  await page.getByText('Written after the first save').waitFor()

  // A new card whose first answer was lost is made once; what was written since is a draft of it.
  await visit(page, '/cards/new')
  await title.fill('Written twice on a slow line')
  await page.getByLabel('Symptom', { exact: true }).fill('The answer takes a minute.')
  await page.getByLabel('Fix', { exact: true }).last().fill('Wait for it.')
  arrive = await saveSlowly('Save card', breakAnswer)
  await leaveAndReturn()
  const saveCard = page.getByRole('button', { name: 'Save card' })
  await saveCard.and(page.locator('[aria-busy]')).waitFor()
  arrive()
  await page.getByText('The answer is lost.').waitFor()
  await saveCard.and(page.locator(':not([aria-busy])')).waitFor()
  arrive = await saveSlowly('Save card', pass)
  // It will be saved: to discard it now would leave a card with an empty draft.
  await page.getByRole('button', { name: 'Discard draft' }).and(page.locator('[aria-disabled]')).waitFor()
  await leaveAndReturn()
  await cause.fill('Written meanwhile')
  arrive()
  await page.getByRole('heading', { name: 'Edit card' }).waitFor()
  await expect.poll(() => cause.inputValue()).toBe('Written meanwhile')
  expect(await api('GET', '/api/v1/cards')).toMatchObject({ total: 2 })
})
