import type { UserCtx } from '../../core/context.ts'
import { readCommandText } from '../../text/command-text.ts'
import { readFailure, withoutLooseNumbers } from '../../text/failure.ts'
import { terminalText } from '../../text/noise.ts'
import { failsToRead, isReading } from '../../text/reading-command.ts'
import { explain } from '../../text/snippet.ts'
import { findOwnAndTeam } from '../search/find-cards.ts'
import { FLOORS } from './floors.ts'
import { type Asker, cardItem, type Found, isWithheld } from './items.ts'
import { type Asked, type Judged, surelyFitting } from './judge.ts'
import { findInMemory, type ProjectMemory } from './memory.ts'
import { isSaid, linesSaid } from './said-by-facts.ts'
import type { Reason } from './schemas.ts'

/** The question of a moment, or the reason why there is none. */
export type Question =
  | (Asked & { query: string; signature: string | null })
  | { silence: Reason; signature: null }

/** Without an exit code, an error in a text that was only printed, as by `git log`, is not one of the command. */
function isOnlyRead(text: string): boolean {
  const { command, exitCode, output } = readCommandText(text)
  if (command === undefined || exitCode !== undefined || !isReading(command)) return false
  return !failsToRead(command, terminalText(output))
}

export function questionOf(moment: Asked['moment'], text: string): Question {
  if (moment === 'prompt')
    return { moment, query: text, lines: text.split('\n'), around: '', whole: text, signature: null }
  const { isFailure, command, lines, signature } = readFailure(text)
  if (!isFailure || isOnlyRead(text)) return { silence: 'no_failure', signature: null }
  if (lines.length === 0) return { silence: 'nothing_fits', signature: null }
  const query = lines.map(withoutLooseNumbers).join('\n')
  return { moment, query, lines, around: command ?? '', whole: text, signature: signature || null }
}

/** A failure gets one item. A prompt gets a card and a piece of memory, if both fit surely enough. */
export const MOST_ITEMS: Readonly<Record<Asked['moment'], { cards: number; memory: number; all: number }>> = {
  failure: { cards: 1, memory: 1, all: 1 },
  prompt: { cards: 1, memory: 1, all: 2 },
}

/** How many cards of the ranking are judged; the right card is seldom further down. */
export const LOOKED_AT = 6

export type Fitting = {
  found: Found[]
  /** Something fits, but the project's facts say it already. */
  isSaid: boolean
}

export const foundCard = ({ card, confidence }: Judged, asker: Asker): Found => {
  const why = explain(card.marked)
    .why.map(({ where, words }) => `${where}: ${words.join(', ')}`)
    .join('; ')
  return { item: cardItem(card.row, why, asker), confidence }
}

/** What fits a failure or a prompt surely enough, cards first. */
export async function findFitting(
  ctx: UserCtx,
  question: Asked & { query: string },
  memory: ProjectMemory,
  sessionId: string | null,
  asker: Asker,
): Promise<Fitting> {
  const { moment, query } = question
  const sure = surelyFitting(question, await findOwnAndTeam(ctx, query, LOOKED_AT))
  const cards = sure.filter(({ card }) => !isWithheld(card.row))
  const { facts, project_preferences } = memory.snapshot
  const said = linesSaid([facts?.content ?? '', project_preferences?.content ?? ''])
  const news = cards.filter(({ card }) => !isSaid(card.row.fix_summary, said))
  // A failure that a card explains needs nothing else.
  const isExplained = moment === 'failure' && cards.length > 0
  const inMemory = isExplained
    ? []
    : await findInMemory(ctx, memory, query, { floor: FLOORS[moment].memory, sessionId, asker })
  return {
    found: [...news.map((card) => foundCard(card, asker)), ...inMemory],
    isSaid: news.length < cards.length,
  }
}
