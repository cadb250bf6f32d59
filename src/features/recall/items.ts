import type { Selectable } from 'kysely'
import { fromJson } from '../../db/columns.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { withoutControls } from '../../text/control-characters.ts'
import { beginningOf } from '../../text/cut-text.ts'
import type { Step } from '../cards/content.ts'
import { isLikelyOutdated, provenanceOf } from '../cards/present.ts'
import type { ReviewReason } from '../cards/review-rules.ts'
import { fitsOf } from '../cites/fits.ts'
import { findDanger } from '../review/find-danger.ts'
import type { Severity } from '../review/rule.ts'
import { storedTrust } from '../trust/stored-trust.ts'
import { trustSummary } from '../trust/summary.ts'
import type { RecalledItemAnswer } from './schemas.ts'

/** An item on its way to the agent. */
export type Found = { item: RecalledItemAnswer; confidence: number | null }

const TITLE_CHARACTERS = 160
const FIX_CHARACTERS = 420
const STEP_CHARACTERS = 160
const WHY_CHARACTERS = 160
const MOST_STEPS = 3

/** On one line, without control characters, at most `length` characters. */
export const short = (text: string, length: number): string =>
  beginningOf(withoutControls(text.replaceAll(/\s+/g, ' ')).trim(), length - 1)

const COMMAND = /`([^`\n]{3,200})`/g

/** The last of several steps, if it says what comes of it, shows that the fix worked. Drafts from sessions end with one. */
const isCheck = ({ result }: Step, at: number, { length }: readonly Step[]): boolean =>
  at > 0 && at === length - 1 && Boolean(result)

/** The commands that a card names come first: an agent can try them at once. */
export function stepsOf(fix: string, steps: readonly Step[]): string[] {
  const toTry = actionsOf(steps.filter((step, at) => !isCheck(step, at, steps)))
  const named = [fix, ...toTry].flatMap((text) =>
    [...text.slice(0, 4000).matchAll(COMMAND)].flatMap(([, command = '']) =>
      command.includes(' ') ? [command] : [],
    ),
  )
  return shortSteps([...named.slice(0, 1), ...actionsOf(steps)])
}

const actionsOf = (steps: readonly Step[]) => steps.map(({ action }) => `${action ?? ''}`)

function shortSteps(steps: readonly string[]): string[] {
  const all = steps.map((text) => short(text, STEP_CHARACTERS))
  return [...new Set(all.filter((text) => text !== ''))].slice(0, MOST_STEPS)
}

/** What the review says is dangerous about a card, by the names of its rules. */
type Danger = { blocks: string[]; warns: string[] }

type ReviewedRow = Pick<
  Selectable<CardsTable>,
  'title' | 'fix_summary' | 'steps' | 'status' | 'review_status' | 'review_reasons'
>

/** A draft is reviewed when it is shared, so what would be delivered of it is looked at now. */
function findingsOf(row: ReviewedRow): Pick<ReviewReason, 'rule' | 'severity'>[] {
  if (row.status === 'published' && row.review_status !== 'not_reviewed') return fromJson(row.review_reasons)
  const texts = [row.title, row.fix_summary, ...actionsOf(fromJson<Step[]>(row.steps))]
  return findDanger(withoutControls(texts.join('\n\n')))
}

function dangerOf(row: ReviewedRow): Danger {
  const findings = findingsOf(row)
  const rulesOf = (wanted: Severity) => [
    ...new Set(findings.filter(({ severity }) => severity === wanted).map(({ rule }) => rule)),
  ]
  return { blocks: rulesOf('block'), warns: rulesOf('warn') }
}

/** Nobody gets the card unasked: the review calls it dangerous, or verdicts speak against it. */
export const isWithheld = (row: ReviewedRow & Pick<CardOfItem, 'trust'>): boolean =>
  isLikelyOutdated(row) || dangerOf(row).blocks.length > 0

/** The fields of a card's row that an item is made of; search and a read by id both have them. */
export type CardOfItem = Pick<Selectable<CardsTable>, 'card_id' | 'trust' | 'seen_since' | 'cites'> &
  ReviewedRow &
  Parameters<typeof provenanceOf>[0]

export type Asker = { baseUrl: string; environment: Record<string, string> | undefined; now: Date }

export function cardItem(row: CardOfItem, why: string, asker: Asker): RecalledItemAnswer {
  const trust = storedTrust(row)
  const fitting = {
    cites: fromJson<string[]>(row.cites ?? '[]'),
    environment: fromJson<Record<string, string>>(row.environment),
    verdicts: trust?.environments ?? [],
  }
  const { warns } = dangerOf(row)
  const steps = fromJson<Step[]>(row.steps)
  return {
    kind: 'card',
    id: row.card_id,
    title: short(row.title, TITLE_CHARACTERS),
    fix: short(row.fix_summary, FIX_CHARACTERS),
    // No command is lifted out of a text that the review warns about.
    steps_short: warns.length > 0 ? shortSteps(actionsOf(steps)) : stepsOf(row.fix_summary, steps),
    trust: trust && trustSummary(trust, asker.now),
    fits: asker.environment ? fitsOf(fitting, asker.environment) : null,
    ...(warns.length > 0 ? { review: warns } : {}),
    why: short(why, WHY_CHARACTERS),
    url: `${asker.baseUrl}/cards/${row.card_id}`,
    provenance: provenanceOf(row),
  }
}

type Memory = {
  kind: 'fact' | 'event'
  id: string
  title: string
  text: string
  why: string
  projectKey: string
  workspaceId: string
}

export const memoryItem = (memory: Memory, { baseUrl }: Asker): RecalledItemAnswer => ({
  kind: memory.kind,
  id: memory.id,
  title: short(memory.title, TITLE_CHARACTERS),
  fix: withoutControls(memory.text),
  steps_short: [],
  trust: null,
  fits: null,
  why: short(memory.why, WHY_CHARACTERS),
  url: `${baseUrl}/memory/project?key=${encodeURIComponent(memory.projectKey)}`,
  provenance: { owner: 'you', workspace: memory.workspaceId, reviewed: false },
})
