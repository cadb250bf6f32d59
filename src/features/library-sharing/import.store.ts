import type { Db } from '../../db/db.ts'

export type PulledRow = { card_id: string; title: string; origin: string; deleted_at: string | null }

/** The card that an earlier pull made in this workspace; the one that is there comes before a deleted one. */
export async function findPulled(
  db: Db,
  workspaceId: string,
  originKey: string,
): Promise<Pick<PulledRow, 'card_id' | 'deleted_at'> | undefined> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'deleted_at'])
    .where('origin_key', '=', originKey)
    .where('workspace_id', '=', workspaceId)
    .execute()
  return rows.find((row) => row.deleted_at === null) ?? rows[0]
}

export async function findSameContent(
  db: Db,
  workspaceId: string,
  hash: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('cards')
    .select('card_id')
    .where('workspace_id', '=', workspaceId)
    .where('content_hash', '=', hash)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.card_id
}

type Page = { workspaceId: string; server: string; after: string; limit: number }

/** The key begins with the server and a space; `!` follows the space. */
export function listPulled(db: Db, { workspaceId, server, after, limit }: Page) {
  return db
    .selectFrom('cards')
    .select(['card_id', 'title', 'origin'])
    .where('workspace_id', '=', workspaceId)
    .where('origin_key', '>', `${server} ${after}`)
    .where('origin_key', '<', `${server}!`)
    .where('deleted_at', 'is', null)
    .orderBy('origin_key')
    .limit(limit)
    .execute()
}
