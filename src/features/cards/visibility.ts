import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { z } from 'zod'
import { AnswerId } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { CardStatus, ReviewStatus } from '../../db/knowledge-schema.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type { Role, Schema, WorkspacesTable } from '../../db/schema.ts'
import { isAmongResults, isAmongTexts, textList } from '../../db/sql-values.ts'
import { mayKnowOf } from '../permissions/index.ts'

/** Every query that reads cards must use one of these permission conditions. */
type Condition = Expression<SqlBool>
type Cards = ExpressionBuilder<Schema, 'cards'>
/** A value, or its parameter in a prepared query. */
export type ViewerId = string | Expression<string>

type Visibility = WorkspacesTable['visibility']

const EDITORS: readonly Role[] = ['admin', 'editor']
const PUBLISHED: CardStatus = 'published'
/** Strangers see only cards that have passed the review. */
const PASSED: ReviewStatus = 'passed'
const OPEN: readonly Visibility[] = ['public', 'unlisted']

const cards = (): Cards => expressionBuilder<Schema, 'cards'>()

const isThere = (eb: Cards): Condition => eb('cards.deleted_at', 'is', null)
/** Hidden cards are visible to their owner only, not even to editors and admins of the workspace. */
const isShown = (eb: Cards): Condition => eb('cards.hidden_at', 'is', null)
const isPublished = (eb: Cards): Condition => eb.and([eb('cards.status', '=', PUBLISHED), isShown(eb)])
const hasPassed = (eb: Cards): Condition => eb('cards.review_status', '=', PASSED)
const isOwn = (eb: Cards, viewerId: ViewerId): Condition => eb('cards.owner_id', '=', viewerId)

const membershipsOf = (eb: Cards, viewerId: ViewerId) =>
  eb.selectFrom('memberships').select('memberships.workspace_id').where('memberships.user_id', '=', viewerId)

type WorkspaceColumn = 'cards.workspace_id' | 'cards.origin_workspace_id'

function isMember(
  eb: Cards,
  viewerId: ViewerId,
  roles?: readonly Role[],
  workspace: WorkspaceColumn = 'cards.workspace_id',
): Condition {
  const memberships = membershipsOf(eb, viewerId)
  return eb(workspace, 'in', roles ? memberships.where('memberships.role', 'in', roles) : memberships)
}

const isInWorkspaceOf = (eb: Cards, visibilities: readonly Visibility[]): Condition =>
  eb(
    'cards.workspace_id',
    'in',
    eb
      .selectFrom('workspaces')
      .select('workspaces.workspace_id')
      .where('workspaces.visibility', 'in', visibilities),
  )

const isOpenTo = (eb: Cards, visibilities: readonly Visibility[]): Condition =>
  eb.and([isPublished(eb), hasPassed(eb), isInWorkspaceOf(eb, visibilities)])

/**
 * Matches cards that a team has published for everybody: they stay its cards. Uses `exists`, because with a list
 * of public workspaces SQLite reads the whole library.
 */
const isPublishedAway = (eb: Cards): Condition =>
  eb.and([
    eb('cards.workspace_id', '<>', eb.ref('cards.origin_workspace_id')),
    isPublished(eb),
    eb.exists(
      eb
        .selectFrom('workspaces')
        .select('workspaces.workspace_id')
        .whereRef('workspaces.workspace_id', '=', 'cards.workspace_id')
        .where('workspaces.visibility', '=', 'public'),
    ),
  ])

const isPublishedFromTeam = (eb: Cards, viewerId: ViewerId, roles?: readonly Role[]): Condition =>
  eb.and([isPublishedAway(eb), isMember(eb, viewerId, roles, 'cards.origin_workspace_id')])

/** Matches cards that everybody who knows the id may read, signed in or not. */
export function isOpen(): Condition {
  const eb = cards()
  return eb.and([isThere(eb), isOpenTo(eb, OPEN)])
}

/** Must stay in step with `isOpen`; for a row that is neither deleted nor hidden. */
export const isOpenRow = (card: {
  status: CardStatus
  review_status: ReviewStatus
  workspace_visibility: Visibility
}): boolean =>
  card.status === PUBLISHED && card.review_status === PASSED && OPEN.includes(card.workspace_visibility)

export function mayRead(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([
    isThere(eb),
    eb.or([
      isOwn(eb, viewerId),
      eb.and([isShown(eb), isMember(eb, viewerId, EDITORS)]),
      eb.and([isPublished(eb), isMember(eb, viewerId)]),
      isPublishedFromTeam(eb, viewerId),
      isOpenTo(eb, OPEN),
    ]),
  ])
}

/** Matches the viewer's own cards whose current version nobody else has written. */
export function isByViewer(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([isOwn(eb, viewerId), eb('cards.edited_by', '=', viewerId)])
}

/** Matches the viewer's own cards and those of a team of the viewer, also where they are in the library. */
export function isInTeamOf(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.or([isOwn(eb, viewerId), isMember(eb, viewerId), isPublishedFromTeam(eb, viewerId)])
}

/** Matches cards in this workspace and cards that it has published for everybody. Call it for members. */
export function isOfWorkspace(workspaceId: string): Condition {
  const eb = cards()
  return eb.or([
    eb('cards.workspace_id', '=', workspaceId),
    eb.and([isPublishedAway(eb), eb('cards.origin_workspace_id', '=', workspaceId)]),
  ])
}

/** Returns the workspace of the viewer that has published the card for everybody; null without one. Select it as `team_id`. */
export function teamOf(viewerId: ViewerId) {
  const eb = cards()
  return eb
    .case()
    .when(isPublishedFromTeam(eb, viewerId))
    .then(eb.ref('cards.origin_workspace_id'))
    .else(null)
    .end()
}

export function mayUpdate(viewerId: ViewerId): Condition {
  const eb = cards()
  const isEdited = eb.and([isShown(eb), isMember(eb, viewerId, EDITORS)])
  return eb.and([isThere(eb), eb.or([isOwn(eb, viewerId), isEdited])])
}

/** Editors of a team read the history of a card that it has published. They cannot change it there. */
export function mayReadHistory(viewerId: ViewerId): Condition {
  const eb = cards()
  const ofTeam = eb.and([isThere(eb), isPublishedFromTeam(eb, viewerId, EDITORS)])
  return eb.or([mayUpdate(viewerId), ofTeam])
}

const isAdministered = (eb: Cards, viewerId: ViewerId): Condition =>
  eb.or([isOwn(eb, viewerId), eb.and([isShown(eb), isMember(eb, viewerId, ['admin'])])])

/** Matches cards that the viewer may delete: as owner, or as admin of the card's current workspace. */
export function mayDelete(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([isThere(eb), isAdministered(eb, viewerId)])
}

/** Matches deleted cards that the viewer may restore; no other condition lets deleted cards through. */
export function mayUndelete(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([eb('cards.deleted_at', 'is not', null), isAdministered(eb, viewerId)])
}

/** Returns since when a workspace of the viewer has the card, by time and by version. */
export function knownSince(viewerId: ViewerId) {
  const eb = cards()
  // Null for a card that was published before the vault kept this.
  const isKnown = eb('cards.origin_seen_from_version', 'is not', null)
  const isOfTeam = eb.and([isKnown, isPublishedFromTeam(eb, viewerId)])
  const time = eb.case().when(isOfTeam).then(eb.ref('cards.origin_seen_since'))
  const version = eb.case().when(isOfTeam).then(eb.ref('cards.origin_seen_from_version'))
  return {
    time: time.else(eb.ref('cards.seen_since')).end(),
    version: version.else(eb.ref('cards.seen_from_version')).end().$notNull(),
  }
}

/** Members of the private team that the card was published from see the trust as their own. */
export function trustSeenBy(viewerId: ViewerId) {
  const eb = cards()
  return eb
    .case()
    .when(
      eb.and([
        eb('cards.team_trust', 'is not', null),
        eb('cards.origin_workspace_id', 'in', membershipsOf(eb, viewerId)),
      ]),
    )
    .then(eb.ref('cards.team_trust'))
    .else(eb.ref('cards.trust'))
    .end()
}

export type CardScope = 'personal' | 'workspace' | 'public'
/** `team` means cards that others share in a workspace of the viewer. */
export type SearchedScope = CardScope | 'own_and_team' | 'team'

type Narrowed = { viewerId: ViewerId; workspaceIds: readonly string[] }

/** Returns whether the viewer is a member of this workspace, which is one of those named. */
function isInNamed(db: Db, { viewerId, workspaceIds }: Narrowed, column: WorkspaceColumn): Condition {
  const memberships = membershipsOf(cards(), viewerId)
  // SQLite uses an index within an `or` only if the condition of the index stands there too.
  return cards().and([
    isThere(cards()),
    ...isAmong(column, workspaceIds),
    isAmongResults(db, column, memberships),
  ])
}

const isFromTeam = (db: Db, narrowed: Narrowed): Condition =>
  cards().and([isPublishedAway(cards()), isInNamed(db, narrowed, 'cards.origin_workspace_id')])

/** Matches cards of the viewer's teams: those there that pass `isShared`, and those published from there. */
const isOfTeam = (db: Db, narrowed: Narrowed, isShared: Condition): Condition =>
  cards().or([
    cards().and([isShared, isInNamed(db, narrowed, 'cards.workspace_id')]),
    isFromTeam(db, narrowed),
  ])

const isAmong = (column: WorkspaceColumn, workspaceIds: readonly string[]): Condition[] =>
  workspaceIds.length === 0 ? [] : [cards()(column, 'in', workspaceIds)]

/** Nobody finds another person's unpublished card; `workspaceIds` only narrows (empty: no narrowing). */
export function isListed(
  db: Db,
  viewerId: ViewerId,
  scope: SearchedScope,
  workspaceIds: readonly string[] = [],
): Condition {
  const eb = cards()
  if (scope === 'own_and_team')
    return eb.or([
      isListed(db, viewerId, 'personal', workspaceIds),
      isListed(db, viewerId, 'workspace', workspaceIds),
    ])
  const narrowed = { viewerId, workspaceIds }
  const conditions = [isThere(eb)]
  if (scope === 'public')
    conditions.push(...isAmong('cards.workspace_id', workspaceIds), isOpenTo(eb, ['public']))
  if (scope === 'personal') {
    const isIn = isAmong('cards.workspace_id', workspaceIds)
    conditions.push(isOwn(eb, viewerId))
    if (isIn.length > 0) conditions.push(eb.or([...isIn, isFromTeam(db, narrowed)]))
  }
  if (scope === 'team')
    conditions.push(isOfTeam(db, narrowed, isPublished(eb)), eb('cards.owner_id', '!=', viewerId))
  if (scope === 'workspace')
    conditions.push(isOfTeam(db, narrowed, eb.or([isPublished(eb), isOwn(eb, viewerId)])))
  return eb.and(conditions)
}

/** Leaves out the personal workspace of the viewer and what was published from it. */
export function isNotPersonal(viewerId: ViewerId): Condition {
  const eb = cards()
  const personal = eb
    .selectFrom('users')
    .select('users.personal_workspace_id')
    .where('users.user_id', '=', viewerId)
  return eb.and([
    eb('cards.workspace_id', 'not in', personal),
    eb.or([eb('cards.origin_workspace_id', 'not in', personal), isMember(eb, viewerId)]),
  ])
}

export function isBrowsed(
  db: Db,
  viewerId: ViewerId,
  scope: CardScope,
  workspaceIds: readonly string[],
): Condition {
  const listed = isListed(db, viewerId, scope, workspaceIds)
  if (scope !== 'workspace' || workspaceIds.length === 0) return listed
  const eb = cards()
  const isNamed = eb('cards.workspace_id', 'in', workspaceIds)
  return eb.or([listed, eb.and([isThere(eb), isNamed, isOpenTo(eb, OPEN)])])
}

export function mayFind(db: Db, viewerId: ViewerId): Condition {
  const scopes: CardScope[] = ['personal', 'workspace', 'public']
  return cards().or(scopes.map((scope) => isListed(db, viewerId, scope)))
}

/** If the successor is deleted or hidden, the former card counts as current again. */
export function isCurrent(): Condition {
  const eb = cards()
  return eb.or([eb('cards.superseded_by', 'is', null), eb('cards.successor_gone', '=', 1)])
}

export const Home = z
  .object({
    kind: z.enum(['personal', 'workspace', 'library']),
    workspace_id: AnswerId,
    name: z.string().nullable().describe('Null: a private workspace that the caller is not a member of'),
    published_from: z
      .object({ workspace_id: AnswerId, name: z.string() })
      .optional()
      .describe('The team of the caller that published it: it stays a card of that team'),
  })
  .meta({ id: 'CardHome' })

export const Readers = z
  .object({
    kind: z
      .enum(['owner', 'editors', 'members', 'link', 'everyone'])
      .describe('editors: a draft in a workspace; link: everybody who knows its address'),
    count: z.int().nullable().describe('How many people; null where the caller may not know'),
    text: z.string().describe('In words: Only you; Platform team, 3 people; Everyone'),
  })
  .meta({ id: 'CardReaders' })

export type HomeFacts = {
  workspace_name: string
  workspace_type: WorkspacesTable['type']
  workspace_visibility: WorkspacesTable['visibility']
  viewer_role: Role | null
  owner_role: Role | null
  /** When the owner deleted the account. A deleted owner reads nothing. */
  owner_deleted_at: string | null
  members: number
  editors: number
  is_own: number
  /** The name of the viewer's team that has published the card for everybody. */
  team_name: string | null
}

type CardAtHome = HomeFacts & {
  workspace_id: string
  /** From `teamOf`. */
  team_id: string | null
  status: CardStatus
  review_status: ReviewStatus
  hidden_at: string | null
}
export const AT_HOME = { home: Home, readers: Readers }
export type HomeAnswer = { home: z.input<typeof Home>; readers: z.input<typeof Readers> }

/** Replaces the name of a private workspace for former members. */
export const LEFT_WORKSPACE = 'a workspace that you left'

function homeOf(row: CardAtHome): HomeAnswer['home'] {
  const { team_id, team_name } = row
  const place = placeOf(row)
  if (team_id === null || team_name === null) return place
  return { ...place, published_from: { workspace_id: team_id, name: team_name } }
}

function placeOf(row: CardAtHome): HomeAnswer['home'] {
  const { workspace_id, viewer_role, workspace_visibility } = row
  if (workspace_id === PUBLIC_LIBRARY_ID) return { kind: 'library', workspace_id, name: 'Library' }
  if (row.workspace_type === 'personal' && row.is_own === 1)
    return { kind: 'personal', workspace_id, name: 'Personal' }
  const name = mayKnowOf(workspace_visibility, viewer_role) ? row.workspace_name : null
  return { kind: 'workspace', workspace_id, name }
}

/** The owner counts even after leaving the workspace, but not after deleting the account. */
function peopleOf(row: CardAtHome): number {
  if (row.owner_deleted_at !== null) return row.status === 'published' ? row.members : row.editors
  if (row.status === 'published') return row.members + (row.owner_role === null ? 1 : 0)
  const isEditor = row.owner_role === 'admin' || row.owner_role === 'editor'
  return row.editors + (isEditor ? 0 : 1)
}

function readersOf(row: CardAtHome, name: string): HomeAnswer['readers'] {
  if (row.hidden_at !== null)
    return { kind: 'owner', count: 1, text: row.is_own === 1 ? 'Only you' : 'Only its owner' }
  const isPublished = row.status === 'published'
  if (isOpenRow(row))
    return row.workspace_visibility === 'public'
      ? { kind: 'everyone', count: null, text: 'Everyone' }
      : { kind: 'link', count: null, text: 'Everyone who has the link' }
  // Its review has failed since: the team still reads it, strangers do not.
  if (row.team_name !== null) return { kind: 'members', count: null, text: row.team_name }
  const people = peopleOf(row)
  const isYoursAlone = row.is_own === 1 || row.owner_deleted_at !== null
  if (people <= 1) return { kind: 'owner', count: 1, text: isYoursAlone ? 'Only you' : 'Only its owner' }
  const count = row.viewer_role === null ? null : people
  if (!isPublished) return { kind: 'editors', count, text: `Draft, editors of ${name} can read it` }
  const text = count === null ? name : `${name}, ${count} people`
  return { kind: 'members', count, text: text.charAt(0).toUpperCase() + text.slice(1) }
}

export function presentHome(row: CardAtHome): HomeAnswer {
  const home = homeOf(row)
  return { home, readers: readersOf(row, home.name ?? LEFT_WORKSPACE) }
}

type Counted = Pick<HomeFacts, 'members' | 'editors'>
type Added = Omit<HomeFacts, 'owner_deleted_at'>
type Joined = Omit<Added, keyof Counted>

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
    .leftJoin('workspaces as teams', (join) =>
      join.on('teams.type', '<>', 'personal').on('teams.workspace_id', '=', teamOf(viewerId)),
    )
    .select((eb) => [
      'workspaces.name as workspace_name',
      'workspaces.type as workspace_type',
      'workspaces.visibility as workspace_visibility',
      'mine.role as viewer_role',
      'theirs.role as owner_role',
      eb.case().when('cards.owner_id', '=', viewerId).then(1).else(0).end().as('is_own'),
      'teams.name as team_name',
    ])
  return joined as unknown as SelectQueryBuilder<DB, TB, O & Joined>
}

const countsOfPeople = (workspaceId: string) => {
  const people = sql`from memberships as people where people.workspace_id = ${sql.ref(workspaceId)}`
  return [
    sql<number>`(select count(*) ${people})`.as('members'),
    sql<number>`(select count(*) ${people} and people.role <> 'viewer')`.as('editors'),
  ] as const
}

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

const workspacesOf = prepared(
  'workspacesForViewer',
  (db, parameter: Named<{ viewerId: string; workspaceIds: string }>) =>
    selectWorkspaces(db, parameter('viewerId')).where(
      isAmongTexts(db, 'workspaces.workspace_id', parameter('workspaceIds')),
    ),
)

const workspaceOf = prepared(
  'workspaceForViewer',
  (db, parameter: Named<{ viewerId: string; workspaceId: string }>) =>
    selectWorkspaces(db, parameter('viewerId')).where(
      'workspaces.workspace_id',
      '=',
      parameter('workspaceId'),
    ),
)

export async function homeOfNew(
  db: Db,
  viewerId: string,
  workspaceId: string,
): Promise<HomeFacts | undefined> {
  const [facts] = await workspaceOf(db, { viewerId, workspaceId })
  const ofNew = { owner_deleted_at: null, is_own: 1, team_name: null }
  return facts && { ...facts, owner_role: facts.viewer_role, ...ofNew }
}

const rolesOf = prepared('rolesOfUsers', (db, parameter: Named<{ workspaceIds: string; userIds: string }>) =>
  db
    .selectFrom('memberships')
    .select(['memberships.workspace_id', 'memberships.user_id', 'memberships.role'])
    .where(isAmongTexts(db, 'memberships.workspace_id', parameter('workspaceIds')))
    .where(isAmongTexts(db, 'memberships.user_id', parameter('userIds'))),
)

type CardOfWorkspace = { card_id: string; workspace_id: string; owner_id: string; team_id: string | null }

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

const deletedAmong = prepared('deletedUsers', (db, parameter: Named<{ userIds: string }>) =>
  db
    .selectFrom('users')
    .select(['users.user_id', 'users.deleted_at'])
    .where(isAmongTexts(db, 'users.user_id', parameter('userIds')))
    .where('users.deleted_at', 'is not', null),
)

type CardWithFacts = { card: CardOfWorkspace; facts: Omit<HomeFacts, 'owner_deleted_at'> }

/** Returns when owners were deleted, for cards whose owner is no member and whose viewer is one. */
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

/** Returns the homes of a page of cards, by card. Each workspace is read once. */
export async function homesOf(
  db: Db,
  viewerId: string,
  cards: readonly CardOfWorkspace[],
): Promise<Map<string, HomeFacts>> {
  if (cards.length === 0) return new Map()
  const workspaceIds = textList(
    new Set(cards.flatMap(({ workspace_id, team_id }) => [workspace_id, team_id ?? workspace_id])),
  )
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
    const team = workspaces.get(card.team_id ?? '')
    const team_name = team && team.workspace_type !== 'personal' ? team.workspace_name : null
    return [{ card, facts: { ...facts, owner_role, is_own: isOwn ? 1 : 0, team_name } }]
  })
  const deleted = await ownersDeleted(db, withFacts)
  return new Map(
    withFacts.map(({ card, facts }) => [
      card.card_id,
      { ...facts, owner_deleted_at: deleted.get(card.owner_id) ?? null },
    ]),
  )
}

export type Shown = Omit<CardAtHome, keyof HomeFacts> & CardOfWorkspace

/** Returns where each card lives and who reads it. A card that was removed meanwhile is left out. */
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
