import type { Db } from '../../db/db.ts'
import type { CardDraftsTable, DraftStatus, RecoveriesTable } from '../../db/tables/mining.ts'
import { freeText, storedTextBytes } from '../storage/text-usage.ts'

/** False if the person already has a draft of this error, open or decided. */
export async function insertDraft(db: Db, row: CardDraftsTable): Promise<boolean> {
  const made = await db
    .insertInto('card_drafts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'signature']).doNothing())
    .executeTakeFirst()
  return (made.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function draftsSince(db: Db, userId: string, since: string): Promise<number> {
  const { made } = await db
    .selectFrom('card_drafts')
    .select(({ fn }) => fn.countAll<number>().as('made'))
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return made
}

export async function hasDraft(db: Db, userId: string, signature: string): Promise<boolean> {
  const row = await db
    .selectFrom('card_drafts')
    .select('draft_id')
    .where('user_id', '=', userId)
    .where('signature', '=', signature)
    .executeTakeFirst()
  return row !== undefined
}

type Shown = { userId: string; status: DraftStatus; now: string }

/** Drafts of one person that have not expired. */
const shown = (db: Db, { userId, status, now }: Shown) =>
  db
    .selectFrom('card_drafts')
    .where('user_id', '=', userId)
    .where('status', '=', status)
    .where('expires_at', '>', now)

export async function countDrafts(db: Db, asked: Shown): Promise<number> {
  const { total } = await shown(db, asked)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Newest first. */
export const listDraftsOf = (
  db: Db,
  asked: Shown,
  page: { limit: number; offset: number },
): Promise<CardDraftsTable[]> =>
  shown(db, asked)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('draft_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const findDraft = (
  db: Db,
  { userId, draftId, now }: { userId: string; draftId: string; now: string },
): Promise<CardDraftsTable | undefined> =>
  db
    .selectFrom('card_drafts')
    .selectAll()
    .where('user_id', '=', userId)
    .where('draft_id', '=', draftId)
    .where('expires_at', '>', now)
    .executeTakeFirst()

type Decision = Pick<CardDraftsTable, 'status' | 'card_id' | 'decided_at'>

/** False if another client was faster: a draft is decided once. */
export async function decideDraft(
  db: Db,
  { user_id, draft_id, status }: CardDraftsTable,
  decision: Decision,
): Promise<boolean> {
  const decided = await db
    .updateTable('card_drafts')
    .set(decision)
    .where('user_id', '=', user_id)
    .where('draft_id', '=', draft_id)
    .where('status', '=', status)
    .executeTakeFirst()
  return decided.numUpdatedRows > 0n
}

export async function deleteDraftsBefore(db: Db, now: string): Promise<void> {
  const gone = await db
    .deleteFrom('card_drafts')
    .where('expires_at', '<=', now)
    .returning(['user_id', storedTextBytes('card_drafts').as('bytes')])
    .execute()
  await freeText(db, gone)
}

export async function insertRecovery(db: Db, row: RecoveriesTable): Promise<void> {
  await db
    .insertInto('recoveries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'session_id', 'signature']).doNothing())
    .execute()
}

export async function deleteRecoveriesBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('recoveries').where('created_at', '<', before).execute()
}

/** The card that recall delivered for this error in this session, if it did. */
export async function deliveredFor(
  db: Db,
  { userId, sessionId, signature }: { userId: string; sessionId: string; signature: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('recall_calls')
    .innerJoin('recall_items', (join) =>
      join
        .onRef('recall_items.user_id', '=', 'recall_calls.user_id')
        .onRef('recall_items.call_id', '=', 'recall_calls.call_id'),
    )
    .select('recall_items.item_id')
    .where('recall_calls.user_id', '=', userId)
    .where('recall_calls.session_id', '=', sessionId)
    .where('recall_calls.signature', '=', signature)
    .where('recall_items.kind', '=', 'card')
    .orderBy('recall_items.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.item_id
}
