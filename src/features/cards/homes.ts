import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'
import { type CardAtHome, type HomeAnswer, type HomeFacts, presentHome } from './home.ts'
import type { ViewerId } from './visibility.ts'

type Counted = Pick<HomeFacts, 'members' | 'editors'>
/** Every query that reads a card has when its owner was deleted. */
type Added = Omit<HomeFacts, 'owner_deleted_at'>
type Joined = Omit<Added, keyof Counted>

/** Adds the workspace of a card, and the roles of its viewer and its owner there, to a query over `cards`. */
function withWorkspace<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  viewerId: ViewerId,
): SelectQueryBuilder<DB, TB, O & Joined> {
  const cards = query as unknown as SelectQueryBuilder<Schema, 'cards', O>
  const joined = cards
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .leftJoin('memberships as mine', (join) =>
      join.onRef('mine.workspace_id', '=', 'cards.workspace_id').on('mine.user_id', '=', viewerId),
    )
    .leftJoin('memberships as theirs', (join) =>
      join
        .onRef('theirs.workspace_id', '=', 'cards.workspace_id')
        .onRef('theirs.user_id', '=', 'cards.owner_id'),
    )
    .select((eb) => [
      'workspaces.name as workspace_name',
      'workspaces.type as workspace_type',
      'workspaces.visibility as workspace_visibility',
      'mine.role as viewer_role',
      'theirs.role as owner_role',
      eb.case().when('cards.owner_id', '=', viewerId).then(1).else(0).end().as('is_own'),
    ])
  return joined as unknown as SelectQueryBuilder<DB, TB, O & Joined>
}

/** How many people are in a workspace, and how many of them read its drafts. */
const countsOfPeople = (workspaceId: string) => {
  const people = sql`from memberships as people where people.workspace_id = ${sql.ref(workspaceId)}`
  return [
    sql<number>`(select count(*) ${people})`.as('members'),
    sql<number>`(select count(*) ${people} and people.role <> 'viewer')`.as('editors'),
  ] as const
}

/** For a query that reads one card: the people are counted in it. */
export function withHomeFacts<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  viewerId: ViewerId,
): SelectQueryBuilder<DB, TB, O & Added> {
  const counted = withWorkspace(query, viewerId).select(countsOfPeople('cards.workspace_id'))
  return counted as unknown as SelectQueryBuilder<DB, TB, O & Added>
}

const selectWorkspaces = (db: Db, viewerId: ViewerId) =>
  db
    .selectFrom('workspaces')
    .leftJoin('memberships as mine', (join) =>
      join.onRef('mine.workspace_id', '=', 'workspaces.workspace_id').on('mine.user_id', '=', viewerId),
    )
    .select([
      'workspaces.workspace_id',
      'workspaces.name as workspace_name',
      'workspaces.type as workspace_type',
      'workspaces.visibility as workspace_visibility',
      'mine.role as viewer_role',
      ...countsOfPeople('workspaces.workspace_id'),
    ])

const workspacesOf = prepared((db, parameter: Named<{ viewerId: string; workspaceIds: string }>) =>
  selectWorkspaces(db, parameter('viewerId')).where(
    isAmongTexts(db, 'workspaces.workspace_id', parameter('workspaceIds')),
  ),
)

const workspaceOf = prepared((db, parameter: Named<{ viewerId: string; workspaceId: string }>) =>
  selectWorkspaces(db, parameter('viewerId')).where('workspaces.workspace_id', '=', parameter('workspaceId')),
)

/** The home of a card that the viewer has just made. */
export async function homeOfNew(
  db: Db,
  viewerId: string,
  workspaceId: string,
): Promise<HomeFacts | undefined> {
  const [facts] = await workspaceOf(db, { viewerId, workspaceId })
  return facts && { ...facts, owner_role: facts.viewer_role, owner_deleted_at: null, is_own: 1 }
}

const rolesOf = prepared((db, parameter: Named<{ workspaceIds: string; userIds: string }>) =>
  db
    .selectFrom('memberships')
    .select(['memberships.workspace_id', 'memberships.user_id', 'memberships.role'])
    .where(isAmongTexts(db, 'memberships.workspace_id', parameter('workspaceIds')))
    .where(isAmongTexts(db, 'memberships.user_id', parameter('userIds'))),
)

type CardOfWorkspace = { card_id: string; workspace_id: string; owner_id: string }

/** Of the owners that are not the viewer. */
async function ownersRoles(
  db: Db,
  viewerId: string,
  cards: readonly CardOfWorkspace[],
): Promise<Map<string, Role>> {
  const others = cards.filter(({ owner_id }) => owner_id !== viewerId)
  if (others.length === 0) return new Map()
  const found = await rolesOf(db, {
    workspaceIds: textList(new Set(others.map(({ workspace_id }) => workspace_id))),
    userIds: textList(new Set(others.map(({ owner_id }) => owner_id))),
  })
  return new Map(found.map(({ workspace_id, user_id, role }) => [`${workspace_id} ${user_id}`, role]))
}

const deletedAmong = prepared((db, parameter: Named<{ userIds: string }>) =>
  db
    .selectFrom('users')
    .select(['users.user_id', 'users.deleted_at'])
    .where(isAmongTexts(db, 'users.user_id', parameter('userIds')))
    .where('users.deleted_at', 'is not', null),
)

type CardWithFacts = { card: CardOfWorkspace; facts: Omit<HomeFacts, 'owner_deleted_at'> }

/** Only people who know how many read a card need it, and a deleted owner is a member of nothing. */
async function ownersDeleted(
  db: Db,
  withFacts: readonly CardWithFacts[],
): Promise<Map<string, string | null>> {
  const owners = withFacts.flatMap(({ card, facts }) =>
    facts.is_own === 0 && facts.owner_role === null && facts.viewer_role !== null ? [card.owner_id] : [],
  )
  if (owners.length === 0) return new Map()
  const found = await deletedAmong(db, { userIds: textList(new Set(owners)) })
  return new Map(found.map(({ user_id, deleted_at }) => [user_id, deleted_at]))
}

/**
 * The homes of the cards of a page, by card. Each workspace is read and its people are counted once, however many cards it has
 * there.
 */
export async function homesOf(
  db: Db,
  viewerId: string,
  cards: readonly CardOfWorkspace[],
): Promise<Map<string, HomeFacts>> {
  if (cards.length === 0) return new Map()
  const workspaceIds = textList(new Set(cards.map(({ workspace_id }) => workspace_id)))
  const found = await workspacesOf(db, { viewerId, workspaceIds })
  const roles = await ownersRoles(db, viewerId, cards)
  const workspaces = new Map(found.map(({ workspace_id, ...facts }) => [workspace_id, facts]))
  const withFacts = cards.flatMap((card): CardWithFacts[] => {
    const facts = workspaces.get(card.workspace_id)
    if (!facts) return []
    const isOwn = card.owner_id === viewerId
    const owner_role = isOwn
      ? facts.viewer_role
      : (roles.get(`${card.workspace_id} ${card.owner_id}`) ?? null)
    return [{ card, facts: { ...facts, owner_role, is_own: isOwn ? 1 : 0 } }]
  })
  const deleted = await ownersDeleted(db, withFacts)
  return new Map(
    withFacts.map(({ card, facts }) => [
      card.card_id,
      { ...facts, owner_deleted_at: deleted.get(card.owner_id) ?? null },
    ]),
  )
}

/** What has to be read of a card to say where it lives and who reads it. */
export type Shown = Omit<CardAtHome, keyof HomeFacts> & CardOfWorkspace

/** Where each of these cards lives and who reads it, as answers say it. A card that is gone meanwhile is left out. */
export async function presentHomes(
  db: Db,
  viewerId: string,
  cards: readonly Shown[],
): Promise<Map<string, HomeAnswer>> {
  const homes = await homesOf(db, viewerId, cards)
  return new Map(
    cards.flatMap((card) => {
      const facts = homes.get(card.card_id)
      return facts ? [[card.card_id, presentHome({ ...facts, ...card })] as const] : []
    }),
  )
}
