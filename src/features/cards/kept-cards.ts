import { keepAnswer } from '../../core/kept-answers.ts'
import { presentCard } from './present.ts'
import type { CardAnswer } from './schemas.ts'
import { type CardRow, writtenCharacters } from './select.ts'

/** Together at most about 10 MB. */
const MOST_KEPT = 500
const LONGEST_KEPT = 4000

type KeptCard = { row: CardRow; card: CardAnswer }

const KEPT_CARDS = new Map<string, KeptCard>()

function isSame(a: CardRow, b: CardRow): boolean {
  for (const name in a) if (a[name as keyof CardRow] !== b[name as keyof CardRow]) return false
  return true
}

/** The words about trust change with the year, and a successor has a title of its own. */
const mayKeep = (row: CardRow) =>
  row.trust === null && row.superseded_by === null && writtenCharacters(row) <= LONGEST_KEPT

/**
 * The answer for a card that was read. An answer depends on nothing but the row, which the database gives anew for every
 * reader; so where the whole row is as it was the last time, so is the answer, and it is not made, checked and written again.
 */
export function answerOf(row: CardRow, now: Date): CardAnswer {
  const key = row.card_id + row.whose
  const kept = KEPT_CARDS.get(key)
  if (kept && isSame(kept.row, row)) return kept.card
  const card = { ...presentCard(row, now), superseded_by: null }
  if (!mayKeep(row)) return card
  if (KEPT_CARDS.size >= MOST_KEPT) KEPT_CARDS.clear()
  KEPT_CARDS.set(key, { row, card: keepAnswer(card) })
  return card
}
