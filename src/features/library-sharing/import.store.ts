import { byBytes } from '../../db/byte-order.ts'
import type { Db } from '../../db/db.ts'
import { storedOrigin } from '../cards/origin.ts'
import { mayRead } from '../cards/visibility.ts'

export type Pulled = { card_id: string; isGone: boolean; isPublishedElsewhere: boolean; version: number }

/**
 * The card that an earlier pull made in this workspace, also if it was published from there. One that is still here is
 * preferred, and a visible card to a deleted or hidden one.
 */
export async function findPulled(
  db: Db,
  workspaceId: string,
  originKey: string,
): Promise<Pulled | undefined> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'workspace_id', 'origin', 'deleted_at', 'hidden_at'])
    .where('origin_key', '=', originKey)
    .where((eb) => eb.or([eb('workspace_id', '=', workspaceId), eb('origin_workspace_id', '=', workspaceId)]))
    .execute()
  const found = rows.map((row) => ({
    card_id: row.card_id,
    isGone: row.deleted_at !== null || row.hidden_at !== null,
    isPublishedElsewhere: row.workspace_id !== workspaceId,
    version: storedOrigin(row)?.version ?? 0,
  }))
  const rank = (card: Pulled) => (card.isPublishedElsewhere ? 2 : 0) + (card.isGone ? 1 : 0)
  return found.sort((a, b) => rank(a) - rank(b) || b.version - a.version)[0]
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

/** The key begins with the server and a space. `!` is the character after the space, so it ends the range. */
export function listPulled(db: Db, { viewerId, workspaceId, server, after, limit }: Page) {
  const key = byBytes(db, 'origin_key')
  return db
    .selectFrom('cards')
    .select(['card_id', 'title', 'origin', 'content_hash', 'evidence_count', 'version'])
    .where('workspace_id', '=', workspaceId)
    .where(key, '>', `${server} ${after}`)
    .where(key, '<', `${server}!`)
    .where(mayRead(viewerId))
    .orderBy(key)
    .limit(limit)
    .execute()
}
