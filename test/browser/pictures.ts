import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { settled } from './settled.ts'
import type { Person } from './support.ts'

/** Both sizes and both themes, each judged once; the colours of a theme are the same in every size. */
const VIEWS = [
  { width: 1280, height: 800, judged: 'light', other: 'dark' },
  { width: 360, height: 740, judged: 'dark', other: 'light' },
] as const

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
  for (const { width, height, judged, other } of VIEWS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: other })
    await page.getByText(ready).filter({ visible: true }).first().waitFor()
    await settled(page)
    await picture(page, `${name}-${width}-${other}`)
    await page.emulateMedia({ colorScheme: judged })
    await expectAccessible(page)
    await picture(page, `${name}-${width}-${judged}`)
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(sideways, `${path} scrolls sideways at ${width} px`).toBe(0)
  }
}
