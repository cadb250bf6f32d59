import { type Ctx, inTx, type UserCtx } from '../../../core/context.ts'
import { DAY_MS } from '../../../core/day.ts'
import { invalid } from '../../../core/errors.ts'
import { toJson } from '../../../db/columns.ts'
import type { CardContent } from '../content.ts'
import { attachImages, countImages, looseImagesBefore, looseImagesOf, removeImages } from './images.store.ts'

export const MAX_IMAGES_PER_CARD = 50
/** How long a picture is kept that no card names yet: drafts stay in a browser for days. */
const KEPT_LOOSE_MS = 30 * DAY_MS
const DROPPED_AT_ONCE = 100

export const imageAddress = (imageId: string): string => `/api/v1/images/${imageId}`

const NAMED = /\/api\/v1\/images\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi

function imagesNamedIn({
  symptom,
  fix_summary,
  root_cause,
  body,
  scope_notes,
  steps,
}: CardContent): string[] {
  // Steps may have keys of their own. Readers see a picture that any of them names.
  const texts = [symptom, fix_summary, root_cause, body, scope_notes, toJson(steps)]
  const ids = texts.flatMap((text) =>
    Array.from(text?.matchAll(NAMED) ?? [], ([, id = '']) => id.toLowerCase()),
  )
  return [...new Set(ids)]
}

export async function requireRoomOnCard(ctx: Ctx, cardId: string, field: string): Promise<void> {
  if ((await countImages(ctx.db, cardId)) > MAX_IMAGES_PER_CARD)
    throw invalid(field, `A card has at most ${MAX_IMAGES_PER_CARD} pictures`, 'too_long')
}

/** Part of every write of a card: pictures that its text names and its writer has uploaded now belong to it. */
export async function attachNamedImages(ctx: UserCtx, cardId: string, content: CardContent): Promise<void> {
  const named = imagesNamedIn(content)
  if (named.length === 0) return
  if (named.length > MAX_IMAGES_PER_CARD * 4)
    throw invalid('body', `A card has at most ${MAX_IMAGES_PER_CARD} pictures`, 'too_long')
  const added = await attachImages(ctx.db, ctx.viewer.userId, cardId, named)
  if (added > 0) await requireRoomOnCard(ctx, cardId, 'body')
}

/** Housekeeping: deletes pictures that no card has named in time. */
export async function dropLooseImages(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_LOOSE_MS).toISOString()
  for (let full = true; full; ) {
    const ids = await inTx(ctx, async (ctx) => {
      const ids = await looseImagesBefore(ctx.db, before, DROPPED_AT_ONCE)
      await removeImages(ctx.db, ids)
      return ids
    })
    full = ids.length === DROPPED_AT_ONCE
  }
}

/** Deletes the pictures of a leaving person that are on no card. The others go or stay with their card. */
export async function forgetLooseImages(ctx: Ctx, userId: string): Promise<void> {
  await removeImages(ctx.db, await looseImagesOf(ctx.db, userId))
}
