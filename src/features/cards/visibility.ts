import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { CardStatus, ReviewStatus } from '../../db/tables/cards.ts'
import type { Role, WorkspacesTable } from '../../db/tables/workspaces.ts'

/**
 * Who may do what with a card, as conditions on a query over `cards`. Every read of cards, here and in search, uses
 * one of these; none but `mayUndelete` lets a deleted card through, and a hidden one is there for its owner alone.
 */
type Condition = Expression<SqlBool>
type Cards = ExpressionBuilder<Schema, 'cards'>
/** A value, or its parameter in a query that is compiled once. */
export type ViewerId = string | Expression<string>

type Visibility = WorkspacesTable['visibility']

const EDITORS: readonly Role[] = ['admin', 'editor']
const PUBLISHED: CardStatus = 'published'
/** Strangers see only cards that have passed the review, however they got there. */
const PASSED: ReviewStatus = 'passed'
const OPEN: readonly Visibility[] = ['public', 'unlisted']

const cards = (): Cards => expressionBuilder<Schema, 'cards'>()

const isThere = (eb: Cards): Condition => eb('cards.deleted_at', 'is', null)
/** Moderators, or enough reports, hide a card from all but its owner: also from editors and admins of its workspace. */
const isShown = (eb: Cards): Condition => eb('cards.hidden_at', 'is', null)
const isPublished = (eb: Cards): Condition => eb.and([eb('cards.status', '=', PUBLISHED), isShown(eb)])
const hasPassed = (eb: Cards): Condition => eb('cards.review_status', '=', PASSED)
const isOwn = (eb: Cards, viewerId: ViewerId): Condition => eb('cards.owner_id', '=', viewerId)

const membershipsOf = (eb: Cards, viewerId: ViewerId) =>
  eb.selectFrom('memberships').select('memberships.workspace_id').where('memberships.user_id', '=', viewerId)

function isMember(eb: Cards, viewerId: ViewerId, roles?: readonly Role[]): Condition {
  const memberships = membershipsOf(eb, viewerId)
  return eb(
    'cards.workspace_id',
    'in',
    roles ? memberships.where('memberships.role', 'in', roles) : memberships,
  )
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
 * Everybody may find it, and it was published from a workspace of the viewer: publishing takes it from nobody there.
 * `exists`, because a list of public workspaces leads SQLite through the whole library in place of what went out.
 */
const isPublishedFromTeam = (eb: Cards, viewerId: ViewerId): Condition =>
  eb.and([
    eb('cards.workspace_id', '<>', eb.ref('cards.origin_workspace_id')),
    eb('cards.origin_workspace_id', 'in', membershipsOf(eb, viewerId)),
    isPublished(eb),
    hasPassed(eb),
    eb.exists(
      eb
        .selectFrom('workspaces')
        .select('workspaces.workspace_id')
        .whereRef('workspaces.workspace_id', '=', 'cards.workspace_id')
        .where('workspaces.visibility', '=', 'public'),
    ),
  ])

/** Open to everybody who knows the id, signed in or not. */
export function isOpen(): Condition {
  const eb = cards()
  return eb.and([isThere(eb), isOpenTo(eb, OPEN)])
}

/** What `isOpen` asks, of a row that is there and not hidden. */
export const isOpenRow = (card: {
  status: CardStatus
  review_status: ReviewStatus
  workspace_visibility: Visibility
}): boolean =>
  card.status === PUBLISHED && card.review_status === PASSED && OPEN.includes(card.workspace_visibility)

/** By id: the owner, editors and admins of its workspace, members once it is published, anybody if it is open. */
export function mayRead(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([
    isThere(eb),
    eb.or([
      isOwn(eb, viewerId),
      eb.and([isShown(eb), isMember(eb, viewerId, EDITORS)]),
      eb.and([isPublished(eb), isMember(eb, viewerId)]),
      isOpenTo(eb, OPEN),
    ]),
  ])
}

/** The viewer's own card, and nobody else has written its present version. */
export function isByViewer(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([isOwn(eb, viewerId), eb('cards.edited_by', '=', viewerId)])
}

/** The viewer's own card, or one in a workspace that the viewer is a member of. */
export function isInTeamOf(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.or([isOwn(eb, viewerId), isMember(eb, viewerId)])
}

/** The owner always; editors and admins of the workspace that the card is in. */
export function mayUpdate(viewerId: ViewerId): Condition {
  const eb = cards()
  const isEdited = eb.and([isShown(eb), isMember(eb, viewerId, EDITORS)])
  return eb.and([isThere(eb), eb.or([isOwn(eb, viewerId), isEdited])])
}

const isAdministered = (eb: Cards, viewerId: ViewerId): Condition =>
  eb.or([isOwn(eb, viewerId), eb.and([isShown(eb), isMember(eb, viewerId, ['admin'])])])

/** The owner, and admins of the workspace that the card is in. */
export function mayDelete(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([isThere(eb), isAdministered(eb, viewerId)])
}

/** Those who could delete a card can restore it. This is the one condition for deleted cards. */
export function mayUndelete(viewerId: ViewerId): Condition {
  const eb = cards()
  return eb.and([eb('cards.deleted_at', 'is not', null), isAdministered(eb, viewerId)])
}

/** The trust of a card. Members of the private team that it was published from see it as their own. */
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
/**
 * `own_and_team` is for a search of both at once; `known` adds what was published from a team of the viewer; `team` is
 * what others share there.
 */
export type SearchedScope = CardScope | 'own_and_team' | 'known' | 'team'

/**
 * What search shows. Nobody finds another person's unpublished card, whatever the role.
 * `workspaceIds` narrows every scope (none: no narrowing) and opens nothing: scope workspace is what one is a member of.
 */
export function isListed(
  viewerId: ViewerId,
  scope: SearchedScope,
  workspaceIds: readonly string[] = [],
): Condition {
  const eb = cards()
  if (scope === 'own_and_team')
    return eb.or([
      isListed(viewerId, 'personal', workspaceIds),
      isListed(viewerId, 'workspace', workspaceIds),
    ])
  if (scope === 'known')
    return eb.or([
      isListed(viewerId, 'own_and_team', workspaceIds),
      eb.and([isThere(eb), isPublishedFromTeam(eb, viewerId)]),
    ])
  const conditions = [isThere(eb)]
  if (workspaceIds.length > 0) conditions.push(eb('cards.workspace_id', 'in', workspaceIds))
  if (scope === 'personal') conditions.push(isOwn(eb, viewerId))
  if (scope === 'public') conditions.push(isOpenTo(eb, ['public']))
  if (scope === 'team')
    conditions.push(isPublished(eb), isMember(eb, viewerId), eb('cards.owner_id', '!=', viewerId))
  if (scope === 'workspace')
    conditions.push(eb.or([isPublished(eb), isOwn(eb, viewerId)]), isMember(eb, viewerId))
  return eb.and(conditions)
}

/**
 * What lists and stats show: the same, and in scope workspace also what is open to everybody in the workspaces that are
 * named. A person who knows an unlisted workspace may list its cards. Search does not show them.
 */
export function isBrowsed(viewerId: ViewerId, scope: CardScope, workspaceIds: readonly string[]): Condition {
  const listed = isListed(viewerId, scope, workspaceIds)
  if (scope !== 'workspace' || workspaceIds.length === 0) return listed
  const eb = cards()
  const isNamed = eb('cards.workspace_id', 'in', workspaceIds)
  return eb.or([listed, eb.and([isThere(eb), isNamed, isOpenTo(eb, OPEN)])])
}

/** The viewer finds the card in at least one scope. */
export function mayFind(viewerId: ViewerId): Condition {
  const scopes: CardScope[] = ['personal', 'workspace', 'public']
  return cards().or(scopes.map((scope) => isListed(viewerId, scope)))
}

/** No other card has taken its place. If that card is deleted or hidden, the former one counts as current again. */
export function isCurrent(): Condition {
  const eb = cards()
  return eb.or([eb('cards.superseded_by', 'is', null), eb('cards.successor_gone', '=', 1)])
}
