import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Only what is read below: a selector for each node that passes takes a quarter of the time. */
const OPTIONS = { reporter: 'no-passes', selectors: false, elementRef: false, preload: false } as const

/**
 * What a look has to judge. An open dialog makes everything behind it inert. The frame around `main` is the same
 * on every page: it is judged once in each theme and width, and again when it says something else.
 */
function whatIsNew(): string {
  if (document.querySelector('dialog:modal')) return 'dialog:modal'
  const main = document.querySelector('main')?.textContent ?? ''
  const theme = matchMedia('(prefers-color-scheme: dark)').matches
  const frame = [theme, innerWidth, document.body.textContent?.replace(main, '')].join(' ')
  const judged = globalThis as { judgedFrames?: Set<string> }
  judged.judgedFrames ??= new Set()
  if (judged.judgedFrames.has(frame)) return 'main'
  judged.judgedFrames.add(frame)
  return 'html'
}

/** Fails with the rule and the elements for every serious or critical finding. */
export async function expectAccessible(page: Page): Promise<void> {
  // The script is half a megabyte, and stays until the page loads anew.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const findings = await page.evaluate(
    async ([part, options]) => {
      const run = (globalThis as unknown as { axe: typeof axe }).axe.run
      const { violations } = await run(part, options)
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
        )
    },
    [await page.evaluate(whatIsNew), OPTIONS] as const,
  )
  expect(findings, `accessibility of ${page.url()}`).toEqual([])
}
