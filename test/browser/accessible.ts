import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The rules whose outcome a theme can change; all others look at names, roles and structure. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

async function findings(page: Page, rules: string[] | undefined): Promise<string[]> {
  // The script is half a megabyte, and stays until the page loads anew.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async (runOnly) => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe.run
    const { violations } = await run(document, {
      resultTypes: ['violations'],
      ...(runOnly ? { runOnly } : {}),
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
      )
  }, rules)
}

/** Fails with the rule and the elements for every serious or critical finding. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findings(page, undefined), `accessibility of ${page.url()}`).toEqual([])
}

/** The same for another theme of a page that was looked at already. */
export async function expectReadableColors(page: Page): Promise<void> {
  expect(await findings(page, COLOR_RULES), `colours of ${page.url()}`).toEqual([])
}
