import { type Expression, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { isCurrent, isListed, mayRead } from '../cards/visibility.ts'

/** The viewer, the workspace, and the period, which ends before `until`. */
export type Asked = {
  viewerId: string
  workspaceId: string
  since: string
  until: string | undefined
  limit: number
}

const isBefore = (time: Expression<string>, until: string | undefined) =>
  until === undefined ? sql<boolean>`true` : sql<boolean>`${time} < ${until}`

/** When the card came to the team: by sharing, or by moving as a shared card. */
const cameAt = sql<string>`case when cards.seen_since > cards.published_at then cards.seen_since else cards.published_at end`

/** A card, and what has to be known to say who reads it. */
const CARD = [
  'cards.card_id',
  'cards.title',
  'cards.workspace_id',
  'cards.owner_id',
  'cards.status',
  'cards.review_status',
  'cards.hidden_at',
] as const

/** Shared cards of the workspace that the viewer finds there. */
const shared = (db: Db, { viewerId, workspaceId }: Asked) =>
  db
    .selectFrom('cards')
    .where(isListed(viewerId, 'workspace', [workspaceId]))
    .where('cards.status', '=', 'published')

/** New and changed cards, newest first. The person who changed a card is named while they are a member. */
export const newsOf = (db: Db, asked: Asked) =>
  shared(db, asked)
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'cards.workspace_id')
        .onRef('memberships.user_id', '=', 'cards.edited_by'),
    )
    .leftJoin('users', 'users.user_id', 'memberships.user_id')
    .select(CARD)
    .select(['cards.card_type', 'cards.edited_at', cameAt.as('came_at'), 'users.display_name as by_name'])
    .where(isBefore(cameAt, asked.until))
    .where((eb) =>
      eb.or([
        eb.and([eb('cards.edited_at', '>=', asked.since), isBefore(eb.ref('cards.edited_at'), asked.until)]),
        eb(cameAt, '>=', asked.since),
      ]),
    )
    .where(isCurrent())
    .orderBy(sql`case when cards.edited_at > ${cameAt} then cards.edited_at else ${cameAt} end`, 'desc')
    .orderBy('cards.card_id')
    .limit(asked.limit)
    .execute()

/** Only feedback since the card came to the team: earlier feedback was given elsewhere. */
const saidHere = sql<boolean>`(cards.seen_since is null or said.created_at >= cards.seen_since)`

const HELPED = [...CARD, 'said.user_id', 'users.display_name', 'said.created_at'] as const

/** Members who found a shared card of somebody else useful. */
export const foundUseful = (db: Db, asked: Asked) =>
  shared(db, asked)
    .innerJoin('card_feedback as said', 'said.card_id', 'cards.card_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'cards.workspace_id')
        .onRef('memberships.user_id', '=', 'said.user_id'),
    )
    .innerJoin('users', 'users.user_id', 'said.user_id')
    .select(HELPED)
    .where('said.kind', '=', 'useful')
    .where('said.withdrawn_at', 'is', null)
    .where('said.created_at', '>=', asked.since)
    .where((eb) => isBefore(eb.ref('said.created_at'), asked.until))
    .whereRef('said.user_id', '!=', 'cards.owner_id')
    .where(saidHere)
    .orderBy('said.created_at', 'desc')
    .limit(asked.limit)
    .execute()

/** Members for whom a shared card of somebody else worked, and who have not withdrawn that verdict. */
export const workedFor = (db: Db, asked: Asked) =>
  shared(db, asked)
    .innerJoin('card_verdicts as said', 'said.card_id', 'cards.card_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'cards.workspace_id')
        .onRef('memberships.user_id', '=', 'said.user_id'),
    )
    .innerJoin('users', 'users.user_id', 'said.user_id')
    .select(HELPED)
    .where('said.outcome', '=', 'worked')
    .where('said.created_at', '>=', asked.since)
    .where((eb) => isBefore(eb.ref('said.created_at'), asked.until))
    .whereRef('said.user_id', '!=', 'cards.owner_id')
    .where(saidHere)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('card_verdicts as later')
            .select('later.verdict_id')
            .whereRef('later.card_id', '=', 'said.card_id')
            .whereRef('later.user_id', '=', 'said.user_id')
            .whereRef('later.environment_key', '=', 'said.environment_key')
            .whereRef('later.created_at', '>', 'said.created_at'),
        ),
      ),
    )
    .orderBy('said.created_at', 'desc')
    .limit(asked.limit)
    .execute()

/** Shared cards with any verdict or feedback; the caller reads which. */
export const judged = (db: Db, asked: Asked, limit: number) =>
  shared(db, asked)
    .select([...CARD, 'cards.trust'])
    .where('cards.trust', 'is not', null)
    .where(isCurrent())
    .orderBy('cards.updated_at', 'desc')
    .limit(limit)
    .execute()

/** Cards that were recorded with a key and are not shared yet: the viewer's, and for editors and admins all of them. */
export const draftsOf = (db: Db, { viewerId, workspaceId, until, limit }: Asked) =>
  db
    .selectFrom('cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select([...CARD, 'users.display_name as owner_name', 'cards.created_at'])
    .where('cards.workspace_id', '=', workspaceId)
    .where('cards.status', '=', 'unpublished')
    .where('cards.recorded_with', 'in', ['api_key', 'oauth'])
    .where((eb) => isBefore(eb.ref('cards.created_at'), until))
    .where(mayRead(viewerId))
    .orderBy('cards.created_at', 'desc')
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

/** People who want the mail, in the order of their ids, after `after`. */
export async function readersAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('user_id')
    .where('settings', 'like', '%"weekly_digest":true%')
    .where('deleted_at', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.user_id)
}

export type Team = { workspace_id: string; name: string; policy_json: string | null; role: Role }

/** The teams of a person, in the order of joining. */
export const teamsOf = (db: Db, userId: string, limit: number): Promise<Team[]> =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name', 'workspaces.policy_json', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .where('workspaces.type', '!=', 'personal')
    .orderBy('memberships.created_at')
    .orderBy('workspaces.workspace_id')
    .limit(limit)
    .execute()
