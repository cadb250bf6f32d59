import type { Db } from '../../db/db.ts'
import { mayRead } from '../cards/visibility.ts'

/** The card that an earlier pull made in this workspace; one that is there comes before one that was deleted or hidden. */
export async function findPulled(
  db: Db,
  workspaceId: string,
  originKey: string,
): Promise<{ card_id: string; isGone: boolean } | undefined> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'deleted_at', 'hidden_at'])
    .where('origin_key', '=', originKey)
    .where('workspace_id', '=', workspaceId)
    .execute()
  const found = rows.map(({ card_id, deleted_at, hidden_at }) => ({
    card_id,
    isGone: deleted_at !== null || hidden_at !== null,
  }))
  return found.find(({ isGone }) => !isGone) ?? found[0]
}

/** A card that says the same; one that is hidden does not come in again, and is not named. */
export async function findSameContent(
  db: Db,
  workspaceId: string,
  hash: string,
): Promise<{ card_id: string; isHidden: boolean } | undefined> {
  const row = await db
    .selectFrom('cards')
    .select(['card_id', 'hidden_at'])
    .where('workspace_id', '=', workspaceId)
    .where('content_hash', '=', hash)
    .where('deleted_at', 'is', null)
    .orderBy('hidden_at', (order) => order.asc().nullsFirst())
    .executeTakeFirst()
  return row && { card_id: row.card_id, isHidden: row.hidden_at !== null }
}

type Page = { viewerId: string; workspaceId: string; server: string; after: string; limit: number }

/** The key begins with the server and a space; `!` follows the space. */
export function listPulled(db: Db, { viewerId, workspaceId, server, after, limit }: Page) {
  return db
    .selectFrom('cards')
    .select(['card_id', 'title', 'origin'])
    .where('workspace_id', '=', workspaceId)
    .where('origin_key', '>', `${server} ${after}`)
    .where('origin_key', '<', `${server}!`)
    .where(mayRead(viewerId))
    .orderBy('origin_key')
    .limit(limit)
    .execute()
}
