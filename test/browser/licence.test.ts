import { expect, test } from 'vitest'
import { foreignCard } from '../support/foreign-card.ts'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { look, picture } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { settled } from './settled.ts'
import { openStage } from './support.ts'
import { openPage } from './visit.ts'

const stage = openStage()

test('a person publishes under a licence of their choice and sees it; a pulled card shows its origin and keeps its own', async () => {
  const me = await stage.person('Ada')
  const { page } = me
  const { card_id } = await me.api<{ card_id: string }>('POST', '/api/v1/cards', SAMPLES[0])
  await openPage(page, `/cards/${card_id}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: /^Library/ }).check()
  const licence = page.getByLabel('Licence')
  expect(await licence.inputValue()).toBe('CC-BY-4.0')
  await licence.selectOption('CC0-1.0')
  expect(await page.getByRole('link', { name: 'Read the licence' }).getAttribute('href')).toContain('/zero/')
  await expectAccessible(page)
  await picture(page, 'licence-choice')
  await page.getByRole('button', { name: /^Publish/ }).click()
  await page.getByText('Licence and origin').waitFor()
  await page.getByRole('link', { name: 'CC0-1.0' }).waitFor()
  await settled(page)
  await expectAccessible(page)
  await picture(page, 'licence-shown')

  const { personal_workspace_id } = await me.api<{ personal_workspace_id: string }>('GET', '/api/v1/auth/me')
  const { items } = await me.api<{ items: { card_id: string }[] }>('POST', '/api/v1/library/import', {
    workspace_id: personal_workspace_id,
    server: 'https://other.example',
    cards: [foreignCard()],
  })
  await look(me, `/cards/${items[0]?.card_id}`, 'origin', /Strangers wrote it/)
  expect(await page.getByRole('link', { name: 'https://other.example' }).getAttribute('href')).toContain(
    'https://other.example/library/',
  )
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('radio', { name: /^Library/ }).check()
  expect(await page.getByLabel('Licence').isDisabled()).toBe(true)
  await page.getByText('It was published under this licence, which cannot change for this version.').waitFor()
})

test('nothing is published while the licence it would get is unknown', async () => {
  const { page, api } = await stage.person('Grace')
  const { card_id } = await api<{ card_id: string }>('POST', '/api/v1/cards', SAMPLES[2])
  await intercept(page, '**/app-config.json', (route) => route.fulfill({ status: 500, json: {} }))
  await openPage(page, `/cards/${card_id}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /^Library/ }).check()
  await dialog.getByText('The choice of a licence did not load.').waitFor()
  const publish = dialog.getByRole('button', { name: /^Publish/ })
  expect(await publish.getAttribute('aria-disabled')).toBe('true')
  await page.unroute('**/app-config.json')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByLabel('Licence').waitFor()
  await publish.click()
  await page.getByText('Published to the library.').waitFor()
})
