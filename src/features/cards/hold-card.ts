import { sql } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'

/**
 * The cards, those that they have replaced and those that have replaced them: a change of one also reads and marks the
 * others. By id, which is the order of all locks of cards (docs/decisions/0001-foundation.md).
 */
function around(db: Db, cardIds: readonly string[]) {
  const ids = textList(cardIds)
  const theirs = db
    .selectFrom('cards')
    .select('superseded_by')
    .where(isAmongTexts(db, 'card_id', ids))
  return db
    .selectFrom('cards')
    .select(['card_id', 'workspace_id'])
    .where((eb) =>
      eb.or([
        isAmongTexts(db, 'card_id', ids),
        isAmongTexts(db, 'superseded_by', ids),
        sql<boolean>`card_id = any (array(${theirs}))`,
      ]),
    )
    .orderBy('card_id')
}

const cardAlone = (db: Db, cardId: string) =>
  db.selectFrom('cards').select(['card_id', 'workspace_id']).where('card_id', '=', cardId)

/**
 * For a change of one card, in whichever workspace, which it returns. A cluster locks rows of one shard at a time, so there
 * it is the card alone. SQLite has one writer at a time.
 */
export async function holdRowOf({ db, database }: Ctx, cardId: string): Promise<string | undefined> {
  if (database.engine !== 'postgres') return undefined
  const rows = await (database.isDistributed ? cardAlone(db, cardId) : around(db, [cardId]))
    .forUpdate()
    .execute()
  return rows.find((row) => row.card_id === cardId)?.workspace_id
}

/**
 * The entry of a card in the index says whether strangers read its workspace. So that must not change between the look and
 * the entry: the change marks the entries that it finds, and would not find this one.
 */
export const holdVisibility = ({ db }: Ctx, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .forShare()
    .execute()

/** `holdRowOf` and `holdVisibility`, for a change that indexes the card where it is. */
export async function holdAnyCard(ctx: Ctx, cardId: string): Promise<string | undefined> {
  const workspaceId = await holdRowOf(ctx, cardId)
  if (workspaceId !== undefined) await holdVisibility(ctx, workspaceId)
  return workspaceId
}

/** For several cards, with those around them. Their keys stay free: judgements that refer to them may wait for a mark that is held already. */
export async function holdAround(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  if (ctx.database.isDistributed) await holdCards(ctx, cardIds)
  else if (ctx.database.engine === 'postgres') await around(ctx.db, cardIds).forNoKeyUpdate().execute()
}

/** For what is made of these cards, such as counts, whoever replaces them. One by one: a cluster locks rows of one shard at a time. */
export async function holdCards({ db, database }: Ctx, cardIds: readonly string[]): Promise<void> {
  if (database.engine !== 'postgres') return
  for (const cardId of cardIds.toSorted()) await cardAlone(db, cardId).forNoKeyUpdate().execute()
}

type OfWorkspace = { workspaceId: string; successors: readonly string[] }

/**
 * For a change of a whole workspace, before its own row is locked: changes of a card refer to that row while they hold the
 * card. `successors` are those of `successorsAround`. `judged` is enough where only trust is computed anew.
 */
export async function holdCardsOf(
  { db, database }: Ctx,
  { workspaceId, successors }: OfWorkspace,
  which: 'all' | 'judged',
): Promise<void> {
  if (database.engine !== 'postgres' || database.isDistributed) return
  const ids = textList(successors)
  await db
    .selectFrom('cards')
    .select('card_id')
    .where((eb) =>
      eb.or([
        eb.and([
          eb('workspace_id', '=', workspaceId),
          ...(which === 'judged' ? [eb('trust', 'is not', null)] : []),
        ]),
        ...(which === 'all' ? [eb('origin_workspace_id', '=', workspaceId)] : []),
        isAmongTexts(db, 'card_id', ids),
        isAmongTexts(db, 'superseded_by', ids),
      ]),
    )
    .orderBy('card_id')
    .forNoKeyUpdate()
    .execute()
}

/** For a text about the card, whose row refers to its key: before other rows are locked that a change of the card locks too. */
export async function holdKeyOf({ db, database }: Ctx, cardId: string): Promise<void> {
  if (database.engine === 'postgres') await cardAlone(db, cardId).forKeyShare().execute()
}

/**
 * Locks what a change of a card relies on: the card, who reads its workspace, and the caller's role there. So changes of one card
 * run one after the other, and changes of cards that do not replace each other never wait. In a young vault, serialisable
 * transactions conflict all the time, since PostgreSQL watches small tables and short indexes as a whole. Call it
 * before the card is read, in a `SELF_GUARDED` transaction.
 *
 * Use it for changes that give no new reader to a card. Sharing a card and moving it rely on more, and stay serialisable.
 * Publishing and bringing a deleted card back use `holdForPublishing`.
 */
export async function holdCard(ctx: UserCtx, cardId: string): Promise<void> {
  const workspaceId = await holdAnyCard(ctx, cardId)
  if (workspaceId === undefined) return
  await ctx.db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', ctx.viewer.userId)
    .forShare()
    .execute()
}
