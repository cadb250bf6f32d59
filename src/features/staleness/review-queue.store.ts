import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { daysBefore, jsonNumber } from '../../db/json-number.ts'
import { isCurrent, mayRead, mayUpdate, trustSeenBy } from '../cards/visibility.ts'
import { DISTRUSTED_BELOW } from '../trust/stored-trust.ts'

/** When the card was last edited or confirmed. */
const lastSure = sql<string>`case when confirmed_at > edited_at then confirmed_at else edited_at end`

/** Of the belief in a card, as `isDistrusted` reads it. */
const upperBound = (db: Db) => jsonNumber(db, 'cards.trust', 'high')

export type Reviewed = { viewerId: string; workspaceId: string | undefined }

/** Cards that the viewer may edit: those of one workspace, or the viewer's own. */
const editable = (db: Db, { viewerId, workspaceId }: Reviewed) => {
  const all = db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .where('cards.deleted_at', 'is', null)
    .where(mayUpdate(viewerId))
    .where(isCurrent())
  return workspaceId === undefined
    ? all.where('cards.owner_id', '=', viewerId)
    : all
        .where('cards.workspace_id', '=', workspaceId)
        .where((eb) => eb.or([eb('cards.status', '=', 'published'), eb('cards.owner_id', '=', viewerId)]))
}

const HEAD = [
  'cards.card_id',
  'cards.title',
  'cards.workspace_id',
  'cards.owner_id',
  'cards.status',
  'cards.review_status',
  'cards.hidden_at',
  'cards.seen_since',
] as const

/**
 * Cards whose interval is over, longest waiting first. The database decides: a large team has thousands of cards with an
 * interval, and few that are due.
 */
export function pastInterval(db: Db, asked: Reviewed, now: string, limit: number) {
  const ofPolicy = jsonNumber(db, 'workspaces.policy_json', 'review_after_days')
  const days = sql<number | null>`coalesce(cards.review_after_days, ${ofPolicy})`
  return editable(db, asked)
    .select(HEAD)
    .select(trustSeenBy(asked.viewerId).as('trust'))
    .select(lastSure.as('last_sure'))
    .where(lastSure, '<', daysBefore(db, now, days))
    .orderBy(lastSure)
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()
}

/** Cards that verdicts speak against, the worst first. */
export const judgedBadly = (db: Db, asked: Reviewed, limit: number) =>
  editable(db, asked)
    .select(HEAD)
    .select(trustSeenBy(asked.viewerId).as('trust'))
    .where('cards.trust', 'is not', null)
    .where(upperBound(db), '<', DISTRUSTED_BELOW)
    .orderBy(upperBound(db))
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

/**
 * Contradictions between two cards of a workspace: the viewer may edit the first and read the other. An owner who has left
 * the workspace keeps the first, and reads nothing of the others there. Two reads: the other may lie in another shard.
 */
export async function contradictions(db: Db, asked: Reviewed, limit: number) {
  const linked = await editable(db, asked)
    .innerJoin('card_links', 'card_links.from_card_id', 'cards.card_id')
    .select(HEAD)
    .select(trustSeenBy(asked.viewerId).as('trust'))
    .select(['card_links.created_at as since', 'card_links.to_card_id as other_card_id'])
    .where('card_links.kind', '=', 'contradicts')
    .orderBy('card_links.created_at')
    .limit(limit)
    .execute()
  if (linked.length === 0) return []
  const others = await db
    .selectFrom('cards')
    .select(['card_id', 'title', 'workspace_id', 'owner_id', 'status', 'review_status', 'hidden_at'])
    .where(
      'card_id',
      'in',
      linked.map((row) => row.other_card_id),
    )
    .where(mayRead(asked.viewerId))
    .where(isCurrent())
    .execute()
  const otherOf = new Map(others.map((other) => [`${other.workspace_id} ${other.card_id}`, other]))
  return linked.flatMap((row) => {
    const other = otherOf.get(`${row.workspace_id} ${row.other_card_id}`)
    return other ? [{ ...row, other }] : []
  })
}

/** People with cards that have an interval and with an account, in the order of their ids, after `after`. */
export async function ownersWithIntervals(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select('cards.owner_id')
    .distinct()
    .where('cards.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('cards.review_after_days', 'is not', null),
        eb('workspaces.policy_json', 'like', '%"review_after_days"%'),
      ]),
    )
    .where('cards.owner_id', '>', after)
    .orderBy('cards.owner_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.owner_id)
}

export async function setReviewDays(db: Db, cardId: string, days: number | null): Promise<void> {
  await db.updateTable('cards').set({ review_after_days: days }).where('card_id', '=', cardId).execute()
}
