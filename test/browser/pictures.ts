import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible, expectReadableColors } from './accessible.ts'
import { settled } from './settled.ts'
import type { Person } from './support.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
]

const folder = fileURLToPath(new URL('../../test-results/screenshots/', import.meta.url))

/** Keeps a picture for people to look at, if they ask for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}${name}.png` })
}

/** The page in both sizes and themes: without serious findings, without scrolling sideways. */
export async function look(
  { page }: Pick<Person, 'page'>,
  path: string,
  name: string,
  ready: string | RegExp,
): Promise<void> {
  await page.goto(path)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await page.getByText(ready).filter({ visible: true }).first().waitFor()
    await settled(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await expectAccessible(page)
    await picture(page, `${name}-${size.width}-light`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectReadableColors(page)
    await picture(page, `${name}-${size.width}-dark`)
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(sideways, `${path} scrolls sideways at ${size.width} px`).toBe(0)
  }
}
