import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { PROGRAM } from '../support/process.ts'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { type Account, openStage, type Person } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()
beforeAll(() => stage.publishByStranger())
type CardAnswer = { card_id: string; workspace_id: string; readers: { text: string } }
type Key = { api_key: string }

/** A team of its lead and these people. */
async function teamOf(lead: Person, people: [Account, string][], name = 'Platform team'): Promise<string> {
  const made = await lead.api<{ workspace_id: string }>('POST', '/api/v1/workspaces', { name, type: 'team' })
  for (const [person, role] of people) {
    const { user_id } = await person.api<{ user_id: string }>('GET', '/api/v1/auth/me')
    await lead.api('POST', `/api/v1/workspaces/${made.workspace_id}/members`, { user_id, role })
  }
  return made.workspace_id
}

const write = (person: Person, sample: object) => person.api<CardAnswer>('POST', '/api/v1/cards', sample)
const read = (person: Person, id: string) => person.api<CardAnswer>('GET', `/api/v1/cards/${id}`)

/** The command, as a person runs it in a folder of theirs. */
function kvault(cwd: string, key: string, args: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM.kvault, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, KVAULT_URL: stage.base, KVAULT_API_KEY: key },
  })
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  child.stderr.on('data', (chunk) => (text += chunk))
  return new Promise((resolve) => child.on('close', () => resolve(text)))
}

test('solved by one, shared with the team, found by a teammate’s agent', async () => {
  const solver = await stage.person('Solver')
  const mate = await stage.person('Mate')
  const team = await teamOf(solver, [[mate, 'viewer']])
  const { api_key } = await solver.api<Key>('POST', '/api/v1/auth/api-keys', { name: 'command' })
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-sharing-'))
  try {
    // The solver’s command records the card; it is theirs alone.
    writeFileSync(join(folder, 'card.json'), JSON.stringify(SAMPLES[0]))
    const said = await kvault(folder, api_key, ['record', '--file', 'card.json'])
    expect(said).toContain('Readers: Only you')
    const cardId = /[\da-f-]{36}/.exec(said)?.[0] ?? ''

    const mateKey = (await mate.api<Key>('POST', '/api/v1/auth/api-keys', { name: 'agent' })).api_key
    const agent = new Client({ name: 'mate', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(`${stage.base}/mcp`), {
        requestInit: { headers: { 'x-api-key': mateKey } },
      }),
    )
    const find = async () => {
      const answer = await agent.callTool({
        name: 'search_records',
        arguments: { query: 'pool exhausted after deploy', scope: 'workspace' },
      })
      return JSON.stringify(answer.structuredContent)
    }
    expect(await find()).not.toContain(cardId)

    // In the web app the solver sees who reads it, and shares it.
    const { page } = solver
    await openPage(page, `/cards/${cardId}`)
    await page.getByText('Personal · Only you').waitFor()
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByText('Now: Only you.').waitFor()
    await page.getByRole('radio', { name: /^Platform team/ }).check()
    await expectAccessible(page)
    await picture(page, 'share-dialog')
    await page.getByRole('button', { name: 'Share with Platform team' }).click()
    await page.getByText('Who can read it now: Platform team, 2 people.').waitFor()
    await page.getByText('Platform team, 2 people', { exact: true }).waitFor()
    expect(await find()).toContain(cardId)

    // The teammate reads it in the box, and by the command in a project whose cards go to the team.
    await openPage(mate.page, '/?q=pool+exhausted+after+deploy')
    await mate.page.getByRole('list', { name: 'Team' }).getByText('Release the client').waitFor()
    expect(await kvault(folder, mateKey, ['search', 'pool', 'exhausted'])).toContain('Release the client')
    writeFileSync(join(folder, '.kvault.json'), JSON.stringify({ workspace_id: team }))
    writeFileSync(join(folder, 'card.json'), JSON.stringify(SAMPLES[1]))
    await kvault(folder, api_key, ['allow-workspace', team, '--yes'])
    const atHome = await kvault(folder, api_key, ['record', '--file', 'card.json'])
    expect(atHome).toContain(`Readers: Only you`)
    expect((await read(solver, /[\da-f-]{36}/.exec(atHome)?.[0] ?? '')).workspace_id).toBe(team)

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Personal · Only you').waitFor()
    expect(await find()).not.toContain(cardId)
    await agent.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('drafts are called drafts, publishing shows its review and what it earns, and the way back is open', async () => {
  const person = await stage.person('Publisher')
  const editor = await stage.account('Editor')
  const team = await teamOf(person, [[editor, 'editor']])
  const { card_id } = await write(person, { ...SAMPLES[2], workspace_id: team })
  const { page } = person
  await openPage(page, `/cards/${card_id}`)
  await page.getByText('Draft, editors of Platform team can read it').waitFor()
  expect(await page.getByText('Private', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: /^Library/ }).check()
  await page.getByText('Ready to publish').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Publish · earn 5' }).click()
  await page.getByText('Published to the library. You earned 5 credits.').waitFor()
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: '105 credits' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Platform team · also in the library').waitFor()

  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: /^Only you/ }).check()
  await page.getByText('1 card will leave the library.').waitFor()
  await page.getByRole('button', { name: 'Keep it to yourself' }).click()
  await page.getByText('Personal · Only you').waitFor()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page.getByText('Platform team · also in the library').waitFor()

  const poor = await write(person, { title: 'Broken', symptom: 'It broke.', fix_summary: 'TODO' })
  await visit(page, `/cards/${poor.card_id}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: /^Library/ }).check()
  await page.getByText('Not ready to publish yet').waitFor()
  await page.getByText('Fix: at least 40 characters').waitFor()
  expect(await page.getByRole('button', { name: /^Publish/ }).isDisabled()).toBe(true)
  expect((await read(person, poor.card_id)).readers.text).toBe('Only you')
})

test('what a member publishes stays a card of the team, free and marked in all its places', async () => {
  const author = await stage.person('Author')
  const mate = await stage.person('Mate')
  const team = await teamOf(author, [[mate, 'editor']])
  const { card_id } = await write(author, { ...SAMPLES[0], workspace_id: team })
  await author.api('POST', `/api/v1/cards/${card_id}/share`)
  const mark = 'Platform team · also in the library'

  await openPage(author.page, `/cards/${card_id}`)
  await author.page.getByRole('button', { name: 'Share', exact: true }).click()
  await author.page.getByText('It stays a card of Platform team.').waitFor()
  await author.page.getByRole('radio', { name: /^Library/ }).check()
  await author.page.getByRole('button', { name: /^Publish/ }).click()
  await author.page.getByText(mark).waitFor()

  const { page } = mate
  await openPage(page, `/workspaces/${team}`)
  const news = page.getByRole('listitem').filter({ hasText: SAMPLES[0].title })
  await news.getByText('also in the library').waitFor()
  await picture(page, 'team-card-in-library')
  await visit(page, `/cards?scope=workspace&workspace=${team}`)
  await page.getByRole('list', { name: 'Cards' }).getByText(mark).waitFor()
  await visit(page, '/?q=pool+exhausted+after+deploy')
  await page.getByRole('list', { name: 'Team' }).getByText(mark).waitFor()
  await page.getByRole('button', { name: /^Search the library/ }).click()
  await page.getByRole('list', { name: 'Library' }).getByText(mark).waitFor()
  await page.getByRole('heading', { name: 'nothing charged' }).waitFor()
  const { balance } = await mate.api<{ balance: number }>('GET', '/api/v1/credits/balance')
  expect(balance).toBe(100)

  // An editor of the team still reads how the card came about, and changes nothing there.
  await visit(page, `/cards/${card_id}`)
  await page.getByRole('link', { name: 'Version 1' }).click()
  await page.getByText('One version so far').waitFor()
  expect(await page.getByRole('button', { name: /^Restore/ }).count()).toBe(0)

  await author.api('POST', `/api/v1/cards/${card_id}/unpublish`)
  await openPage(page, `/cards?scope=workspace&workspace=${team}`)
  await page.getByText('Nothing shared yet').waitFor()
})

test('many cards are chosen, shared in one step that names their number, and taken back together', async () => {
  const person = await stage.person('Sorter')
  const mate = await stage.person('Colleague')
  await teamOf(person, [[mate, 'viewer']], 'Support')
  await write(mate, { ...SAMPLES[0], title: 'A private note of the colleague' })
  const ids: string[] = []
  for (const sample of SAMPLES) ids.push((await write(person, sample)).card_id)
  const { page } = person
  const texts = async () =>
    (await Promise.all(ids.map((id) => read(person, id)))).map((card) => card.readers.text)
  await openPage(page, '/cards')
  await page.getByRole('checkbox').first().waitFor()
  expect(await page.getByRole('checkbox').count()).toBe(6)
  await page.getByRole('checkbox', { name: `Choose ${SAMPLES[0].title}` }).check()
  await page.getByText('1 card chosen').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  // Other buttons take the place of the one that was pressed, and the first has the focus.
  await page.locator(':focus').getByText('Choose the first 6').press('Enter')
  await page.locator(':focus').getByText('Share 6 cards …').waitFor()
  // Further down the list, what to do with the chosen cards stays in view.
  await page.setViewportSize({ width: 1280, height: 400 })
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  const share = await page.getByRole('button', { name: 'Share 6 cards …' }).boundingBox()
  expect(share?.y).toBeGreaterThanOrEqual(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Share 6 cards …' }).click()
  await page.getByRole('radio', { name: /^Support/ }).check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Share 6 cards with Support' }).click()
  await page.getByText('6 cards: Support, 2 people.').waitFor()
  expect(new Set(await texts())).toEqual(new Set(['Support, 2 people']))

  // The teammate sees what is shared, no card that is private, and nothing to choose.
  await openPage(mate.page, '/cards?scope=workspace')
  await mate.page.getByText('6 cards').first().waitFor()
  expect(await mate.page.getByRole('list', { name: 'Cards' }).getByText('A private note').count()).toBe(0)
  expect(await mate.page.getByRole('checkbox').count()).toBe(0)

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => new Set(await texts())).toEqual(new Set(['Only you']))
})

test('what was refused of many cards stays chosen, and is sent once more alone', async () => {
  const person = await stage.person('Patient')
  await person.api('POST', '/api/v1/workspaces', { name: 'Support' })
  const ids: string[] = []
  for (const sample of SAMPLES.slice(0, 3)) ids.push((await write(person, sample)).card_id)
  const { page } = person
  await openPage(page, '/cards')
  await page.getByRole('button', { name: 'Choose the first 3' }).click()
  await page.getByRole('button', { name: 'Share 3 cards …' }).click()
  await page.getByRole('radio', { name: /^Support/ }).check()
  const sent: string[] = []
  await intercept(page, '**/share', async (route) => {
    const id = ids.find((id) => route.request().url().includes(id)) ?? ''
    sent.push(id)
    if (id === ids[1]) await route.fulfill({ status: 409, json: { detail: 'Not now.', code: 'busy' } })
    else await route.continue()
  })
  await page.getByRole('button', { name: 'Share 3 cards with Support' }).click()
  await page.getByText('1 card stayed as before:').waitFor()
  expect(new Set(sent.splice(0))).toEqual(new Set(ids))
  await page.getByRole('dialog').getByText(SAMPLES[1].title).waitFor()
  await expectAccessible(page)
  await picture(page, 'share-refused')
  await page.getByRole('button', { name: 'Share with Support' }).click()
  await expect.poll(() => sent).toEqual([ids[1]])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('1 card chosen').waitFor()
})

test('an editor is offered to share a colleague’s card where it can go to other readers', async () => {
  const [owner, editor] = [await stage.person('Owner'), await stage.person('Editor')]
  const team = await teamOf(owner, [[editor, 'editor']])
  const { card_id } = await write(owner, { ...SAMPLES[0], workspace_id: team })
  const { page } = editor
  const share = page.getByRole('button', { name: 'Share', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Share this card' })
  const reads = page.getByRole('link', { name: 'Edit', exact: true })

  // A draft of the team can be shared there, and then there is nowhere else to go.
  await openPage(page, `/cards/${card_id}`)
  await share.click()
  await dialog.getByLabel('Platform team').check()
  await dialog.getByRole('button', { name: 'Share with Platform team' }).click()
  await page.getByText('Who can read it now: Platform team, 2 people.').waitFor()
  await share.waitFor({ state: 'detached' })
  expect(await reads.isVisible()).toBe(true)

  // Only its owner shows it to strangers, so a public team is no other place; a private one is.
  await editor.api('POST', '/api/v1/workspaces', { name: 'Open team', visibility: 'public' })
  await openPage(page, `/cards/${card_id}`)
  await settled(page)
  expect(await reads.isVisible()).toBe(true)
  expect(await share.count()).toBe(0)
  await teamOf(editor, [[owner, 'viewer']], 'Second team')
  await openPage(page, `/cards/${card_id}`)
  await share.click()
  await dialog.getByLabel('Second team').waitFor()
  expect(await dialog.getByRole('radio').count()).toBe(2)
})

test('colleagues’ cards that can go nowhere else are not shared once more with the team that has them', async () => {
  const [owner, editor] = [await stage.account('Owner'), await stage.person('Editor')]
  const { user_id } = await editor.api<{ user_id: string }>('GET', '/api/v1/auth/me')
  const { workspace_id } = await owner.api<CardAnswer>('POST', '/api/v1/workspaces', { name: 'Platform' })
  await owner.api('POST', `/api/v1/workspaces/${workspace_id}/members`, { user_id, role: 'editor' })
  for (const sample of SAMPLES.slice(0, 2)) {
    const { card_id } = await owner.api<CardAnswer>('POST', '/api/v1/cards', { ...sample, workspace_id })
    await owner.api('POST', `/api/v1/cards/${card_id}/share`)
  }
  const { page } = editor
  const chooseAll = async () => {
    await openPage(page, '/cards?scope=workspace')
    await page.getByRole('button', { name: /^Choose the first/ }).click()
    await page.getByRole('button', { name: /^Share \d cards …/ }).click()
  }
  const dialog = page.getByRole('dialog')
  const nowhere = dialog.getByText('There is no other place to which you may bring these cards.')
  await chooseAll()
  await nowhere.waitFor()
  await dialog.getByText('Now', { exact: true }).waitFor()
  await dialog
    .getByRole('button', { name: 'Share', exact: true })
    .and(page.locator('[aria-disabled=true]'))
    .waitFor()
  await expectAccessible(page)
  await picture(page, 'share-nowhere')

  await write(editor, { ...SAMPLES[3], workspace_id })
  await editor.api('POST', '/api/v1/workspaces', { name: 'Second team' })
  await chooseAll()
  await dialog.getByLabel('Second team').waitFor()
  expect(await nowhere.count()).toBe(0)
})

test('the dialog begins at the first choice, also where the choices come later', async () => {
  const person = await stage.person('Keyboarder')
  const { card_id } = await write(person, SAMPLES[0])
  const { page } = person
  const asked = Promise.withResolvers<Route>()
  await openPage(page, `/cards/${card_id}`)
  await settled(page)
  await intercept(page, '**/api/v1/workspaces*', asked.resolve)
  await page.getByRole('button', { name: 'Share', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Share this card' })
  await dialog.waitFor()
  await (await asked.promise).continue()
  await dialog.getByLabel('Only you').waitFor()
  await page.keyboard.press('Tab')
  await dialog.getByLabel('Only you').and(page.locator(':focus')).waitFor()
})
