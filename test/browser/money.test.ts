import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makeAdmin } from '../support/admin.ts'
import { expectAccessible } from './accessible.ts'
import { judgeThreeSizes } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { openMenu, openStage, type Person, switchSetting } from './support.ts'
import { openPage, visit } from './visit.ts'

const fresh = openStage()
const shared = openStage()
const company = openStage({ CREDITS: 'on' })

const MONEY =
  /\bcredits?\b|\bpric(e|es|ing)\b|[$€]\s?\d|\bbilling\b|\bplans?\b|invite code|\bearn|\bbuy\b|\bcharged?\b/gi

const PAGES = [
  '/',
  '/?q=zzqx+unheard-of',
  '/cards',
  '/cards/new',
  '/library',
  '/memory',
  '/workspaces',
  '/inbox',
  '/drafts',
  '/connect',
  '/settings',
  '/settings?tab=keys',
  '/settings?tab=account',
  '/support',
  '/support?tab=ticket',
  '/guide',
  '/billing',
]

/** What the page says about money, with what stands in its boxes and names. */
async function moneyOn(page: Page): Promise<string[]> {
  await settled(page)
  const text = await page.evaluate(() => {
    const named = [...document.querySelectorAll('[aria-label], [placeholder], option')]
    const names = named.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? '')
    return [document.body.innerText, ...names].join('\n')
  })
  return [...new Set(text.match(MONEY) ?? [])]
}

async function openShareDialog(page: Page, cardId: string): Promise<void> {
  await openPage(page, `/cards/${cardId}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: /^Library/ }).check()
  await page.getByText('Ready to publish').waitFor()
}

const write = async ({ api }: Person, sample = SAMPLES[0]): Promise<string> =>
  (await api<{ card_id: string }>('POST', '/api/v1/cards', sample)).card_id

test('a vault with nothing of others in its library speaks of no money on any page', async () => {
  const person = await fresh.person('Founder')
  const { page } = person
  const cardId = await write(person)
  for (const path of [...PAGES, `/cards/${cardId}`, `/cards/${cardId}/edit`]) {
    await openPage(page, path)
    await page.getByRole('main').waitFor()
    expect(await moneyOn(page), path).toEqual([])
  }
  await openPage(page, '/?q=zzqx+unheard-of')
  await page.getByRole('button', { name: 'Search the library', exact: true }).click()
  await page.getByText('The library has nothing on this.').waitFor()
  expect(await moneyOn(page), 'after a search of the library').toEqual([])

  await openMenu(page)
  expect(await moneyOn(page), 'menu of the person').toEqual([])
  await page.keyboard.press('Escape')
  await openShareDialog(page, cardId)
  expect(await moneyOn(page), 'dialog').toEqual([])
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Published to the library.').waitFor()
  // One's own card in the library changes nothing, though it has earned something.
  await visit(page, '/')
  expect(await moneyOn(page), 'after publishing').toEqual([])
  await page.setViewportSize({ width: 390, height: 800 })
  await openMenu(page)
  expect(await moneyOn(page), 'menu of a phone').toEqual([])

  const stranger = await fresh.window()
  await openPage(stranger.page, '/sign-up')
  await stranger.page.getByLabel('Password').waitFor()
  expect(await moneyOn(stranger.page), 'sign-up').toEqual([])
})

test('where the library has cards of others, the price stands on the button and the balance in the bar', async () => {
  await shared.publishByStranger()
  const person = await shared.person('Reader')
  const { page } = person
  const cardId = await write(person)
  await openPage(page, '/?q=zzqx+unheard-of')
  await page.getByRole('button', { name: 'Search the library · 5 credits' }).waitFor()
  await page.getByText('5 credits, only if it finds something. You have 100.').waitFor()
  // One entry leads to the money, not two.
  await openMenu(page)
  const entries = page.getByRole('menuitem', { name: /credit|billing/i })
  expect(await entries.allTextContents()).toEqual(['100 credits'])
  await page.keyboard.press('Escape')
  await openShareDialog(page, cardId)
  await page.getByText('Earns 5 credits the first time.').waitFor()
  await page.getByRole('button', { name: 'Publish · earn 5' }).waitFor()
  await page.keyboard.press('Escape')
  await openMenu(page)
  await page.getByRole('menuitem', { name: '100 credits' }).click()
  await page.getByRole('button', { name: 'Buy for $16' }).waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await openMenu(page)
  await page.getByRole('menuitem', { name: '100 credits' }).waitFor()
})

test('an admin switches credits off for everybody while the server runs, and on again', async () => {
  const admin = await shared.person('Boss')
  await makeAdmin(shared.app, admin.email)
  const { page } = admin
  await openPage(page, '/settings?tab=server')
  const box = page.getByLabel('Use credits on this server')
  await judgeThreeSizes(page, 'settings-server')
  await page.setViewportSize({ width: 1280, height: 800 })
  await switchSetting(box, false)
  await page.getByText('Credits are off for everybody.').waitFor()
  await page.getByText(/^Changed by Boss, /).waitFor()
  await openMenu(page)
  expect(await page.getByRole('menuitem', { name: /credit|billing/i }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await openPage(page, '/?q=zzqx+unheard-of')
  await page.getByRole('button', { name: 'Search the library', exact: true }).waitFor()
  expect(await moneyOn(page)).toEqual([])
  await visit(page, '/settings?tab=server')
  await switchSetting(box, true)
  await page.getByText('Credits are on for everybody.').waitFor()
  await openMenu(page)
  await page.getByRole('menuitem', { name: '100 credits' }).waitFor()
})

test('the variable of the server wins, and the switch says so; others have no such page', async () => {
  const admin = await company.person('Boss')
  await makeAdmin(company.app, admin.email)
  await openPage(admin.page, '/settings?tab=server')
  await admin.page.getByText('The variable CREDITS of the server decides.').waitFor()
  expect(await admin.page.getByLabel('Use credits on this server').isDisabled()).toBe(true)
  await expectAccessible(admin.page)
  const { page } = await company.person('Guest')
  await openPage(page, '/settings?tab=server')
  await page.getByRole('tab', { name: 'General', selected: true }).waitFor()
  expect(await page.getByRole('tab', { name: 'Server' }).count()).toBe(0)
})
