import type { UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { SIMILAR } from '../cards/duplicate.ts'
import type { Text } from '../cards/related.ts'
import { cardsLike } from '../cards/similar.ts'
import { findOwnAndTeam } from '../search/find-cards.ts'
import { deliveredFor } from './drafts.store.ts'
import type { Candidate } from './rules/candidate.ts'
import { draftCard } from './rules/draft-card.ts'

/** The confidence from which on a person is asked whether it is the same problem. */
const SURE_ENOUGH = 0.7
/** A similar card that the person wrote this recently is about this failure. */
const JUST_WRITTEN_MS = DAY_MS

const LOOKED_AT = 3

export type Like = {
  cardId: string
  /** The person, or their agent, has already recorded it. */
  isRecordedSince: boolean
}

const QUOTED = /["'`]([^"'`\n]{2,100})["'`]/g

/** Two errors of one kind differ in what they name: a card about another module is about another error. */
function namesTheSame(failure: string, { title, symptom, fix_summary }: Text): boolean {
  const names = [...failure.matchAll(QUOTED)].map((match) => match[1] as string)
  const text = [title, symptom, fix_summary].join('\n')
  return names.length === 0 || names.some((name) => text.includes(name))
}

/**
 * The card of the person or their teams that may say the same: the one that recall delivered for this error, else the
 * one that shares most of the words, else one that search is confident of.
 */
export async function looksLike(
  ctx: UserCtx,
  candidate: Candidate,
  { signature, sessionId }: { signature: string; sessionId: string | null },
): Promise<Like | undefined> {
  const { userId } = ctx.viewer
  const delivered = sessionId && (await deliveredFor(ctx.db, { userId, sessionId, signature }))
  if (delivered) return { cardId: delivered, isRecordedSince: false }
  const [near] = await cardsLike(ctx, draftCard(candidate))
  if (near && near.similarity >= SIMILAR) return { cardId: near.card_id, isRecordedSince: false }
  const { cards } = await findOwnAndTeam(ctx, candidate.failure, LOOKED_AT)
  const hit = cards.find(
    ({ row, confidence }) => confidence >= SURE_ENOUGH && namesTheSame(candidate.failure, row),
  )
  if (!hit) return undefined
  const age = ctx.now().getTime() - Date.parse(hit.row.created_at)
  return { cardId: hit.row.card_id, isRecordedSince: hit.row.owner_id === userId && age < JUST_WRITTEN_MS }
}
