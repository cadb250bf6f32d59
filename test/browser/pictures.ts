import { expect } from 'vitest'
import { expectAccessible, type Person, picture, settled } from './support.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
]
const THEMES = ['light', 'dark'] as const

/** The page in both sizes and themes: without serious findings, without scrolling sideways, kept as a picture. */
export async function look(
  { page }: Person,
  path: string,
  name: string,
  ready: string | RegExp,
): Promise<void> {
  await page.goto(path)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await page.getByText(ready).filter({ visible: true }).first().waitFor()
    await settled(page)
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      await expectAccessible(page)
      await picture(page, `${name}-${size.width}-${theme}`)
    }
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(sideways, `${path} scrolls sideways at ${size.width} px`).toBe(0)
  }
}
