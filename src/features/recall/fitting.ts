import type { UserCtx } from '../../core/context.ts'
import { readFailure } from '../../text/failure.ts'
import { isLikelyOutdated } from '../cards/present.ts'
import { findOwnAndTeam, type Picked } from '../search/find-cards.ts'
import { FLOORS } from './floors.ts'
import { type Asker, cardItem, type Found } from './items.ts'
import { findInMemory, type ProjectMemory } from './memory.ts'
import { isSaid, linesSaid } from './said-by-facts.ts'
import type { Reason } from './schemas.ts'

export type AskingMoment = 'failure' | 'prompt'

/** What a moment asks, or why there is nothing to ask. */
export type Question =
  | { moment: AskingMoment; query: string; signature: string | null }
  | { silence: Reason; signature: null }

export function questionOf(moment: AskingMoment, text: string): Question {
  if (moment === 'prompt') return { moment, query: text, signature: null }
  const { isFailure, lines, signature } = readFailure(text)
  if (!isFailure) return { silence: 'no_failure', signature: null }
  if (lines.length === 0) return { silence: 'nothing_fits', signature: null }
  return { moment, query: lines.join('\n'), signature: signature || null }
}

/** A failure gets one thing. A prompt gets a card and a piece of memory, where both are sure. */
export const MOST_ITEMS: Readonly<Record<AskingMoment, { cards: number; memory: number; all: number }>> = {
  failure: { cards: 1, memory: 1, all: 1 },
  prompt: { cards: 1, memory: 1, all: 2 },
}

/** Some of the best may have been shown before. */
const LOOKED_AT = 4

export type Fitting = {
  found: Found[]
  /** Something fits, but the project's facts say it already. */
  isSaid: boolean
}

export const whyOf = ({ why }: Picked): string =>
  why.map(({ where, words }) => `${where}: ${words.join(', ')}`).join('; ')

export const foundCard = (picked: Picked, asker: Asker): Found => ({
  item: cardItem(picked.row, whyOf(picked), asker),
  confidence: picked.confidence,
})

/** What fits a failure or a prompt surely enough, cards first. A card that verdicts speak against is no help. */
export async function findFitting(
  ctx: UserCtx,
  { moment, query }: { moment: AskingMoment; query: string },
  memory: ProjectMemory,
  sessionId: string | null,
  asker: Asker,
): Promise<Fitting> {
  const floors = FLOORS[moment]
  const wanted = { limit: LOOKED_AT, minScore: floors.card }
  const picked = await findOwnAndTeam(ctx, query, wanted)
  const cards = picked.filter(({ row }) => !isLikelyOutdated(row))
  const { facts, project_preferences } = memory.snapshot
  const said = linesSaid([facts?.content ?? '', project_preferences?.content ?? ''])
  const news = cards.filter(({ row }) => !isSaid(row.fix_summary, said))
  const inMemory = await findInMemory(ctx, memory, query, { floor: floors.memory, sessionId, asker })
  return {
    found: [...news.map((card) => foundCard(card, asker)), ...inMemory],
    isSaid: news.length < cards.length,
  }
}
