import { sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { requireScope } from '../../core/invoke.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { DAY_MS } from '../../shared/time.ts'
import { isPublishingEnabled, requirePublishing } from '../identity/index.ts'
import { isBanned, isClearedFor, requireMayPublish } from '../permissions/index.ts'
import { requireTextFits } from '../storage/index.ts'
import { type CardAnswer, CardId, CaseResponse } from './card.ts'
import { type CardWords, indexedCards, reindexWorkspaceSoon, unindexCard, wordsOfCard } from './card-index.ts'
import { forgetLooseImages } from './images.ts'
import { isOutsider } from './list.ts'
import { markAll, markSuccession, successorsAround } from './read.ts'
import { saved } from './save.ts'
import { duplicatesInLibrary, repeatsWithdrawn } from './similar.ts'
import {
  type DeletedCard,
  deletableCard,
  findCard,
  findDeleted,
  findPurgeable,
  lockCard,
  lockForPublishing,
  lockWithRelated,
  markDeleted,
  removeCard,
} from './store.ts'

/** Takes the trust marks first: they are the first of all locks. */
async function removeAndRefresh(
  ctx: Ctx,
  removed: readonly string[],
  remove: () => Promise<void>,
): Promise<void> {
  const takers = await ctx.db
    .selectFrom('card_merges')
    .select('into_card_id')
    .distinct()
    .where(isAmongTexts(ctx.db, 'from_card_id', textList(removed)))
    .orderBy('into_card_id')
    .execute()
  await emit(ctx, 'card.judgements_removed', { cardIds: takers.map((taker) => taker.into_card_id) })
  await remove()
}

const KEPT_DAYS = 30
const PURGE_BATCH = 100

const keptSince = (ctx: Ctx) => new Date(ctx.now().getTime() - KEPT_DAYS * DAY_MS).toISOString()

/** Runs in the transaction of the caller. */
export async function removeDeletable(ctx: UserCtx, cardId: string): Promise<void> {
  const row = await deletableCard(ctx, cardId)
  await markDeleted(ctx.db, cardId, { deleted_at: ctx.now().toISOString() })
  await markSuccession(ctx.db, cardId)
  await unindexCard(ctx, cardId)
  await emit(ctx, 'card.deleted', { cardId, workspaceId: row.workspace_id })
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
        await lockCard(ctx, card_id)
        await removeDeletable(ctx, card_id)
      },
      SELF_GUARDED,
    ),
})

async function saysWhatIsHidden(ctx: UserCtx, deleted: DeletedCard): Promise<boolean> {
  if (deleted.hidden_at !== null || !(await repeatsWithdrawn(ctx, deleted, deleted))) return false
  return !(await isClearedFor(ctx, deleted, deleted))
}

async function mayPublishAgain(ctx: UserCtx, deleted: DeletedCard): Promise<boolean> {
  if (isOutsider(deleted) || (await isBanned(ctx, deleted))) return false
  if (deleted.visibility === 'private') return true
  return (await isPublishingEnabled(ctx)) && !(await saysWhatIsHidden(ctx, deleted))
}

/** Returns duplicates, as at publishing. A hidden card is not in the library until moderators show it again. */
async function duplicatesOf(ctx: UserCtx, deleted: DeletedCard) {
  if (deleted.workspace_id !== PUBLIC_LIBRARY_ID || deleted.hidden_at !== null) return []
  return duplicatesInLibrary(ctx, deleted)
}

/** Refuses an admin who could not read the card afterwards, since it returns to its former workspace. */
async function refuseOutOfSight(ctx: UserCtx, deleted: DeletedCard): Promise<void> {
  if (await findCard(ctx.db, ctx.viewer.userId, deleted.card_id)) return
  await requireMayPublish(ctx, deleted)
  if (deleted.visibility !== 'private') await requirePublishing(ctx)
  throw forbidden('Nearly the same text is hidden from strangers. Only its owner can bring this card back.')
}

async function wordsOfDeleted(ctx: UserCtx, cardId: string): Promise<CardWords | undefined> {
  if (!(await findDeleted(ctx.db, ctx.viewer.userId, cardId, keptSince(ctx)))) return undefined
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', '=', cardId).execute()
  const [card] = await indexedCards(ctx.db, rows)
  return card && wordsOfCard(card)
}

async function bringBack(ctx: UserCtx, cardId: string, words: CardWords | undefined): Promise<CardAnswer> {
  await lockForPublishing(ctx, cardId)
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
  await emit(ctx, 'card.undeleted', { cardId, workspaceId: deleted.workspace_id })
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

export async function purgeDeletedCards(ctx: Ctx): Promise<number> {
  let purged = 0
  for (;;) {
    const ids = await inTx(ctx, async (ctx) => {
      const ids = await findPurgeable(ctx.db, keptSince(ctx), PURGE_BATCH)
      await removeAndRefresh(ctx, ids, async () => {
        for (const id of ids) await removeCard(ctx.db, id)
      })
      return ids
    })
    purged += ids.length
    if (ids.length < PURGE_BATCH) return purged
  }
}

/** Other cards stay under the name of a deleted user; `since` leaves out older cards. */
export async function forgetPrivateCards(ctx: Ctx, ownerId: string, since = ''): Promise<number> {
  const own = ctx.db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .select('cards.card_id')
    .where('cards.owner_id', '=', ownerId)
    .where('cards.created_at', '>=', since)
  // Two queries, because live and deleted cards have an index each.
  const deleted = await own.where('cards.deleted_at', 'is not', null).execute()
  const unseen = await own
    .where('cards.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('cards.status', '=', 'unpublished'),
        eb.and([
          eb('workspaces.visibility', '=', 'private'),
          eb.not(
            eb.exists(
              eb
                .selectFrom('memberships')
                .select('memberships.user_id')
                .whereRef('memberships.workspace_id', '=', 'cards.workspace_id')
                .where('memberships.user_id', '!=', ownerId),
            ),
          ),
        ]),
      ]),
    )
    .execute()
  const ids = [...deleted, ...unseen].map(({ card_id }) => card_id)
  await removeAndRefresh(ctx, ids, async () => {
    await lockWithRelated(ctx, ids)
    const now = ctx.now().toISOString()
    for (const card_id of ids) {
      await unindexCard(ctx, card_id)
      await markDeleted(ctx.db, card_id, { deleted_at: now })
      await markSuccession(ctx.db, card_id)
      await removeCard(ctx.db, card_id)
    }
  })
  await forgetLooseImages(ctx, ownerId)
  return ids.length
}

type CardsInWorkspace = {
  own: number
  ofOthers: number
  published: number
  deleted: number
}

const countWhen = (condition: ReturnType<typeof sql<boolean>>) =>
  sql<number>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`

export async function countCardsIn(
  ctx: Ctx,
  workspaceId: string,
  viewerId: string,
): Promise<CardsInWorkspace> {
  const isHere = ctx.db.selectFrom('cards').where('workspace_id', '=', workspaceId)
  const there = await isHere
    .select([
      countWhen(sql`owner_id = ${viewerId}`).as('own'),
      countWhen(sql`owner_id <> ${viewerId}`).as('ofOthers'),
      countWhen(sql`status = 'published'`).as('published'),
    ])
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { deleted } = await isHere
    .select(({ fn }) => fn.countAll<number>().as('deleted'))
    .where('deleted_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return {
    own: Number(there.own),
    ofOthers: Number(there.ofOthers),
    published: Number(there.published),
    deleted,
  }
}

export async function cardsByOwner(ctx: Ctx, workspaceId: string): Promise<Map<string, number>> {
  const rows = await ctx.db
    .selectFrom('cards')
    .select(['owner_id', ({ fn }) => fn.countAll<number>().as('cards')])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .groupBy('owner_id')
    .execute()
  return new Map(rows.map((row) => [row.owner_id, row.cards]))
}

const homeOfOwner = sql<string>`(select personal_workspace_id from users where users.user_id = cards.owner_id)`

/**
 * Cards go to their owners or their former workspace, else to `heirWorkspaceId`. Deleted cards move too, so
 * that their owners can restore them.
 */
export async function sendCardsHome(ctx: Ctx, workspaceId: string, heirWorkspaceId: string): Promise<void> {
  await reindexWorkspaceSoon(ctx, workspaceId)
  const successors = await successorsAround(ctx.db, workspaceId)
  const now = ctx.now().toISOString()
  const gone = ctx.db.selectFrom('users').select('user_id').where('deleted_at', 'is not', null)
  const returns = sql<boolean>`cards.origin_workspace_id <> ${workspaceId}`
  const returnsToSomebody = sql<boolean>`${returns} and exists (select 1 from memberships
    where memberships.workspace_id = cards.origin_workspace_id)`
  for (const isDeleted of ['is', 'is not'] as const) {
    const leave = ctx.db
      .updateTable('cards')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', isDeleted, null)
    await leave
      .set({
        workspace_id: sql<string>`case when ${returns} then cards.origin_workspace_id else ${homeOfOwner} end`,
        origin_workspace_id: sql<string>`case when ${returns} then cards.origin_workspace_id else ${homeOfOwner} end`,
        status: 'unpublished',
        published_at: null,
        updated_at: now,
      })
      .where('owner_id', 'not in', gone)
      .execute()
    // Cards without an owner stay published, because nobody could find them otherwise.
    await leave
      .set({
        workspace_id: sql<string>`case when ${returnsToSomebody} then cards.origin_workspace_id else ${heirWorkspaceId} end`,
        origin_workspace_id: sql<string>`case when ${returnsToSomebody} then cards.origin_workspace_id else ${heirWorkspaceId} end`,
        updated_at: now,
      })
      .execute()
  }
  // Cards that are published elsewhere stay there. Once unpublished, they go to their owner.
  await ctx.db
    .updateTable('cards')
    .set({ origin_workspace_id: homeOfOwner })
    .where('origin_workspace_id', '=', workspaceId)
    .whereRef('workspace_id', '<>', 'origin_workspace_id')
    .execute()
  await markAll(ctx, successors)
}
