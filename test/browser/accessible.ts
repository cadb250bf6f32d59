import { appendFileSync, readFileSync } from 'node:fs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { CONTRAST_SCRIPT, type Sample, type samplesIn } from './contrast.ts'

/** A line for each kind of text and link whose colours axe has judged in this run, in any process. */
const judgedKinds = (): string => readFileSync(inject('judgedKinds'), 'utf8')

const addJudgedKinds = (kinds: string[]): void =>
  appendFileSync(inject('judgedKinds'), kinds.map((kind) => `${kind}\n`).join(''))

type Outcome = {
  node: { element: Element; source: string }
  any: { message: string; data?: { contrastRatio?: number } }[]
}
type RuleOutcome = {
  id: string
  violations: Outcome[]
  passes: Outcome[]
  incomplete: Outcome[]
  /** Why axe could not finish; it would hide among what is incomplete. */
  error?: { message: string }
}

/** What stays in a page until it loads anew. */
type Tools = {
  axe: typeof axe & { _audit: { rules: { id: string; impact: string }[] } }
  samplesIn: typeof samplesIn
  judgedFrames: Set<string>
}

/** Has axe look at colours only where we say, and hand out what it found as it is. */
function prepareAxe(): void {
  const { axe } = globalThis as unknown as Tools
  axe.configure({
    rules: [
      { id: 'color-contrast', selector: '[data-sample~=color-contrast]' },
      { id: 'link-in-text-block', selector: '[data-sample~=link-in-text-block]' },
      // Nothing else than these can break it, and it looks at each element with a style.
      { id: 'avoid-inline-spacing', selector: '[style*="-spacing"], [style*="line-height"]' },
    ],
  })
  axe.addReporter('as-it-is', (results, _options, done) => done(results))
}

/** The script of axe is half a megabyte. */
async function bringTools(page: Page): Promise<void> {
  if (await page.evaluate(() => 'samplesIn' in globalThis)) return
  await page.evaluate(axe.source)
  await page.evaluate(prepareAxe)
  await page.evaluate(`(() => {
    ${CONTRAST_SCRIPT}
    Object.assign(globalThis, { samplesIn, judgedFrames: new Set() })
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
 * Judges a part of the page by all rules whose findings are serious or critical. The two about colours take axe most of
 * the time, so they look at each kind of text and link once, where it is not clear. A kind counts as judged only where axe has told its contrast.
 */
async function judge([part, judgedKinds]: [part: string, judgedKinds: string]): Promise<{
  findings: string[]
  kinds: string[]
}> {
  const { axe, samplesIn } = globalThis as unknown as Tools
  const known = new Set(judgedKinds.split('\n'))
  const samples = samplesIn(part).filter(({ kind, isClear }) => !isClear && !known.has(kind))
  const isLight = ({ impact }: { impact: string }) => impact === 'minor' || impact === 'moderate'
  const leftOut = axe._audit.rules.filter(isLight).map(({ id }) => [id, { enabled: false }])
  for (const { rule, element } of samples) element.dataset.sample = `${element.dataset.sample ?? ''} ${rule}`
  const outcomes = (await axe.run(part, {
    preload: false,
    selectors: false,
    reporter: 'as-it-is' as 'raw',
    rules: Object.fromEntries(leftOut),
  })) as unknown as RuleOutcome[]
  for (const { element } of samples) delete element.dataset.sample
  const isJudged = ({ rule, element, isCovered }: Sample): boolean => {
    const { passes = [], incomplete = [] } = outcomes.find(({ id }) => id === rule) ?? {}
    const own = [...passes, ...incomplete].find(({ node }) => node.element === element)
    if (!own || isCovered || rule !== 'color-contrast') return own !== undefined
    return own.any.some(({ data }) => data?.contrastRatio)
  }
  const findings = outcomes.flatMap(({ id, violations, error }) => [
    ...(error ? [[`${id}: not judged,`, error.message]] : []),
    ...violations.map(({ node, any }) => [
      `${id}: ${node.source.slice(0, 160)}`,
      ...any.map((one) => one.message),
    ]),
  ])
  return {
    findings: findings.map((texts) => texts.join(' ')),
    kinds: samples.filter(isJudged).map(({ kind }) => kind),
  }
}

/** The rule and the element of every serious or critical finding. */
export async function findingsOn(page: Page): Promise<string[]> {
  await bringTools(page)
  const part = await page.evaluate(whatIsNew)
  const { findings, kinds } = await page.evaluate(judge, [part, judgedKinds()])
  addJudgedKinds(kinds)
  return findings
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findingsOn(page), `accessibility of ${page.url()}`).toEqual([])
}
