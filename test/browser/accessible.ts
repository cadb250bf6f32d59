import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Fails with the rule and the elements for every serious or critical finding. */
export async function expectAccessible(page: Page): Promise<void> {
  // The script is half a megabyte, and stays until the page loads anew.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const findings = await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe.run
    const { violations } = await run(document, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
      )
  })
  expect(findings, `accessibility of ${page.url()}`).toEqual([])
}
