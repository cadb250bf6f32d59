import type { Selectable } from 'kysely'
import { fromJson } from '../../db/columns.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { withoutControls } from '../../text/control-characters.ts'
import { beginningOf } from '../../text/cut-text.ts'
import type { Step } from '../cards/content.ts'
import { provenanceOf } from '../cards/present.ts'
import { fitsOf } from '../cites/fits.ts'
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
  const actionsOf = (some: readonly Step[]) => some.map(({ action }) => `${action ?? ''}`)
  const actions = actionsOf(steps)
  const toTry = actionsOf(steps.filter((step, at) => !isCheck(step, at, steps)))
  const named = [fix, ...toTry].flatMap((text) =>
    [...text.slice(0, 4000).matchAll(COMMAND)].flatMap(([, command = '']) =>
      command.includes(' ') ? [command] : [],
    ),
  )
  const all = [...named.slice(0, 1), ...actions].map((text) => short(text, STEP_CHARACTERS))
  return [...new Set(all.filter((text) => text !== ''))].slice(0, MOST_STEPS)
}

/** The fields of a card's row that an item is made of; search and a read by id both have them. */
export type CardOfItem = Pick<
  Selectable<CardsTable>,
  'card_id' | 'title' | 'fix_summary' | 'steps' | 'trust' | 'seen_since' | 'environment' | 'cites'
> &
  Parameters<typeof provenanceOf>[0]

export type Asker = { baseUrl: string; environment: Record<string, string> | undefined; now: Date }

export function cardItem(row: CardOfItem, why: string, asker: Asker): RecalledItemAnswer {
  const trust = storedTrust(row)
  const fitting = {
    cites: fromJson<string[]>(row.cites ?? '[]'),
    environment: fromJson<Record<string, string>>(row.environment),
    verdicts: trust?.environments ?? [],
  }
  return {
    kind: 'card',
    id: row.card_id,
    title: short(row.title, TITLE_CHARACTERS),
    fix: short(row.fix_summary, FIX_CHARACTERS),
    steps_short: stepsOf(row.fix_summary, fromJson<Step[]>(row.steps)),
    trust: trust && trustSummary(trust, asker.now),
    fits: asker.environment ? fitsOf(fitting, asker.environment) : null,
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
