/** Text that moderators or reports have taken from strangers does not come back in another card. */
import type { Ctx } from '../../core/context.ts'
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
}

/**
 * Whether a text says nearly the same as a hidden card. Whoever said it first is not silenced by a copy: neither a text from
 * before the hidden card, nor the change of one (`former`) that was as near already. An older text of the owner of the hidden
 * card is no such case: a spare draft would bring the hidden text back.
 */
export async function repeatsWithdrawn(
  ctx: Ctx,
  { card_id, owner_id, edited_at }: Repeated,
  text: Text,
  former?: Text,
): Promise<boolean> {
  const withdrawn = await withdrawnVersions(ctx.db, card_id, MOST_COMPARED)
  if (withdrawn.length === 0) return false
  const sketch = sketchOf(comparedText(text))
  const before = former && sketchOf(comparedText(former))
  for (const one of withdrawn) {
    const isFirst = edited_at !== undefined && edited_at < one.created_at && owner_id !== one.owner_id
    if (!former && isFirst) continue
    const other = await sketchOfVersion(ctx, one)
    if (!other || sketchOverlap(sketch, other) < DUPLICATE) continue
    if (!before || sketchOverlap(before, other) < DUPLICATE) return true
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
