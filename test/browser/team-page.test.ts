import { expect, test } from 'vitest'
import { DAY_MS } from '../../src/shared/time.ts'
import { addLike } from '../support/cards.ts'
import { expectAccessible } from './accessible.ts'
import { judge } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { openStage, type Person } from './support.ts'
import { openPage, reopenPage, visit } from './visit.ts'

const stage = openStage()

type Id = { card_id: string; workspace_id: string }

async function teamOf(lead: Person, ...mates: Person[]): Promise<string> {
  const { workspace_id } = await lead.api<Id>('POST', '/api/v1/workspaces', { name: 'Platform team' })
  for (const { email } of mates)
    await lead.api('POST', `/api/v1/workspaces/${workspace_id}/members/by-email`, { email, role: 'editor' })
  return workspace_id
}

async function shared(owner: Person, workspace_id: string, sample: number): Promise<string> {
  const { card_id } = await owner.api<Id>('POST', '/api/v1/cards', { ...SAMPLES[sample], workspace_id })
  await owner.api('POST', `/api/v1/cards/${card_id}/share`)
  return card_id
}

const says = (person: Person, card: string, outcome: string, note?: string) =>
  person.api('POST', `/api/v1/cards/${card}/verdicts`, { outcome, note })

test('the page of a team begins with what needs somebody, and settles it with one click', async () => {
  const [lead, mate] = [await stage.person('Ada Lead'), await stage.person('Ben Mate')]
  const team = await teamOf(lead, mate)
  const [doubted, published] = [await shared(lead, team, 0), await shared(lead, team, 1)]
  await says(mate, doubted, 'stale', 'Since version 3 the flag is gone.')
  await lead.api('POST', `/api/v1/cards/${published}/publish`)
  await says(mate, published, 'failed')
  const { page } = lead
  await openPage(page, `/workspaces/${team}`)
  const needs = page.getByRole('region', { name: 'Needs somebody' })
  const row = (sample: number) =>
    needs.getByRole('listitem').filter({ hasText: SAMPLES[sample]?.title as string })
  await row(0).getByText('Since version 3 the flag is gone.').waitFor()
  await row(1).getByText('Failed for Ben Mate').waitFor()
  await page.getByRole('region', { name: 'New and changed cards' }).getByText('by Ada Lead').first().waitFor()
  // Searches were not counted here, so nothing is said of them.
  expect(await page.getByText('found something').count()).toBe(0)
  await judge(page, 'team-week-needs')
  await page.setViewportSize({ width: 1280, height: 800 })

  await row(0).getByRole('button', { name: 'Still works' }).click()
  await row(0).waitFor({ state: 'detached' })
  await row(1).getByRole('button', { name: 'Dismiss' }).click()
  await needs.getByText('Nothing waits for anybody.').waitFor()

  // A colleague may not edit the published card, and settles the doubt all the same.
  await says(mate, published, 'stale')
  await openPage(mate.page, `/workspaces/${team}`)
  const theirs = mate.page.getByRole('region', { name: 'Needs somebody' }).getByRole('listitem')
  await theirs.getByText('Called outdated by').waitFor()
  expect(await theirs.getByRole('button', { name: 'Dismiss' }).count()).toBe(0)
  await theirs.getByRole('button', { name: 'Still works' }).click()
  await mate.page.getByText('Nothing waits for anybody.').waitFor()
})

test('a plot of the last weeks, and Insights as a tab under the old address too', async () => {
  const [lead, mate] = [await stage.person('Cleo Lead'), await stage.person('Dan Mate')]
  const team = await teamOf(lead, mate)
  const card = await shared(lead, team, 0)
  await says(mate, card, 'worked')
  const { page } = lead
  await openPage(page, `/workspaces/${team}`)
  const weeks = page.getByRole('region', { name: 'The last 4 weeks' })
  await weeks.getByRole('listitem').filter({ hasText: 'Worked' }).getByText('1', { exact: true }).waitFor()
  // One day is told in words.
  expect(await weeks.getByRole('img').count()).toBe(0)
  await stage.app.services.database.transaction((db) =>
    db
      .updateTable('memberships')
      .set({ created_at: new Date(Date.now() - 9 * DAY_MS).toISOString() })
      .where('workspace_id', '=', team)
      .execute(),
  )
  const earlier = {
    verdict_id: crypto.randomUUID(),
    environment_key: 'node=20',
    created_at: new Date(Date.now() - 5 * DAY_MS).toISOString(),
  }
  await addLike(stage.app, 'card_verdicts', ['card_id', card], [earlier])
  await reopenPage(page)
  await weeks.getByRole('img').locator('canvas').waitFor()
  await visit(page, `/effects?workspace=${team}`)
  await page.getByRole('tab', { name: 'Insights', selected: true }).waitFor()
  await page.getByText('Nothing here tells who.').waitFor()
  await expectAccessible(page)
})

test('who joined a team is shown its cards and how to connect, and not asked to write one first', async () => {
  const lead = await stage.person('Eve Lead')
  const mate = await stage.newcomer('Fay Mate', {})
  const team = await teamOf(lead, mate)
  const card = await shared(lead, team, 0)
  const { page } = mate
  await openPage(page, '/')
  const list = page.getByRole('list', { name: 'New in your teams' })
  await list.getByText(SAMPLES[0].title).waitFor()
  await list.getByText(SAMPLES[0].fix_summary.slice(0, 20)).waitFor()
  expect(await page.getByText('Your vault is empty').count()).toBe(0)
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('Connect your agent').waitFor()
  expect(await steps.getByText('Write a card').count()).toBe(0)
  await page.getByRole('region', { name: 'Your agents can use this too' }).waitFor()
  // Added by somebody, so that is in the inbox, and said once more where it waits.
  await page.getByRole('region', { name: 'Waits for you' }).getByText('1 new notice in your inbox').waitFor()
  await page.getByRole('link', { name: 'Inbox 1 unread' }).first().waitFor()
  await judge(page, 'home-joined')
  await page.setViewportSize({ width: 390, height: 844 })
  const bar = page.getByRole('navigation', { name: 'Main' })
  const names = await bar.getByRole('link').allTextContents()
  expect(names.map((name) => name.replace(/\d.*unread/, ''))).toEqual([
    'Home',
    'Cards',
    'Team',
    'Inbox',
    'Drafts',
  ])
  await page.getByRole('button', { name: /^Account/ }).click()
  for (const name of ['Memory', 'Connect your agent', 'Settings', 'Guide', 'Support'])
    await page.getByRole('menuitem', { name }).waitFor()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 800 })

  // A hit shows the fix, and no readers, who are the usual ones.
  await page.locator('[data-search-box]').fill(SAMPLES[0].title.split(' ').slice(0, 3).join(' '))
  const hit = page.locator(`[data-hit="${card}"]`)
  await hit.getByText(SAMPLES[0].fix_summary.slice(-12)).or(hit.locator('mark')).first().waitFor()
  expect(await hit.getByText('Platform team').count()).toBe(0)
})

test('the inbox puts together what worked for one person, and each card opens from there', async () => {
  const [lead, mate] = [await stage.person('Gus Lead'), await stage.person('Hal Mate')]
  const team = await teamOf(lead, mate)
  const cards = [await shared(lead, team, 0), await shared(lead, team, 1), await shared(lead, team, 2)]
  for (const card of cards) await says(mate, card, 'worked')
  await mate.api('POST', `/api/v1/cards/${cards[0]}/comments`, { body: 'Does it hold for podman?' })
  const { page } = lead
  await openPage(page, '/inbox')
  const row = page.getByRole('listitem').filter({ hasText: '3 of your cards worked for Hal Mate today' })
  await row.getByRole('link', { name: SAMPLES[1].title }).waitFor()
  await page.getByText('“Does it hold for podman?”').waitFor()
  await judge(page, 'inbox-grouped')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByText('“Does it hold for podman?”').click({ position: { x: 4, y: 4 }, force: true })
  await page.getByRole('heading', { level: 1, name: SAMPLES[0].title }).waitFor()
  await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor()
})
