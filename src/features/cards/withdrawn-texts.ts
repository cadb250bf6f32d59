/** Text that moderators or reports have taken from strangers does not come back in another card. */
import type { Ctx } from '../../core/context.ts'
import { fromJson } from '../../db/columns.ts'
import type { ReviewStatus } from '../../db/tables/cards.ts'
import { DUPLICATE } from './duplicate.ts'
import { comparedText, type Text } from './related.ts'
import type { ReviewReason } from './review-rules.ts'
import { sketchOf, sketchOverlap, type TextSketch } from './text-sketch.ts'
import { textOfVersion, type WithdrawnVersion, withdrawnVersions } from './withdrawn-texts.store.ts'

export const WITHDRAWN_RULE = 'withdrawn_text'
/** The newest ones; each is compared by half a kilobyte. */
const MOST_COMPARED = 500
const MOST_REMEMBERED = 2000

/** A version never changes, so neither does its sketch. */
const SKETCHES = new Map<string, TextSketch>()

async function sketchOfVersion(ctx: Ctx, withdrawn: WithdrawnVersion): Promise<TextSketch | undefined> {
  const key = `${withdrawn.card_id} ${withdrawn.version}`
  const known = SKETCHES.get(key)
  if (known) return known
  const text = await textOfVersion(ctx.db, withdrawn)
  if (!text) return undefined
  const sketch = sketchOf(comparedText(text))
  if (SKETCHES.size >= MOST_REMEMBERED) SKETCHES.clear()
  SKETCHES.set(key, sketch)
  return sketch
}

export type Repeated = {
  card_id: string
  /** Left out: the card is new. */
  owner_id?: string
  /** Since when the card says what is looked at; left out: from now on. */
  edited_at?: string
  /** What the last review of the card said; left out: there was none. */
  review_status?: ReviewStatus
  review_reasons?: string
}

/** The last review has refused the card because of this rule, and no moderator has let it pass. */
const wasRepeated = ({ review_status, review_reasons }: Repeated): boolean =>
  review_status === 'rejected' &&
  fromJson<ReviewReason[]>(review_reasons ?? '[]').some(({ rule }) => rule === WITHDRAWN_RULE)

const isNear = (one: TextSketch, other: TextSketch): boolean => sketchOverlap(one, other) >= DUPLICATE

/**
 * Whether a text says nearly the same as a hidden card. Whoever said it first is not silenced by a copy: neither a text from
 * before the hidden card, nor the change of one (`former`) that was as near already, unless the review had refused that one.
 * An older text of the owner of the hidden card is no such case: a spare draft would bring the hidden text back.
 */
export async function repeatsWithdrawn(
  ctx: Ctx,
  card: Repeated,
  text: Text,
  former?: Text,
): Promise<boolean> {
  const { card_id, owner_id, edited_at } = card
  const withdrawn = await withdrawnVersions(ctx.db, card_id, MOST_COMPARED)
  if (withdrawn.length === 0) return false
  const sketch = sketchOf(comparedText(text))
  const before = former && sketchOf(comparedText(former))
  const isRefused = wasRepeated(card)
  for (const one of withdrawn) {
    const isFirst = edited_at !== undefined && edited_at < one.created_at && owner_id !== one.owner_id
    if (!before && isFirst) continue
    const other = await sketchOfVersion(ctx, one)
    if (!other || !isNear(sketch, other)) continue
    const isSaidAlready = before !== undefined && isNear(before, other)
    if (!isSaidAlready || (isRefused && !isFirst)) return true
  }
  return false
}

/** The newest hidden texts, by the owners of their cards. */
export const withdrawnByOwner = async (ctx: Ctx): Promise<Map<string, WithdrawnVersion[]>> =>
  Map.groupBy(await withdrawnVersions(ctx.db, '', MOST_COMPARED), ({ owner_id }) => owner_id)

/** Whether a card says nearly the same as one of these, which are of other cards or of itself. */
export async function repeatsOneOf(
  ctx: Ctx,
  card: Text & { card_id: string },
  withdrawn: readonly WithdrawnVersion[],
): Promise<boolean> {
  const sketch = sketchOf(comparedText(card))
  for (const one of withdrawn) {
    if (one.card_id === card.card_id) continue
    const other = await sketchOfVersion(ctx, one)
    if (other && isNear(sketch, other)) return true
  }
  return false
}

/** It names no card: whose it is, and where, is not for the asker to know. */
export const withdrawnReason = (): ReviewReason => ({
  rule: WITHDRAWN_RULE,
  severity: 'block',
  message:
    'A card that says nearly the same is hidden from strangers, by moderators or by reports. If yours is right, ask the moderators to look at it.',
})
