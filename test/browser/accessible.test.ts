import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findingsOn } from './accessible.ts'
import { breakCanvasOnce } from './broken-canvas.ts'
import { settled } from './settled.ts'
import { openStage } from './support.ts'
import { openPage } from './visit.ts'

const stage = openStage()

/** Puts a paragraph of these colours into the page, in place of the one before. */
const write = (page: Page, color: string, background: string, linkColor?: string) =>
  page.evaluate(
    ([text, ground, link]) => {
      document.getElementById('sample')?.remove()
      const paragraph = document.createElement('p')
      paragraph.id = 'sample'
      paragraph.style.color = text
      paragraph.style.background = ground
      paragraph.append('A long sentence about a pool of connections that runs dry ')
      const anchor = document.createElement('a')
      anchor.href = '/help'
      anchor.textContent = 'under load'
      anchor.style.color = link ?? text
      if (link) paragraph.append(anchor)
      const main = document.querySelector('main')
      if (!main) throw new Error('The page has no main part.')
      main.append(paragraph)
    },
    [color, background, linkColor] as const,
  )

test('each kind of text is judged, also where others of the same page were judged before', async () => {
  const { page } = await stage.window()
  await openPage(page, '/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await settled(page)
  expect(await findingsOn(page)).toEqual([])
  const found = async () => {
    const findings = await findingsOn(page)
    expect(await page.locator('#sample').count(), 'the page still shows the sample').toBe(1)
    return findings.join()
  }

  await write(page, 'rgb(170, 170, 170)', 'rgb(255, 255, 255)')
  expect(await found()).toContain('color-contrast: <p id="sample"')
  expect(await found(), 'what failed is judged again').toContain('color-contrast')
  await write(page, 'rgb(170, 170, 170)', 'rgb(0, 0, 0)')
  expect(await found()).toBe('')
  await write(page, 'rgb(170, 170, 170)', 'rgb(200, 200, 200)')
  expect(await found()).toContain('color-contrast')

  await write(page, 'rgb(0, 0, 0)', 'rgb(255, 255, 255)', 'rgb(0, 0, 90)')
  expect(await found()).toContain('link-in-text-block')
  await page.evaluate(() => document.querySelector('#sample a')?.setAttribute('class', 'underline'))
  expect(await found()).toBe('')
  await page.evaluate(() => document.querySelector('#sample')?.append(document.createElement('button')))
  expect(await found()).toContain('button-name')
})

test('a rule that fails is a finding, not a page without faults', async () => {
  const { page } = await stage.window()
  await openPage(page, '/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await write(page, 'rgb(170, 170, 170)', 'rgb(255, 255, 254)')
  await breakCanvasOnce(page)
  expect((await findingsOn(page)).join()).toContain('color-contrast: not judged, There is no canvas')
  expect((await findingsOn(page)).join()).toContain('color-contrast: <p id="sample"')
})
