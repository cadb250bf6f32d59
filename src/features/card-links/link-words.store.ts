import type { Db } from '../../db/db.ts'
import type { CardLinksTable } from '../../db/tables/card-links.ts'

/** What a person wrote about a link or a merge, and who it was. */
type Worded = Pick<CardLinksTable, 'from_card_id' | 'to_card_id' | 'why' | 'created_by' | 'created_at'> & {
  created_by_name: string | null
}

type Heard = {
  owner_id: string
  seen_since: string | null
  published_at: string | null
  opened_at: string | null
  member_id: string | null
}

/** Workspaces and memberships are on every node of a cluster; cards are not, so links are asked apart. */
async function heardOf(db: Db, viewerId: string, cardIds: readonly string[]): Promise<Map<string, Heard>> {
  const rows = await db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'cards.workspace_id')
        .on('memberships.user_id', '=', viewerId),
    )
    .select(['cards.card_id', 'cards.owner_id', 'cards.seen_since', 'cards.published_at'])
    .select(['workspaces.opened_at', 'memberships.user_id as member_id'])
    .where('cards.card_id', 'in', cardIds)
    .execute()
  return new Map(rows.map(({ card_id, ...row }) => [card_id, row]))
}

/** Whether the viewer could read the card then: its owner always, members since it came to them, strangers since it is open. */
function couldRead(viewerId: string, card: Heard | undefined, at: string): boolean {
  if (!card) return false
  if (card.owner_id === viewerId) return true
  const since =
    card.member_id === null ? [card.seen_since, card.published_at, card.opened_at] : [card.seen_since]
  return since.every((time) => time === null || time <= at)
}

/**
 * A reason is written for those who can read both cards at that time. It stays with them and its maker when the cards are
 * published or moved, or their workspace is opened; so does the name, which would tell who shares a team with the owner.
 */
export async function withoutForeignWords<Link extends Worded>(
  db: Db,
  viewerId: string,
  links: readonly Link[],
): Promise<Link[]> {
  const others = links.filter(({ created_by }) => created_by !== null && created_by !== viewerId)
  if (others.length === 0) return [...links]
  const ids = new Set(others.flatMap(({ from_card_id, to_card_id }) => [from_card_id, to_card_id]))
  const cards = await heardOf(db, viewerId, [...ids])
  const foreign = new Set(
    others.filter(({ from_card_id, to_card_id, created_at }) =>
      [from_card_id, to_card_id].some((id) => !couldRead(viewerId, cards.get(id), created_at)),
    ),
  )
  return links.map((link) => (foreign.has(link) ? { ...link, why: null, created_by_name: null } : link))
}
