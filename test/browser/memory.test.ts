import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { intercept, lockNext, loseAnswer } from './intercept.ts'
import { lookAround, picture } from './pictures.ts'
import { settled } from './settled.ts'
import { openStage, type Person } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage()

const KEY = 'github.com/example/shop'
const PROJECT = `/memory/project?key=${encodeURIComponent(KEY)}`
const SNAPSHOT = `/api/v1/project-context/snapshot?project_key=${encodeURIComponent(KEY)}`

/** Throws if any of it is ever taken for markup; the window's watch turns the error into a failed test. */
const HOSTILE = `"><img src=x onerror="throw new Error('ran')"><script>throw new Error('ran')</script>[x](javascript:alert(1))`

const append = (person: Person, event: Record<string, unknown>) =>
  person.api<{ raw_id: string }>('POST', '/api/v1/project-context/events', { project_key: KEY, ...event })

const turn = (person: Person, body: Record<string, unknown>) =>
  person.api('POST', '/api/v1/project-context/turns', { project_key: KEY, ...body })

async function shop(person: Person): Promise<void> {
  const day = { client: 'claude-code', session_id: 'checkout-work' }
  await append(person, {
    ...day,
    event_type: 'user_message',
    content: 'The checkout is slow since yesterday. Find out why, and keep the tests green.',
  })
  await append(person, {
    ...day,
    event_type: 'agent_report',
    content:
      'The order query read every row.\n\n- added an index over `customer_id, created_at`\n- p95 from 900 ms to 40 ms\n\n```sql\ncreate index orders_by_customer on orders(customer_id, created_at)\n```',
  })
  await turn(person, {
    session_id: 'refund-work',
    client: 'cursor',
    user_message: 'Now let customers refund a part of an order.',
    agent_report: 'Partial refunds work. The rounding of taxes is **open**: it needs a decision.',
    summary: 'Partial refunds: the rounding of taxes is open.',
    facts: ['Node 24, SQLite in development, PostgreSQL in production', 'Money is integer cents everywhere'],
    project_preferences: ['Tests before the change', 'Small commits that say why'],
  })
  await person.api('POST', '/api/v1/project-context/events', {
    project_key: '__user__/preferences',
    event_type: 'fact_snapshot',
    content: '- Answer in short sentences\n- Tests before the change',
    meta: { fact_kind: 'user_preferences', confirmed_by_user: true },
  })
}

test('the timeline shows sessions, what was asked and what was reported, and opens by keyboard', async () => {
  const person = await stage.person('Developer')
  const { page } = person
  // Without a key the address names no project, and leads to all of them.
  await openPage(page, '/memory/project')
  await page.getByRole('heading', { name: 'No project yet' }).waitFor()
  await expectAccessible(page)
  await shop(person)
  // As if there were more than are listed.
  const listed = '**/project-context/projects?*'
  await intercept(page, listed, async (route) => {
    const { items } = await (await route.fetch()).json()
    await route.fulfill({ json: { items, total: items.length + 3 } })
  })
  await reopenPage(page)
  await page.getByText('3 projects with older events are not listed.').waitFor()
  await page.unroute(listed)
  await page.getByRole('link', { name: new RegExp(KEY) }).click()
  await page.getByRole('list', { name: 'Timeline' }).waitFor()
  await page.getByText('rounding of taxes is').first().waitFor()
  const first = page.getByRole('button', { name: /The checkout is slow/ })
  expect(await first.getAttribute('aria-expanded')).toBe('false')
  await first.focus()
  await page.keyboard.press('Enter')
  await page.getByText('create index orders_by_customer').waitFor()
  await expectAccessible(page)

  const documents = page.getByRole('complementary', { name: 'Documents' })
  await documents.getByText('Money is integer cents everywhere').waitFor()
  await documents.getByRole('button', { name: 'Copy facts as Markdown' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('# Project facts')
})

test('search finds by exact text and by words, and the address holds it', async () => {
  const person = await stage.person('Searcher')
  await shop(person)
  const { page } = person
  await openPage(page, PROJECT)
  // A blank at the end stays while the results come: the next word is another one.
  await page.getByLabel('Search this project').fill('ORDER ')
  await page.getByRole('region', { name: 'Results' }).waitFor()
  await page.getByLabel('Search this project').pressSequentially('QUERY')
  await page.locator('mark', { hasText: 'order query' }).waitFor()
  // A snippet is text, without the marks of Markdown.
  await page.getByRole('button', { name: /index over customer_id, created_at/ }).waitFor()
  await reopenPage(page)
  expect(await page.getByLabel('Search this project').inputValue()).toBe('ORDER QUERY')
  await page.getByRole('button', { name: /order query/i }).click()
  await page.locator('pre', { hasText: 'create index orders_by_customer' }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('Search this project').fill('rows that the query reads for an order')
  await page.getByText('These fit its words best').waitFor()
  await page.getByRole('button', { name: /order query read every row/ }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('Search this project').fill('%_nothing like this')
  await page.getByRole('heading', { name: 'Nothing with these words' }).waitFor()
  await page.getByRole('button', { name: 'Back to the timeline' }).click()
  await page.getByRole('list', { name: 'Timeline' }).waitFor()
})

test('a search says how many there are and shows further ones', async () => {
  const { page, api } = await stage.person('Many events')
  for (let n = 0; n < 53; n++)
    await api('POST', '/api/v1/project-context/events', {
      project_key: 'org/many',
      event_type: 'turn',
      content: `the pelican number ${n}`,
    })
  await openPage(page, '/memory/project?key=org%2Fmany&q=pelican')
  await page.getByText('50 of 53 results').waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('53 results', { exact: true }).waitFor()
  expect(await page.getByRole('region', { name: 'Results' }).getByRole('listitem').count()).toBe(53)
})

test('a document is edited, and a secret in it never stays', async () => {
  const person = await stage.person('Editor')
  await shop(person)
  const { page } = person
  await openPage(page, PROJECT)
  await page.getByRole('button', { name: 'Edit facts' }).click()
  const secret = ['AK', 'IA', 'Q3EGRZ7XT5WP2LMN'].join('')
  await page.getByRole('textbox', { name: 'Facts' }).fill(`- Money is integer cents\n- deploy with ${secret}`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit facts' }).click()
  await page.getByText('What you wrote before is back.').waitFor()
  await expectAccessible(page)
  // It is stored, and only the answer is lost: saved again, it is still one event.
  const { total_events } = await person.api<{ total_events: number }>('GET', SNAPSHOT)
  await intercept(page, '**/api/v1/project-context/events', loseAnswer, { times: 1 })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved without 1 secret that it contained.').waitFor()
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join())).not.toContain('kv-document')
  expect(await page.content()).not.toContain(secret)
  expect(await person.api('GET', SNAPSHOT)).toMatchObject({ total_events: total_events + 1 })

  // What is written while it is being saved stays, also in a dialog that was opened again meanwhile.
  const facts = page.getByRole('textbox', { name: 'Facts' })
  await page.getByRole('button', { name: 'Edit facts' }).click()
  for (const isOpenedAgain of [true, false]) {
    const text = `- Tea ${isOpenedAgain}`
    await facts.fill(text)
    const goOn = await lockNext(page, '**/api/v1/project-context/events')
    await page.getByRole('button', { name: 'Save' }).click()
    if (isOpenedAgain) {
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Edit facts' }).click()
    }
    await facts.fill(`${text}, and more`)
    goOn()
    await settled(page)
    expect(await facts.inputValue()).toBe(`${text}, and more`)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit facts' }).click()
  await page.getByText('What you wrote before is back.').waitFor()
})

test('preferences are transferred after a preview of the result', async () => {
  const person = await stage.person('Mover')
  await shop(person)
  const { page } = person
  await openPage(page, PROJECT)
  await page.getByRole('button', { name: 'Transfer preferences' }).click()
  const dialog = page.getByRole('dialog')
  const result = dialog.getByRole('region', { name: 'Result' })
  await result.getByText('already there').waitFor()
  expect(await result.getByRole('listitem').allTextContents()).toEqual([
    'Answer in short sentences',
    'Tests before the changealready there',
    'Small commits that say whyadded',
  ])
  await dialog.getByLabel('Replace what is there').check()
  await result.getByText('removed', { exact: true }).waitFor()
  await expectAccessible(page)
  await picture(page, 'memory-transfer-1280-light')
  await dialog.getByLabel('Replace what is there').uncheck()
  await dialog.getByRole('button', { name: 'Copy 1 preference' }).click()
  await page.getByText('1 preference copied to My preferences.').waitFor()
  const snapshot = await person.api<{ user_preferences: { content: string } }>(
    'GET',
    `/api/v1/project-context/snapshot?project_key=${KEY}`,
  )
  expect(snapshot.user_preferences.content).toBe(
    '- Answer in short sentences\n- Tests before the change\n- Small commits that say why',
  )
})

test('a project is renamed with undo, merged with its name typed, and deleted with its name typed', async () => {
  const person = await stage.person('Cleaner')
  await shop(person)
  await append(person, { project_key: 'old notes', event_type: 'user_message', content: 'an old note' })
  const { page } = person
  const act = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await openPage(page, '/memory/project?key=old+notes')
  await act('Rename or merge')
  await page.getByLabel('New key').fill('older notes')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('heading', { name: 'older notes' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'old notes' }).waitFor()

  await act('Rename or merge')
  await page.getByLabel('New key').fill('https://github.com/Example/Shop.git')
  await page.getByText('This project exists and has').waitFor()
  const merge = page.getByRole('button', { name: 'Merge 1 event' })
  expect(await merge.isDisabled()).toBe(true)
  await expectAccessible(page)
  await page.getByLabel(/^Type .* to confirm/).fill('https://github.com/Example/Shop.git')
  await merge.click()
  await page.getByRole('heading', { name: KEY }).waitFor()
  await page.getByText('an old note').first().waitFor()

  await act('Delete project')
  const remove = page.getByRole('button', { name: /^Delete \d+ events$/ })
  expect(await remove.isDisabled()).toBe(true)
  await page.getByLabel(/^Type .* to confirm/).fill(KEY)
  await remove.click()
  await page.getByText(`${KEY} and its`).waitFor()
  await page.getByRole('heading', { name: 'No project yet' }).waitFor()
})

test('an exchange is deleted after a question', async () => {
  const person = await stage.person('Forgetter')
  await shop(person)
  const { page } = person
  await openPage(page, PROJECT)
  await page.getByRole('button', { name: /The checkout is slow/ }).click()
  await page.getByRole('button', { name: 'Delete from memory' }).last().click()
  await page.getByRole('button', { name: 'Delete 2 events' }).click()
  await page.getByText('2 events deleted.').waitFor()
  await expect.poll(() => page.getByText('The checkout is slow').count()).toBe(0)
  await page.locator('main li button:focus').waitFor()
})

test('an exchange is marked as outdated, in part or whole, and the mark is taken back', async () => {
  const person = await stage.person('Corrector')
  await shop(person)
  const { page } = person
  await openPage(page, PROJECT)
  const line = page.getByRole('button', { name: /The checkout is slow/ })
  await line.click()
  const ask = page.getByRole('button', { name: 'Outdated or wrong' }).last()
  await ask.click()
  await page.getByLabel('What is it?').selectOption('wrong')
  await page.getByLabel('Only this passage').fill('No such sentence is there.')
  await page.getByRole('button', { name: 'Mark', exact: true }).click()
  await page.getByText('It does not have this text').waitFor()
  await page.getByLabel('Only this passage').fill('Find out why, and keep the tests green.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Mark', exact: true }).click()
  await page.getByText('Marked. Agents no longer get it by themselves.').waitFor()
  await line.getByText('Wrong in part').waitFor()
  await page.getByRole('button', { name: 'Take the mark back' }).click()
  await expect.poll(() => line.getByText('Wrong in part').count()).toBe(0)
})

/** Hands over two commits of the repository, and waits until the job has read them. */
async function repository(person: Person): Promise<void> {
  const sent = [
    {
      ref: 'a'.repeat(40),
      committed_at: '2026-01-05T10:00:00Z',
      message: 'Round taxes once\n\nThe tax office adds up all lines first and rounds once, half to even.',
      files: ['src/tax/round.ts'],
    },
    {
      ref: 'docs/decisions/0001-money.md',
      kind: 'document',
      committed_at: '2026-01-06T10:00:00Z',
      message: 'Money is integer cents\n\nFloating point numbers lost a cent in every tenth order.',
    },
  ]
  const body = { project_key: KEY, reading_id: crypto.randomUUID(), commits: sent }
  await person.api('POST', '/api/v1/project-context/commits', body)
  const address = `/api/v1/project-context/commits?project_key=${encodeURIComponent(KEY)}`
  await expect
    .poll(async () => (await person.api<{ total: number }>('GET', address)).total, { timeout: 20_000 })
    .toBe(2)
}

test('commits and records stand in the timeline: opened, searched, marked and deleted', async () => {
  const person = await stage.person('Repository reader')
  await shop(person)
  await repository(person)
  const { page } = person
  await openPage(page, PROJECT)
  const timeline = page.getByRole('list', { name: 'Timeline' })
  await timeline
    .getByRole('button', { name: /rounding of taxes is|refund a part/ })
    .first()
    .waitFor()
  const commit = timeline.getByRole('button', { name: /Round taxes once/ })
  const record = timeline.getByRole('button', { name: /Money is integer cents.*Record/ })
  await commit.click()
  await page.getByText('adds up all lines first and rounds once').waitFor()
  await page.getByRole('list', { name: 'Files' }).getByText('src/tax/round.ts').waitFor()
  await expectAccessible(page)

  await page.getByLabel('Search this project').fill('half to even')
  await page.getByRole('heading', { name: 'From the repository' }).waitFor()
  await page.getByRole('button', { name: /Round taxes once/ }).waitFor()
  expect(await page.getByRole('button', { name: /Money is integer cents/ }).count()).toBe(0)
  await expectAccessible(page)
  await page.getByLabel('Search this project').fill('')

  await page.getByLabel('Type of events').selectOption('Commits and records')
  await expect.poll(() => page.getByText('refund a part of an order').count()).toBe(0)
  await commit.click()
  await page.getByRole('button', { name: 'Outdated or wrong' }).click()
  await page.getByRole('button', { name: 'Mark', exact: true }).click()
  await commit.getByText('Outdated').waitFor()
  await commit.click()
  await record.click()
  await page.getByRole('button', { name: 'Delete from memory' }).click()
  await page.getByRole('button', { name: 'Delete 1 commit' }).click()
  await page.getByText('1 commit deleted.').waitFor()
  await expect.poll(() => record.count()).toBe(0)
  expect(await commit.count()).toBe(1)
})

test('older events come on request', async () => {
  const person = await stage.person('Historian')
  for (let number = 0; number < 62; number++)
    await append(person, { event_type: 'user_message', content: `question number ${number}` })
  const { page } = person
  await openPage(page, PROJECT)
  await page.getByText('question number 61').first().waitFor()
  expect(await page.getByText('question number 1', { exact: true }).count()).toBe(0)
  const opened = page.getByRole('button', { name: 'question number 60' })
  await opened.click()
  await page.getByRole('button', { name: 'Show older' }).click()
  await page.getByText('question number 1', { exact: true }).waitFor()
  expect(await opened.getAttribute('aria-expanded')).toBe('true')
  expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0)
})

test('markup in any text of an event stays text', async () => {
  const person = await stage.person('Attacker')
  const everywhere = { title: HOSTILE, session_id: HOSTILE, client: HOSTILE, content: HOSTILE }
  for (const event_type of ['user_message', 'agent_report', 'summary', 'turn'])
    await append(person, { event_type, ...everywhere, meta: { note: HOSTILE } })
  for (const fact_kind of ['project_facts', 'project_preferences', HOSTILE])
    await append(person, { event_type: 'fact_snapshot', ...everywhere, meta: { fact_kind } })
  await append(person, { project_key: HOSTILE, event_type: 'user_message', content: HOSTILE })
  const { page } = person
  const check = async () => {
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
  }
  await openPage(page, PROJECT)
  await page.getByText('onerror').first().waitFor()
  const sessions = page.getByRole('list', { name: 'Timeline' })
  // Handles, as an opened one no longer counts among the closed.
  for (const button of await sessions.locator('button[aria-expanded=false]').elementHandles())
    await button.click()
  await check()
  await visit(page, `${PROJECT}&q=onerror`)
  await page.locator('mark').first().waitFor()
  await check()
  await visit(page, '/memory')
  await page.getByText('onerror').first().click()
  await sessions.waitFor()
  await check()
})

test('projects, a timeline, documents and results look right in every size and theme', async () => {
  const person = await stage.person('Memory viewer')
  await shop(person)
  await repository(person)
  await append(person, {
    project_key: 'example/mobile',
    event_type: 'user_message',
    content: 'Start the app.',
  })
  await lookAround(person, [
    ['/memory', 'memory', KEY],
    [PROJECT, 'memory-project', /rounding of taxes/],
    [`${PROJECT}&view=documents`, 'memory-documents', 'Money is integer cents everywhere'],
    [`${PROJECT}&q=order`, 'memory-search', 'results'],
  ])
})
