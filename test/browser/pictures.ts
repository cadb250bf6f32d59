import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { settled } from './settled.ts'
import type { Person } from './support.ts'
import { openPage, visit } from './visit.ts'

type Look = { width: number; height: number; judged?: 'light' | 'dark' }

/** Both sizes and both themes, each judged once; the colours of a theme are the same in every size. */
const LOOKS: readonly Look[] = [
  { width: 1280, height: 800, judged: 'light' },
  { width: 360, height: 740, judged: 'dark' },
]

/** Further sizes that people look at. */
const PICTURED: readonly Look[] = process.env.PICTURES
  ? [1440, 768, 390].map((width) => ({ width, height: 900 }))
  : []

/** The size that the page has comes first: drawing everything anew costs as much as half a check by axe. */
const looksFrom = (page: Page): Look[] => {
  const isNow = ({ width }: Look) => width === page.viewportSize()?.width
  return [...PICTURED, ...LOOKS.filter(isNow), ...LOOKS.filter((look) => !isNow(look))]
}

const folder = fileURLToPath(new URL('../../test-results/screenshots/', import.meta.url))

/** Keeps a picture for people to look at, if they ask for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}${name}.png` })
}

/** Changes the theme thrice more, so only where somebody asks for pictures. */
async function pictureBothThemes(page: Page, name: string, judged: Look['judged'] = 'light'): Promise<void> {
  if (!process.env.PICTURES) return
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await picture(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: judged })
}

/** By how many pixels the page can be scrolled sideways. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** The page as it stands, in each size: without serious findings, without scrolling sideways, with one heading of its own. */
export async function judge(
  page: Page,
  name: string,
  looks: readonly Look[] = looksFrom(page),
  ready = async () => {},
): Promise<void> {
  for (const { width, height, judged } of looks) {
    await page.emulateMedia({ colorScheme: judged ?? 'light' })
    await page.setViewportSize({ width, height })
    await ready()
    await settled(page)
    await pictureBothThemes(page, `${name}-${width}`, judged)
    if (judged) await expectAccessible(page)
    expect(await sideways(page), `${name} scrolls sideways at ${width} px`).toBe(0)
    expect(await page.locator('h1').count(), `headings of the first level in ${name}`).toBe(1)
  }
}

/** A tablet, too: from the size that the page has to the other end, which it then keeps. */
export async function judgeThreeSizes(page: Page, name: string): Promise<void> {
  const [wide, phone] = LOOKS as [Look, Look]
  const sizes = [wide, { width: 768, height: 1024 }, phone]
  await judge(page, name, page.viewportSize()?.width === phone.width ? sizes.reverse() : sizes)
}

export type Sight = [path: string, name: string, ready: string | RegExp]

/** The page in both sizes and themes. */
export async function look({ page }: Pick<Person, 'page'>, ...[path, name, ready]: Sight): Promise<void> {
  await openPage(page, path)
  await judge(page, name, undefined, () => page.getByText(ready).filter({ visible: true }).first().waitFor())
}

/** Several pages of the app, one after another in the same window. */
export async function lookAround({ page }: Pick<Person, 'page'>, sights: readonly Sight[]): Promise<void> {
  for (const [at, [path, name, ready]] of sights.entries()) {
    await (at === 0 ? openPage(page, path) : visit(page, path))
    await judge(page, name, undefined, () =>
      page.getByText(ready).filter({ visible: true }).first().waitFor(),
    )
  }
}
