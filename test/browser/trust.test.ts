import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/shared/time.ts'
import { expectAccessible } from './accessible.ts'
import { judge, look, picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { type Account, openStage, PASSWORD, type Person } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage()

type Answer = { card_id: string; cites: string[]; superseded_by: { card_id: string } | null }

const write = async (person: Account, sample: object) =>
  (await person.api<Answer>('POST', '/api/v1/cards', sample)).card_id
const read = (person: Person, id: string) => person.api<Answer>('GET', `/api/v1/cards/${id}`)

async function published(author: Account, sample: object): Promise<string> {
  const id = await write(author, sample)
  await author.api('POST', `/api/v1/cards/${id}/publish`)
  return id
}

/** Runs in the page. */
const keptReasons = () => Object.keys(localStorage).filter((key) => key.startsWith('kv-reason'))

async function choose({ page }: Person, item: string) {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** A card of the first person, shared with a private team of both. */
async function inTeam(lead: Account, mate: Account, sample: object): Promise<string> {
  const { workspace_id } = await lead.api<{ workspace_id: string }>('POST', '/api/v1/workspaces', {
    name: 'Platform team',
  })
  const member = { email: mate.email, role: 'editor' }
  await lead.api('POST', `/api/v1/workspaces/${workspace_id}/members/by-email`, member)
  const id = await write(lead, { ...sample, workspace_id })
  await lead.api('POST', `/api/v1/cards/${id}/share`)
  return id
}

const answersIn = ({ page }: Person) => page.getByRole('region', { name: 'Did it work?' })
const rowsIn = ({ page }: Person) =>
  page.getByRole('list', { name: 'What people said after use' }).getByRole('listitem')

test('one click says whether a card worked; details come afterwards, and the other person reads both', async () => {
  const author = await stage.person('Verdict author')
  const reader = await stage.person('Verdict reader')
  // New accounts are not named where strangers read.
  await stage.app.services.database.transaction((db) =>
    db
      .updateTable('users')
      .set({ created_at: '2020-01-01T00:00:00.000Z' })
      .where('email', '=', reader.email)
      .execute(),
  )
  const id = await published(author, SAMPLES[0])
  const { page } = reader
  await openPage(page, `/cards/${id}`)
  const answers = answersIn(reader)
  const [worked, failed] = ['Worked', 'Failed'].map((name) => answers.getByRole('button', { name }))
  await failed?.click()
  await rowsIn(reader).getByText('Failed').waitFor()
  await worked?.click()
  await page.getByText('Noted. Verdict author earned 1 credit.').waitFor()
  await page.getByText(/^Worked for 1 person, last on \d+ \w+$/).waitFor()
  await answers.getByRole('button', { name: 'Worked', pressed: true }).waitFor()
  expect(await rowsIn(reader).count()).toBe(1)
  await worked?.click()
  await page.getByText('You have already said so.').waitFor()

  const dialog = page.getByRole('dialog')
  await answers.getByRole('button', { name: 'Add details' }).click()
  expect(await dialog.getByLabel('Environment 1, name').inputValue()).toBe('node')
  expect(await dialog.getByLabel('Environment 1, value').inputValue()).toBe('20.11')
  await dialog.getByLabel('Note').fill('Found by the idle count within a minute.')
  await dialog.getByLabel('Output').fill('waiting=0 idle=10 total=10')
  // The session has ended meanwhile.
  await reader.context.clearCookies()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByLabel('E-mail').fill(reader.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await answers.getByRole('button', { name: 'Add details' }).click()
  expect(await dialog.getByLabel('Note').inputValue()).toBe('Found by the idle count within a minute.')
  expect(await dialog.getByLabel('Output').inputValue()).toBe('waiting=0 idle=10 total=10')
  await dialog.getByLabel('Environment 1, value').fill('24.1')
  await dialog.getByLabel('Environment 3, name').fill('node')
  await dialog.getByText('node is there twice.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Remove environment 3' }).click()
  await expectAccessible(page)
  await picture(page, 'verdict-1280-light')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^Worked for 1 person, last on [^,]+, node 24$/).waitFor()
  await rowsIn(reader).getByText('Found by the idle count').waitFor()
  expect(await rowsIn(reader).count()).toBe(1)
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join())).not.toContain('kv-verdict')

  await openPage(author.page, `/cards/${id}`)
  const row = rowsIn(author)
  await row.getByText('Verdict reader').waitFor()
  await row.getByText('node 24.1').waitFor()
  await row.getByText('Output').click()
  await row.getByText('waiting=0 idle=10 total=10').waitFor()
  await author.page.getByText('Does it still work?').waitFor()
  const confirm = answersIn(author).getByRole('button', { name: 'Worked' })
  await confirm.click()
  await author.page.getByText('Noted.').waitFor()
  await expect.poll(() => row.count()).toBe(2)
  // The owner of a public card is not named.
  await author.page.getByText(/^Worked for 1 person/).waitFor()
  await settled(author.page)
  await answersIn(author).getByRole('button', { name: 'Take back' }).press('Enter')
  await author.page.getByText('Taken back. It no longer counts.').waitFor()
  // The keyboard goes on beside it, and the undo of what was said before is gone: it would withdraw what is said later.
  await author.page.locator('button:focus', { hasText: 'Worked' }).waitFor()
  expect(await author.page.getByText('Noted.').count()).toBe(0)
  await author.page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => row.count()).toBe(2)

  await reopenPage(page)
  // Who said it is for those who edit the card.
  await answers.getByText('You · ').waitFor()
  expect(await answers.getByText('Verdict author').count()).toBe(0)
  await answers.getByRole('button', { name: 'Take back' }).click()
  await page.getByText('Taken back. It no longer counts.').waitFor()
  await page.getByText(/^Worked for/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/^Worked for 1 person, last on [^,]+, node 24$/).waitFor()
  await answers.getByText('Found by the idle count').waitFor()

  await author.api('PATCH', `/api/v1/cards/${id}`, { fix_summary: `Deploy twice. ${SAMPLES[0].fix_summary}` })
  await look(reader, `/cards/${id}`, 'card-with-verdicts', /^Worked for 1 person.*, before the last edit$/)
  expect(await answers.getByText('version 1').count()).toBe(2)
  await answers.scrollIntoViewIfNeeded()
  await picture(page, 'verdicts-360-dark')
})

test('two new people of a team read one tally, and a doubt waits until somebody acts', async () => {
  const lead = await stage.person('Ada Lead')
  const mate = await stage.person('Mate Miller')
  const id = await inTeam(lead, mate, SAMPLES[0])
  await openPage(mate.page, `/cards/${id}`)
  await mate.page.getByText('Did it work?').waitFor()
  await answersIn(mate).getByRole('button', { name: 'Outdated' }).click()
  await mate.page.getByText('Called outdated by 1 person').waitFor()
  // What the interface calls feedback is the same act.
  await lead.api('POST', `/api/v1/cards/${id}/feedback`, { kind: 'useful', comment: 'Worked at home' })
  await reopenPage(mate.page)
  await mate.page.getByText(/^Worked for 1 person, last on [^;]+; called outdated by 1 person$/).waitFor()
  await rowsIn(mate).getByText('Worked at home').waitFor()
  await settled(mate.page)
  const text = `${await mate.page.locator('article header').innerText()} ${await answersIn(mate).innerText()}`
  for (const word of ['%', 'Counts', 'Nobody', 'Useful', 'Did not apply', 'Verdict'])
    expect(text, word).not.toContain(word)
  await judge(mate.page, 'card-of-a-team')

  const { page } = lead
  await openPage(page, '/cards')
  const panel = page.getByRole('list', { name: 'Did they work?' })
  await expect
    .poll(() => panel.getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/Worked\s*1/),
      expect.stringMatching(/Failed\s*0/),
      expect.stringMatching(/Outdated\s*1/),
    ])
  // The useful of the owner was said after the doubt, so it has settled it.
  await openPage(page, '/review')
  await page.getByText('Nothing to look at').waitFor()
  await mate.api('POST', `/api/v1/cards/${id}/verdicts`, { outcome: 'failed', note: 'not on musl' })
  await openPage(page, '/review')
  const row = page.getByRole('list', { name: 'Cards to look at again' }).getByRole('listitem')
  await row.getByText('Failed for Mate Miller').waitFor()
  await row.getByText('not on musl').waitFor()
  await expectAccessible(page)
  await picture(page, 'review-queue-doubted')
  await row.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('Nothing to look at').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByRole('button', { name: 'Still works' }).click()
  await page.getByText('Nothing to look at').waitFor()
})

test('a card that only its owner reads asks nobody whether it worked, and has no comments', async () => {
  const person = await stage.person('Lone writer')
  const id = await write(person, SAMPLES[3])
  const { page } = person
  await openPage(page, `/cards/${id}`)
  await page.getByRole('heading', { name: SAMPLES[3].title }).waitFor()
  await settled(page)
  for (const name of ['Did it work?', 'Comments'])
    expect(await page.getByRole('region', { name }).count()).toBe(0)
  // What an agent of theirs said of it is shown, and can be taken back.
  await person.api('POST', `/api/v1/cards/${id}/verdicts`, { outcome: 'failed', environment: { node: '24' } })
  await reopenPage(page)
  await rowsIn(person).getByText('node 24').waitFor()
  await settled(page)
  expect(await answersIn(person).getByRole('button').allInnerTexts()).toEqual(['Take back'])
})

test('rows and hits say what came of a card', async () => {
  const person = await stage.person('Row reader')
  const id = await write(person, SAMPLES[1])
  await person.api('POST', `/api/v1/cards/${id}/verdicts`, { outcome: 'worked' })
  await openPage(person.page, '/cards')
  await person.page.getByText(/^Worked for 1 person, last on \d+ \w+$/).waitFor()
  await visit(person.page, '/?q=signing+key')
  const hit = person.page.getByRole('list', { name: 'Mine' }).getByRole('listitem')
  await hit.getByText('Worked for 1', { exact: true }).waitFor()
  await expectAccessible(person.page)
  await person.api('POST', `/api/v1/cards/${id}/verdicts`, { outcome: 'stale' })
  await openPage(person.page, '/?q=signing+key')
  await hit.getByText('Outdated for 1').waitFor()
})

test('a name that is written from right to left leaves the time beside it in its order', async () => {
  const author = await stage.person('Name author')
  const reader = await stage.account('Name reader')
  const name = 'כליאופטרה'
  await reader.api('PATCH', '/api/v1/auth/me', { display_name: name })
  const id = await published(author, SAMPLES[3])
  await reader.api('POST', `/api/v1/cards/${id}/verdicts`, { outcome: 'worked' })
  await openPage(author.page, `/cards/${id}`)
  await rowsIn(author).locator('bdi', { hasText: name }).waitFor()
})

test('a first verdict is taken back by undo', async () => {
  const person = await stage.person('Quick confirmer')
  const id = await inTeam(person, await stage.account('Colleague'), SAMPLES[3])
  const { page } = person
  await openPage(page, `/cards/${id}`)
  await settled(page)
  await page.clock.install()
  const worked = answersIn(person).getByRole('button', { name: 'Worked' })
  await worked.press('Enter')
  await page.getByText(/^Worked for 1 person/).waitFor()
  // Waiting for the answer did not take the focus away.
  await page.locator('button:focus', { hasText: 'Worked' }).waitFor()
  // A notice stays for whoever points at it or has the keyboard in it.
  await page.getByText('Noted.').hover()
  await page.clock.fastForward(9000)
  await page.getByRole('button', { name: 'Undo' }).focus()
  await page.mouse.move(0, 0)
  await page.clock.fastForward(9000)
  await page.keyboard.press('Enter')
  await page.getByText(/^Worked for 1 person/).waitFor({ state: 'detached' })
  // The next person gets no window with a clock of its own.
  await page.goto('about:blank')
})

test('many verdicts are shown page by page, and taken back all at once', async () => {
  const person = await stage.person('Thorough tester')
  const id = await inTeam(person, await stage.account('Colleague'), SAMPLES[3])
  for (let version = 1; version <= 21; version++)
    await person.api('POST', `/api/v1/cards/${id}/verdicts`, {
      outcome: 'failed',
      environment: { node: String(version) },
    })
  const { page } = person
  await openPage(page, `/cards/${id}`)
  await page.getByRole('button', { name: 'Show more of 21' }).waitFor()
  expect(await rowsIn(person).count()).toBe(20)
  await answersIn(person).getByRole('button', { name: 'Take back' }).click()
  await page.getByText('Taken back. It no longer counts.').waitFor()
  await rowsIn(person).first().waitFor({ state: 'detached' })
})

test('cites are read from the card, written by hand, and read again', async () => {
  const person = await stage.person('Citing writer')
  const id = await write(person, SAMPLES[0])
  const byRules = (await read(person, id)).cites
  expect(byRules).not.toEqual([])
  const { page, context } = person
  await openPage(page, `/cards/${id}`)
  const chips = page.getByRole('list', { name: 'About' })
  const edit = page.getByRole('button', { name: 'Edit cites' })
  // The dialog is loaded when it is asked for. Without the network that is told, and it can be asked for again.
  await context.setOffline(true)
  await edit.click()
  // Not the banner, which comes before the file is asked for: with the network back by then, the page takes itself for old.
  await page.getByLabel('Notices').getByText('The server cannot be reached.').waitFor()
  await context.setOffline(false)
  const dialog = page.getByRole('dialog')
  // Some versions of Chromium never ask again for a file that has failed. There the page reloads once.
  const opens = async () => {
    if (!(await dialog.isVisible())) await edit.click({ timeout: 1000 }).catch(() => {})
    return dialog.isVisible()
  }
  await expect.poll(opens, { timeout: 15_000 }).toBe(true)
  await dialog.getByRole('button', { name: 'Add a cite' }).click()
  await dialog.getByLabel(`Cite ${byRules.length + 1}`, { exact: true }).fill('fastify, the fifth one')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/Input should be a package such as/).waitFor()
  const wrong = dialog.getByLabel(`Cite ${byRules.length + 1}`, { exact: true })
  expect(await wrong.getAttribute('aria-invalid')).toBe('true')
  expect(await dialog.getByLabel('Cite 1', { exact: true }).getAttribute('aria-invalid')).toBeNull()
  await expectAccessible(page)
  await picture(page, 'cites-1280-light')
  await wrong.fill('npm:fastify@^5')
  await dialog.getByRole('button', { name: 'Add a cite' }).click()
  await dialog.getByLabel(`Cite ${byRules.length + 2}`, { exact: true }).fill('https://example.com/watchers')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await chips.getByText('fastify@^5').waitFor()
  expect(await chips.getByRole('link').getAttribute('href')).toBe('https://example.com/watchers')

  await choose(person, 'Edit cites …')
  await dialog.getByRole('button', { name: 'Read them from the card' }).click()
  await chips.getByText('fastify@^5').waitFor({ state: 'detached' })
  expect((await read(person, id)).cites).toEqual(byRules)
})

test('the cards to link to stand below each other, however many they are', async () => {
  const person = await stage.person('Linking writer')
  const id = await write(person, SAMPLES[0])
  for (let n = 1; n <= 8; n++) await write(person, { ...SAMPLES[1], title: `${SAMPLES[1].title}, part ${n}` })
  const { page } = person
  await openPage(page, `/cards/${id}`)
  await choose(person, 'Link to another card …')
  const rows = page.getByRole('group', { name: 'Cards to choose from' }).locator('label')
  await rows.nth(7).waitFor()
  const overflowing = (all: Element[]) => all.filter((row) => row.scrollHeight > row.clientHeight).length
  expect(await rows.evaluateAll(overflowing)).toBe(0)
})

test('a card is replaced by another, points to it, and comes back', async () => {
  const person = await stage.person('Superseding writer')
  const oldId = await write(person, SAMPLES[4])
  const newId = await write(person, SAMPLES[5])
  await write(person, SAMPLES[3])
  const { page } = person
  await openPage(page, `/cards/${oldId}`)
  await choose(person, 'Link to another card …')
  const dialog = page.getByRole('dialog')
  // What is written stays if the dialog is closed by mistake.
  await dialog.getByLabel('Why').fill('The tool changed in spring.')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await choose(person, 'Link to another card …')
  expect(await dialog.getByLabel('Why').inputValue()).toBe('The tool changed in spring.')
  await dialog.getByLabel('This card').selectOption('is replaced by')
  await dialog.getByText('This card leaves search.').waitFor()
  await dialog.getByLabel('The other card').fill('exit codes pipeline')
  await dialog.getByRole('radio', { name: SAMPLES[5].title }).check()
  await dialog.getByText('Personal · Only you').first().waitFor()
  await expectAccessible(page)
  await picture(page, 'link-1280-light')
  await dialog.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByText('Superseded by', { exact: false }).first().waitFor()
  const links = page.getByRole('list', { name: 'Linked cards' })
  await links.getByText('The tool changed in spring.').waitFor()
  await links.getByText('Personal · Only you').waitFor()
  expect((await read(person, oldId)).superseded_by?.card_id).toBe(newId)
  await expect.poll(() => page.evaluate(keptReasons)).toEqual([])
  await visit(page, '/cards')
  const marked = page
    .getByRole('list', { name: 'Cards' })
    .getByRole('listitem')
    .filter({
      has: page.getByText('Superseded', { exact: true }),
    })
  await marked.waitFor()
  expect(await marked.getByRole('link').first().getAttribute('href')).toContain(oldId)
  await visit(page, `/cards/${oldId}`)
  await page.getByText('Search shows that one.').waitFor()
  await judge(page, 'card-superseded')

  await page.setViewportSize({ width: 1280, height: 800 })
  await choose(person, 'Link to another card …')
  await dialog.getByLabel('This card').selectOption('is replaced by')
  await dialog.getByRole('radio', { name: SAMPLES[3].title }).check()
  await dialog.getByRole('button', { name: 'Link', exact: true }).click()
  await dialog.getByText('Another card has already taken the place of this one.').waitFor()
  expect(await dialog.getByRole('link', { name: 'Open that card' }).getAttribute('href')).toBe(
    `/cards/${newId}`,
  )
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('status').getByRole('link', { name: SAMPLES[5].title }).click()
  await page.getByRole('heading', { name: SAMPLES[5].title }).waitFor()
  await links.getByText('Supersedes').waitFor()
  await choose(person, 'Link to another card …')
  await dialog.getByLabel('This card').selectOption('is replaced by')
  await dialog.getByRole('radio', { name: SAMPLES[4].title }).check()
  await dialog.getByRole('button', { name: 'Link', exact: true }).click()
  await dialog.getByText('This card has already taken the place of that one.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await links.getByRole('button', { name: /^Take back the link/ }).click()
  await page.getByText('Link taken back.').waitFor()
  await links.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await links.getByText('Supersedes').waitFor()
})

test('a card is merged into another, its address says so, and the merge is undone', async () => {
  const person = await stage.person('Merging writer')
  const fromId = await write(person, SAMPLES[0])
  const intoId = await write(person, { ...SAMPLES[2], evidences: [] })
  const { page } = person
  await openPage(page, `/cards/${fromId}`)
  await choose(person, 'Merge into another card …')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('0 verdicts and 1 piece of evidence count on the other card.').waitFor()
  await dialog.getByLabel('Why').fill('Both tell of the same pool.')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await choose(person, 'Merge into another card …')
  expect(await dialog.getByLabel('Why').inputValue()).toBe('Both tell of the same pool.')
  await dialog.getByRole('radio', { name: SAMPLES[2].title }).check()
  await expectAccessible(page)
  await picture(page, 'merge-1280-light')
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
  await page.waitForURL(`**/cards/${intoId}?merged_from=${fromId}`)
  await page.getByRole('heading', { name: SAMPLES[2].title }).waitFor()
  await page.getByText('which was merged into this card').waitFor()
  await page.getByText('Both tell of the same pool.').waitFor()
  await page.getByRole('link', { name: 'from a merged card' }).waitFor()
  await expect.poll(() => page.evaluate(keptReasons)).toEqual([])
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.waitForURL(`**/cards/${fromId}`)
  await page.getByRole('heading', { name: SAMPLES[0].title }).waitFor()

  // Merged while somebody writes: the text is still there, also beside the card that took its place.
  await visit(page, `/cards/${fromId}/edit`)
  await page.getByLabel('Title').fill('Written too late')
  await person.api('POST', `/api/v1/cards/${fromId}/merge`, { into_card_id: intoId })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('This card was merged into another. Your text is still here.').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Read the other card' }).click()
  await page.getByText('which was merged into this card').waitFor()
  const kept = page.getByText('You have written text for it that is not saved.')
  await kept.waitFor()
  await openPage(page, `/cards/${fromId}/edit`)
  await kept.waitFor()
  await page.getByRole('button', { name: 'Save as a new card of mine' }).click()
  await page.getByText(/Your draft from .* is back/).waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('Written too late')
  await openPage(page, `/cards/${fromId}`)
  await page.waitForURL(`**/cards/${intoId}?merged_from=${fromId}`)
  await page.getByText('which was merged into this card').waitFor()
  expect(await kept.count()).toBe(0)
  await settled(page)
  await expectAccessible(page)
  await picture(page, 'merged-1280-light')
  await visit(page, `/?card=${fromId}`)
  await page
    .getByRole('region', { name: 'Card', exact: true })
    .getByRole('button', { name: 'Undo the merge' })
    .click()
  await page.getByText('The merge is undone.').waitFor()
  await page.getByRole('heading', { name: SAMPLES[0].title }).waitFor()

  // An address that anybody could make up says nothing of its own.
  await openPage(page, `/cards/${intoId}?merged_from=${fromId}`)
  await page.getByRole('heading', { name: SAMPLES[2].title }).waitFor()
  await settled(page)
  expect(await page.getByText('which was merged into this card').count()).toBe(0)
})

test('a person who may not edit a card sees no actions to link, merge or edit cites', async () => {
  const author = await stage.account('Guarding author')
  const reader = await stage.person('Curious reader')
  const id = await published(author, SAMPLES[2])
  await openPage(reader.page, `/cards/${id}`)
  await reader.page.getByRole('button', { name: 'More', exact: true }).click()
  await reader.page.getByText('Guarding author looks after this card').waitFor()
  expect(await reader.page.getByRole('menuitem').allInnerTexts()).toEqual(['Report …'])
  expect(await reader.page.getByRole('button', { name: 'Edit cites' }).count()).toBe(0)
})

test('near cards stand beside a new one while it is written', async () => {
  const person = await stage.person('Repeating writer')
  const id = await write(person, SAMPLES[5])
  const { page } = person
  await openPage(page, '/cards/new')
  const near = page.getByRole('region', { name: 'Near cards' })
  await page.getByLabel('Title').fill(SAMPLES[5].title)
  await settled(page)
  expect(await near.getByRole('link').count()).toBe(0)
  const symptom = page.getByLabel('Symptom', { exact: true })
  await symptom.fill(SAMPLES[5].symptom)
  await near.getByText('Is it one of these?').waitFor()
  const link = near.getByRole('link', { name: SAMPLES[5].title })
  await link.getByText('% the same').waitFor()
  expect(await symptom.evaluate((field) => field === document.activeElement)).toBe(true)
  await expectAccessible(page)
  await picture(page, 'near-cards-1280-light')
  const opened = person.context.waitForEvent('page')
  await link.click()
  await (await opened).waitForURL(`**/cards/${id}`)
  expect(await symptom.inputValue()).toBe(SAMPLES[5].symptom)
})

test('a card past its interval waits in the review queue until its owner says that it still works', async () => {
  const owner = await stage.person('Reviewer')
  const id = await write(owner, SAMPLES[0])
  await owner.api('PUT', `/api/v1/cards/${id}/review-interval`, { review_after_days: 7 })
  await look(owner, '/review', 'review-queue-empty', 'Nothing to look at')
  const longAgo = new Date(Date.now() - 30 * DAY_MS).toISOString()
  await stage.app.services.database.transaction((db) =>
    db.updateTable('cards').set({ edited_at: longAgo }).where('card_id', '=', id).execute(),
  )
  await openPage(owner.page, '/cards')
  await owner.page.getByRole('link', { name: 'Review queue' }).click()
  const row = owner.page.getByRole('list', { name: 'Cards to look at again' }).getByRole('listitem')
  await row.getByText('Due').waitFor()
  await expectAccessible(owner.page)
  await row.getByRole('button', { name: 'Still works' }).click()
  await owner.page.getByText('Nothing to look at').waitFor()
  await owner.page.locator('main h1:focus').waitFor()
})
