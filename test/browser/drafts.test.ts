import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { judge, look } from './pictures.ts'
import { openStage } from './support.ts'
import { comeBack, openPage, visit } from './visit.ts'

const stage = openStage()

const candidate = (name: string) => ({
  command: 'npm test',
  exit_code: 1,
  failure: `Error: Cannot find module '${name}-client'`,
  success: 'Tests  12 passed (12)',
  attempts: 2,
  files: ['package.json'],
  commands: [`npm install ${name}-client`],
  report: `I installed \`${name}-client\` <b>because</b> it was never declared.`,
})

test('a person accepts, edits and dismisses what was found in their work, and sees what recall did', async () => {
  const person = await stage.person('Miner')
  const { page } = person
  await look(person, '/drafts', 'drafts-empty', 'No drafts')
  // A command that works without anything installed: npm knows no package of this name.
  await page.getByText(/^npx -y http\S+\/kvault\.tgz mine --dry-run$/).waitFor()
  const title = "Error: Cannot find module 'harbour-client'"
  const symptom = `npm test fails with ${title} after a fresh checkout`
  await person.api('POST', '/api/v1/cards', {
    title,
    symptom,
    fix_summary: 'Declare the client in package.json and install it.',
  })
  await person.api('POST', '/api/v1/drafts', { candidates: ['lantern', 'orchard', 'quarry'].map(candidate) })
  await page.setViewportSize({ width: 1280, height: 800 })
  await openPage(page, '/inbox')
  await page.getByRole('link', { name: 'Something you solved could become a card' }).click()
  await page.getByRole('link', { name: 'Drafts 3 waiting' }).waitFor()
  // The notice that led here is read.
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
  await page.getByText('lantern-client').first().waitFor()
  // As on the card that it would become: code looks like code, and a tag is text.
  await page.getByText('<b>because</b> it was never declared').first().locator('code').waitFor()
  await judge(page, 'drafts')
  await page.setViewportSize({ width: 1280, height: 800 })
  const draft = (name: string) =>
    page.getByRole('list', { name: 'Drafts' }).locator('> li').filter({ hasText: name })
  await draft('lantern').getByRole('button', { name: 'Accept as a card' }).click()
  await page.getByText('Recorded as your card.').first().waitFor()
  await draft('orchard').getByRole('button', { name: 'Edit' }).click()
  await page.locator('input:focus').waitFor()
  await page.getByLabel('Title').fill('The orchard client has to be declared')
  // It waits while something else is looked at.
  await visit(page, '/library')
  await page.goBack()
  await draft('orchard').getByRole('button', { name: 'Edit' }).click()
  await page.getByText('What you wrote before is back.').waitFor()
  await expectAccessible(page)
  const form = page.locator('form', { has: page.getByLabel('Title') })
  await form.getByRole('button', { name: 'Accept as a card' }).click()
  await page.getByRole('link', { name: 'Drafts 1 waiting' }).waitFor()
  await draft('quarry').locator('button:focus').first().waitFor()
  await draft('quarry').getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('heading', { name: 'No drafts' }).waitFor()
  await page.locator('h1:focus').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await draft('quarry').waitFor()
  // The notice is gone, and the focus with it if nobody took care.
  await page.locator('h1:focus').waitFor()
  const { items } = await person.api<{ items: { title: string }[] }>('GET', '/api/v1/cards')
  expect(items.map((card) => card.title)).toContain('The orchard client has to be declared')
  // Decided about elsewhere while somebody writes: the text stays, and goes on as a card.
  await draft('quarry').getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Title').fill('The quarry client has to be declared')
  const { items: open } = await person.api<{ items: { draft_id: string }[] }>('GET', '/api/v1/drafts')
  await person.api('POST', `/api/v1/drafts/${open[0]?.draft_id}/dismiss`)
  await comeBack(page)
  await page.getByText('This draft was accepted or dismissed elsewhere').waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('The quarry client has to be declared')
  await page.locator('input:focus').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save as a new card of mine' }).click()
  await page.getByText(/Your draft from .* is back/).waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('The quarry client has to be declared')
  await look(person, '/effects', 'effects', 'Nothing delivered yet')
})
