import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { requireScope } from '../../core/invoke.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import { audit } from '../audit/audit.ts'
import { isPublishingEnabled, requirePublishing } from '../identity/users/publishing-setting.ts'
import { isBanned, isClearedFor, requireMayPublish } from '../sanctions/sanctions.ts'
import { requireTextFits } from '../storage/text-usage.ts'
import { deletableCard } from './access.ts'
import {
  type DeletedCard,
  findCard,
  findDeleted,
  findPurgeable,
  markDeleted,
  removeCard,
} from './cards.store.ts'
import { recountAfter } from './feedback-counts.ts'
import { holdCard } from './hold-card.ts'
import { type CardWords, wordsOfCard } from './indexing/document.ts'
import { unindexCard } from './indexing/index-card.ts'
import { indexedCards } from './indexing/indexable-cards.ts'
import { holdForPublishing } from './publish.store.ts'
import { saved } from './saved.ts'
import { type CardAnswer, CardId, CaseResponse } from './schemas.ts'
import { isOutsider } from './select.ts'
import { duplicatesInLibrary } from './similar.ts'
import { markSuccession } from './succession-mark.ts'
import { repeatsWithdrawn } from './withdrawn-texts.ts'

const KEPT_DAYS = 30
const PURGE_BATCH = 100

const keptSince = (ctx: Ctx) => new Date(ctx.now().getTime() - KEPT_DAYS * DAY_MS).toISOString()

/** Runs in the transaction of the caller. */
export async function removeDeletable(ctx: UserCtx, cardId: string): Promise<void> {
  const row = await deletableCard(ctx, cardId)
  await markDeleted(ctx.db, cardId, { deleted_at: ctx.now().toISOString() })
  await markSuccession(ctx.db, cardId)
  await unindexCard(ctx, cardId)
  await audit(ctx, {
    action: 'card.deleted',
    subject: { type: 'card', id: cardId },
    workspaceId: row.workspace_id,
  })
}

export const deleteCard = capability({
  name: 'cards.delete',
  summary: 'Delete a card',
  description: `By its owner or an admin of its workspace. Nobody sees it from then on; for ${KEPT_DAYS} days it can be brought back, then it is removed for good with its evidence, versions and feedback.`,
  scopes: ['record', 'case:write'],
  rest: ['DELETE /api/v1/cards/{card_id}', 'DELETE /api/v1/cases/{case_id}'],
  aliases: { case_id: 'card_id' },
  status: 204,
  input: CardId,
  output: z.void(),
  errors: [404, 412],
  run: (ctx, { card_id }) =>
    inTx(
      ctx,
      async (ctx) => {
        await holdCard(ctx, card_id)
        await removeDeletable(ctx, card_id)
      },
      SELF_GUARDED,
    ),
})

/** The same check as at publishing. A card that is hidden itself waits for its own decision. */
async function saysWhatIsHidden(ctx: UserCtx, deleted: DeletedCard): Promise<boolean> {
  if (deleted.hidden_at !== null || !(await repeatsWithdrawn(ctx, deleted, deleted))) return false
  return !(await isClearedFor(ctx, deleted, deleted))
}

/**
 * A former member no longer publishes anything in the team, and a banned person nothing. Who has switched publishing off
 * shows nothing to strangers, and a text that is hidden from them meanwhile does not come back.
 */
async function mayPublishAgain(ctx: UserCtx, deleted: DeletedCard): Promise<boolean> {
  if (isOutsider(deleted) || (await isBanned(ctx, deleted))) return false
  if (deleted.visibility === 'private') return true
  return (await isPublishingEnabled(ctx)) && !(await saysWhatIsHidden(ctx, deleted))
}

/** The same check as at publishing. A hidden card is not in the library until moderators show it again. */
async function duplicatesOf(ctx: UserCtx, deleted: DeletedCard) {
  if (deleted.workspace_id !== PUBLIC_LIBRARY_ID || deleted.hidden_at !== null) return []
  return duplicatesInLibrary(ctx, deleted)
}

/**
 * Unpublished, the card is where it came from. An admin of the workspace that it was published to may not read it there,
 * and is told why it does not come back as it was. It stays deleted, for its owner to bring it back.
 */
async function refuseOutOfSight(ctx: UserCtx, deleted: DeletedCard): Promise<void> {
  if (await findCard(ctx.db, ctx.viewer.userId, deleted.card_id)) return
  await requireMayPublish(ctx, deleted)
  if (deleted.visibility !== 'private') await requirePublishing(ctx)
  throw forbidden('Nearly the same text is hidden from strangers. Only its owner can bring this card back.')
}

/** Counts the words of a deleted card, before the transaction that brings it back. */
async function wordsOfDeleted(ctx: UserCtx, cardId: string): Promise<CardWords | undefined> {
  if (!(await findDeleted(ctx.db, ctx.viewer.userId, cardId, keptSince(ctx)))) return undefined
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', '=', cardId).execute()
  const [card] = await indexedCards(ctx.db, rows)
  return card && wordsOfCard(card)
}

async function bringBack(ctx: UserCtx, cardId: string, words: CardWords | undefined): Promise<CardAnswer> {
  await holdForPublishing(ctx, cardId)
  const deleted = await findDeleted(ctx.db, ctx.viewer.userId, cardId, keptSince(ctx))
  if (!deleted) throw notFound('Deleted card')
  const wasPublished = deleted.status === 'published'
  const mayBePublished = wasPublished && (await mayPublishAgain(ctx, deleted))
  const duplicates = mayBePublished ? await duplicatesOf(ctx, deleted) : []
  const isPublished = mayBePublished && duplicates.length === 0
  if (isPublished && deleted.visibility !== 'private') requireScope(ctx, 'publish')
  await markDeleted(ctx.db, cardId, {
    deleted_at: null,
    updated_at: ctx.now().toISOString(),
    ...(wasPublished && !isPublished
      ? { status: 'unpublished' as const, published_at: null, workspace_id: deleted.origin_workspace_id }
      : {}),
  })
  await requireTextFits(ctx)
  if (wasPublished && !isPublished) await refuseOutOfSight(ctx, deleted)
  await markSuccession(ctx.db, cardId)
  await audit(ctx, {
    action: 'card.undeleted',
    subject: { type: 'card', id: cardId },
    workspaceId: deleted.workspace_id,
  })
  const card = await saved(ctx, cardId, words)
  return duplicates.length === 0 ? card : { ...card, similar_cards: duplicates }
}

export const undeleteCard = capability({
  name: 'cards.undelete',
  summary: 'Bring a deleted card back',
  description: `Within ${KEPT_DAYS} days, by its owner or an admin of its workspace. It comes back as it was; to an owner who has left its workspace, or is banned from publishing there, unpublished; so it does where strangers would read it, while publishing is disabled in the settings of who brings it back; so it does if the library has nearly the same card by then, which similar_cards names, or if strangers would read what is hidden from them. An admin who could not read it then is refused (403), and its owner can bring it back. If strangers can read it then, it needs the scope publish.`,
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/undelete', 'POST /api/v1/cases/{case_id}/undelete'],
  aliases: { case_id: 'card_id' },
  input: CardId,
  output: CaseResponse,
  errors: [404, 413],
  prepare: (ctx, { card_id }) => wordsOfDeleted(ctx, card_id),
  run: (ctx, { card_id }, words) => inTx(ctx, (ctx) => bringBack(ctx, card_id, words), SELF_GUARDED),
})

/** Housekeeping: removes for good what was deleted long enough ago. Returns how many cards. */
export async function purgeDeletedCards(ctx: Ctx): Promise<number> {
  let purged = 0
  for (;;) {
    const ids = await inTx(ctx, async (ctx) => {
      const ids = await findPurgeable(ctx.db, keptSince(ctx), PURGE_BATCH)
      await recountAfter(ctx, ids, async () => {
        for (const id of ids) await removeCard(ctx.db, id)
      })
      return ids
    })
    purged += ids.length
    if (ids.length < PURGE_BATCH) return purged
  }
}
