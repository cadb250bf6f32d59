import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { CONTRAST_SCRIPT, type Sample, type samplesIn } from './contrast.ts'

/** The kinds of text and links whose colours axe has judged in this process. */
const judgedKinds = new Set<string>()

/** What stays in a page until it loads anew. */
type Tools = {
  axe: typeof axe
  samplesIn: typeof samplesIn
  judgedKinds: Set<string>
  judgedFrames: Set<string>
}

/** The script of axe is half a megabyte. */
async function bringTools(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return
  await page.evaluate(axe.source)
  await page.evaluate(`(() => {
    ${CONTRAST_SCRIPT}
    const judgedKinds = new Set(${JSON.stringify([...judgedKinds])})
    Object.assign(globalThis, { samplesIn, judgedKinds, judgedFrames: new Set() })
  })()`)
}

/**
 * What a look has to judge. An open dialog makes everything behind it inert. The frame around `main` is the same
 * on every page: it is judged once in each theme and width, and again when it says something else.
 */
function whatIsNew(): string {
  if (document.querySelector('dialog:modal')) return 'dialog:modal'
  const { judgedFrames } = globalThis as unknown as Tools
  const main = document.querySelector('main')?.textContent ?? ''
  const theme = matchMedia('(prefers-color-scheme: dark)').matches
  const frame = [theme, innerWidth, document.body.textContent?.replace(main, '')].join(' ')
  if (judgedFrames.has(frame)) return 'main'
  judgedFrames.add(frame)
  return 'html'
}

/**
 * Judges a part of the page. The two rules about colours take axe nine tenths of the time, so they look at each kind
 * of text and link once. A kind counts as judged only where axe has told its contrast.
 */
async function judge(part: string): Promise<{ findings: string[]; kinds: string[] }> {
  const tools = globalThis as unknown as Tools
  const options = { selectors: false, preload: false }
  const { violations } = await tools.axe.run(part, {
    ...options,
    reporter: 'no-passes',
    rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } },
  })
  const samples = tools.samplesIn(part).filter(({ kind }) => !tools.judgedKinds.has(kind))
  if (samples.length > 0) {
    const colours = await tools.axe.run(
      { include: samples.map(({ element }) => element) },
      { ...options, elementRef: true, runOnly: ['color-contrast', 'link-in-text-block'] },
    )
    violations.push(...colours.violations)
    const results = [...colours.passes, ...colours.incomplete]
    const isJudged = ({ rule, element, isCovered }: Sample): boolean => {
      const nodes = results.filter(({ id }) => id === rule).flatMap((result) => result.nodes)
      const own = nodes.find((node) => node.element === element)
      if (!own || isCovered || rule !== 'color-contrast') return own !== undefined
      return own.any.some(({ data }) => data?.contrastRatio)
    }
    for (const sample of samples) if (isJudged(sample)) tools.judgedKinds.add(sample.kind)
  }
  const findings = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
    )
  return { findings, kinds: samples.map(({ kind }) => kind).filter((kind) => tools.judgedKinds.has(kind)) }
}

/** The rule and the element of every serious or critical finding. */
export async function findingsOn(page: Page): Promise<string[]> {
  await bringTools(page)
  const { findings, kinds } = await page.evaluate(judge, await page.evaluate(whatIsNew))
  for (const kind of kinds) judgedKinds.add(kind)
  return findings
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findingsOn(page), `accessibility of ${page.url()}`).toEqual([])
}
