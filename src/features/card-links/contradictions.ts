import { inTx, type UserCtx } from '../../core/context.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import type { CardRow } from '../cards/access.ts'
import { workspaceFilter } from '../cards/indexing/filters.ts'
import { relatedCards } from '../cards/related.ts'
import { overlap, shinglesOf } from '../cards/words.ts'
import { trustCounts } from '../trust/stored-trust.ts'
import { judgedIn, noteContradiction, relatedAmong } from './links.store.ts'

const MOST_COMPARED = 20
/** The symptoms share at least this part of their shingles, so the problem is the same. */
const SAME_SYMPTOM = 0.5
const OTHER_FIX = 0.3
/** Very long texts are compared by their beginnings. */
const COMPARED_CHARACTERS = 5000

const shingles = (text: string) => shinglesOf(text.slice(0, COMPARED_CHARACTERS))

type Said = Pick<CardRow, 'title' | 'symptom' | 'fix_summary'>

const contradicts = (a: Said, b: Said): boolean =>
  overlap(shingles(a.symptom), shingles(b.symptom)) >= SAME_SYMPTOM &&
  overlap(shingles(a.fix_summary), shingles(b.fix_summary)) < OTHER_FIX

/**
 * Two cards of a workspace that both worked for somebody, with the same symptom and different fixes. A reviewer of the
 * workspace decides which is right, or links them as related when each applies.
 */
export async function noteContradictions(ctx: UserCtx, card: CardRow): Promise<void> {
  if (card.workspace_id === PUBLIC_LIBRARY_ID || (trustCounts(card.trust)?.worked ?? 0) === 0) return
  const where = [[workspaceFilter(card.workspace_id)]]
  const near = await relatedCards(ctx, card, { where, limit: MOST_COMPARED })
  const judged = await judgedIn(ctx.db, card.workspace_id, near)
  const found = judged.filter(
    (other) =>
      other.card_id !== card.card_id &&
      (trustCounts(other.trust)?.worked ?? 0) > 0 &&
      contradicts(card, other),
  )
  if (found.length === 0) return
  await inTx(ctx, async (ctx) => {
    const settled = await relatedAmong(
      ctx.db,
      card.card_id,
      found.map((other) => other.card_id),
    )
    for (const { card_id } of found)
      if (!settled.has(card_id))
        await noteContradiction(ctx.db, card.card_id, card_id, ctx.now().toISOString())
  })
}
