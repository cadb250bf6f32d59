import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { sha256 } from '../../core/crypto.ts'
import { type AppError, afterWriting, conflict, forbidden, invalid } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { requireScope } from '../../core/invoke.ts'
import { Id, LicenceId } from '../../core/schemas.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { WorkspacesTable } from '../../db/schema.ts'
import { contentOf } from '../../shared/card-checks.ts'
import type { Licence } from '../../shared/licences.ts'
import { MAX_PUBLISH_REWARDS_PER_DAY } from '../../shared/reward-limit.ts'
import { dayBegan } from '../../shared/time.ts'
import {
  decodeSketch,
  encodeSketch,
  SIMILAR,
  sketchOf,
  sketchOverlap,
  type TextSketch,
  wordsOf,
} from '../../text/similar.ts'
import { book, hasEarned, mayEarn, PUBLISH_REWARD, timesBooked } from '../credits/index.ts'
import { publishingDisabled, requirePublishing } from '../identity/index.ts'
import {
  policyOf,
  publishingTarget,
  refuseHidden,
  requireMayPublish,
  requireRole,
  roleOf,
} from '../permissions/index.ts'
import { type CardAnswer, CardId, CaseResponse } from './card.ts'
import type { CardRow } from './list.ts'
import { licenceFor, presentCard, publishedColumns, thinShare, thinState } from './present.ts'
import { editableUnmerged, markSuccession, ownUnmerged } from './read.ts'
import {
  publishingRefused,
  refuseUnsafe,
  review,
  reviewAhead,
  reviewColumns,
  withApproval,
} from './review.ts'
import { savedState } from './save.ts'
import { comparedText, refuseDuplicate } from './similar.ts'
import {
  lockCard,
  lockForPublishing,
  lockWithRelated,
  ownCard,
  readableCard,
  refuseOutsider,
  updateCardRow,
} from './store.ts'

/** Returns a hash of the text, ignoring case, spacing and punctuation. */
const fingerprintOf = (row: CardRow): string => sha256(wordsOf(comparedText(row)).join(' '))

/** Returns whether the owner was rewarded for nearly the same text before, even if that card is deleted. */
async function isNearCopy(ctx: UserCtx, ownerId: string, sketch: TextSketch): Promise<boolean> {
  const rewarded = await ctx.db
    .selectFrom('rewarded_texts')
    .select('sketch')
    .where('user_id', '=', ownerId)
    .execute()
  return rewarded.some((row) => sketchOverlap(sketch, decodeSketch(row.sketch)) >= SIMILAR)
}

/**
 * Rewards a card once, and a text of an owner once, so near copies earn nothing. Publications wait for each
 * other, so the daily limit also holds for parallel ones.
 */
async function rewardPublishing(ctx: UserCtx, row: CardRow): Promise<number> {
  const userId = row.owner_id
  if (await hasEarned(ctx, { userId, reason: 'publish_reward', refId: row.card_id })) return 0
  if (!(await mayEarn(ctx, userId))) return 0
  const since = dayBegan(ctx.now())
  const today = await timesBooked(ctx, { userId, reason: 'publish_reward', since })
  if (today >= MAX_PUBLISH_REWARDS_PER_DAY) return 0
  const sketch = sketchOf(comparedText(row))
  if (await isNearCopy(ctx, userId, sketch)) return 0
  const { booked } = await book(ctx, {
    userId,
    delta: PUBLISH_REWARD,
    reason: 'publish_reward',
    cause: `publish:${fingerprintOf(row)}`,
    ref: { type: 'card', id: row.card_id },
  })
  if (!booked) return 0
  await ctx.db
    .insertInto('rewarded_texts')
    .values({
      user_id: userId,
      card_id: row.card_id,
      sketch: encodeSketch(sketch),
      created_at: ctx.now().toISOString(),
    })
    .execute()
  return PUBLISH_REWARD
}

/** Throws if the workspace forbids publishing its cards elsewhere (`allow_publish: false` in its policy). */
async function requirePublishingAllowed(
  ctx: UserCtx,
  row: CardRow,
  detail = 'The policy of this workspace does not allow its cards to be published elsewhere.',
): Promise<void> {
  const workspace = await ctx.db
    .selectFrom('workspaces')
    .select('policy_json')
    .where('workspace_id', '=', row.workspace_id)
    .executeTakeFirstOrThrow()
  if (policyOf(workspace).allowPublish) return
  throw publishingDisabled(detail)
}

type Outcome = { card: CardAnswer } | { refusal: AppError }

/** Adds a missing licence to a card that is already published there; changes nothing else. */
async function licensed(ctx: UserCtx, row: CardRow, licence: Licence | null): Promise<CardAnswer> {
  if (licence === row.licence) return presentCard(row, ctx.now())
  await updateCardRow(ctx.db, row.card_id, { licence, updated_at: ctx.now().toISOString() })
  return savedState(ctx, row.card_id)
}

type Decided = ReturnType<typeof reviewColumns> & { licence: Licence | null }

const changed = (row: CardRow, workspaceId: string) => ({
  cardId: row.card_id,
  workspaceId,
  isJudged: row.trust !== null,
})

async function moveToTarget(
  ctx: UserCtx,
  row: CardRow,
  target: WorkspacesTable,
  decided: Decided,
): Promise<number> {
  const now = ctx.now().toISOString()
  await updateCardRow(ctx.db, row.card_id, {
    status: 'published',
    workspace_id: target.workspace_id,
    published_at: now,
    updated_at: now,
    ...publishedColumns(row, now),
    ...decided,
  })
  await emit(ctx, 'card.published', {
    ...changed(row, target.workspace_id),
    way: 'published',
    fromWorkspaceId: row.workspace_id,
    licence: decided.licence,
  })
  await markSuccession(ctx.db, row.card_id)
  // A pulled card earns nothing, because somebody else wrote it.
  const isRewarded = target.visibility === 'public' && row.origin === null
  return isRewarded ? rewardPublishing(ctx, row) : 0
}

/** Drafts only: the review of a published card decides about its present readers. */
async function keepReview(ctx: UserCtx, cardId: string, reviewed: ReturnType<typeof reviewColumns>) {
  await updateCardRow(ctx.db, cardId, reviewed)
  await savedState(ctx, cardId)
}

type PublishRequest = { targetId: string; licence: Licence | undefined }

async function publish(
  ctx: UserCtx,
  cardId: string,
  { targetId, licence: wanted }: PublishRequest,
): Promise<Outcome> {
  await lockForPublishing(ctx, cardId, targetId)
  const row = await ownUnmerged(ctx, cardId, 'publish')
  await requirePublishing(ctx)
  const target = await publishingTarget(ctx, targetId)
  const isThere = row.workspace_id === target.workspace_id
  const isDone = isThere && row.status === 'published'
  // Publishing again must not choose a licence for a person who did not name one.
  const licence =
    isDone && wanted === undefined ? row.licence : licenceFor(ctx, row, target.visibility, wanted)
  if (isDone)
    return { card: { ...(await licensed(ctx, row, licence)), similar_cards: [], credits_earned: 0 } }
  if (!isThere) await requirePublishingAllowed(ctx, row)
  refuseHidden(row)
  await requireMayPublish(ctx, target)

  const now = ctx.now().toISOString()
  const reviewed = await review(
    ctx,
    { ...row, workspace_id: target.workspace_id },
    contentOf(row),
    row.evidence_count,
  )
  const verdict = await withApproval(ctx, reviewed, row, target)
  if (!verdict.isAccepted) {
    if (row.status === 'unpublished') await keepReview(ctx, cardId, reviewColumns(verdict, now))
    return { refusal: publishingRefused(verdict) }
  }
  const similar_cards = await refuseDuplicate(ctx, row)
  const credits_earned = await moveToTarget(ctx, row, target, { ...reviewColumns(verdict, now), licence })
  const card = await savedState(ctx, cardId)
  return { card: { ...card, similar_cards, credits_earned } }
}

/** Without a licence, because a person chooses it: the tool uses the server's default. */
const PublishTool = CardId.extend({
  target_workspace_id: Id.optional().describe('The public library if left out'),
})

export const publishCard = capability({
  name: 'cards.publish',
  summary: 'Publish a card to the public library, or to another workspace',
  description: `Reviews the card, looks for duplicates, moves it and books the reward in one step. Refusals (400 quality_rejected, 409 duplicate_card) say what to fix and charge nothing. The card stays as it is; after quality_rejected the review of a draft says what was found. The reward is earned once per card and once for the same or nearly the same text, for at most ${MAX_PUBLISH_REWARDS_PER_DAY} cards a day (UTC), only if the target is public and, if mail is configured, only with a confirmed address. Editors of the target read its versions from the move on. The version is given to everybody under a licence that cannot be taken back; 409 licence_fixed names the one that it already has.`,
  scopes: ['publish'],
  rest: ['POST /api/v1/cards/{card_id}/publish', 'POST /api/v1/cases/{case_id}/publish'],
  aliases: { case_id: 'card_id' },
  query: ['target_workspace_id', 'licence'],
  tool: {
    name: 'publish_card',
    description:
      'Publish your own card to the public library, or to target_workspace_id; ask the user first.',
    input: PublishTool,
    thin: thinState,
  },
  input: PublishTool.extend({
    licence: LicenceId.optional().describe(
      'Under which everybody may use it; the default of the server (LIBRARY_LICENCE) if left out',
    ),
  }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: async (ctx, { card_id, target_workspace_id: targetId = PUBLIC_LIBRARY_ID, licence }) => {
    // A refusal is thrown after the transaction, so that a draft keeps its review.
    const outcome = await inTx(ctx, (ctx) => publish(ctx, card_id, { targetId, licence }), SELF_GUARDED)
    if ('refusal' in outcome) throw afterWriting(outcome.refusal)
    return outcome.card
  },
})

const POLICY_HOLDS =
  'The policy of this workspace does not let its cards out, so they cannot be moved either. An admin can change that.'

async function requireMovable(ctx: UserCtx, row: CardRow, targetId: string): Promise<void> {
  if (row.workspace_id !== row.origin_workspace_id)
    throw conflict(
      'card_published',
      'This card is published outside the workspace it came from. Take it back first, then move it.',
    )
  await requirePublishingAllowed(ctx, row, POLICY_HOLDS)
  // Otherwise an editor could move a colleague's card to where its owner is a stranger, and control it.
  if (row.owner_id !== ctx.viewer.userId && !(await roleOf(ctx, targetId, row.owner_id)))
    throw forbidden("Somebody else's card can be moved only to where its owner is a member too.")
}

/** Only in a private team, so that a move alone shows a card to no stranger. */
const staysShared = ({ visibility, type }: WorkspacesTable) => visibility === 'private' && type !== 'personal'

/** Reviews a shared card by the policy of the target team, whose members can read it at once. */
async function reviewedThere(ctx: UserCtx, row: CardRow, workspaceId: string) {
  if (row.status !== 'published') return {}
  const verdict = await review(ctx, { ...row, workspace_id: workspaceId }, contentOf(row), row.evidence_count)
  refuseUnsafe(verdict)
  return reviewColumns(verdict, ctx.now().toISOString())
}

/** Moves a card. Call it in a transaction, after checking that the viewer may write in the target. */
async function moveTo(ctx: UserCtx, row: CardRow, target: WorkspacesTable): Promise<void> {
  const { card_id } = row
  const { workspace_id } = target
  refuseHidden(row)
  await requireMovable(ctx, row, workspace_id)
  if (staysShared(target) && row.status === 'published') await requireMayPublish(ctx, target)
  const reviewed = staysShared(target) ? await reviewedThere(ctx, row, workspace_id) : {}
  await updateCardRow(ctx.db, card_id, {
    workspace_id,
    origin_workspace_id: workspace_id,
    updated_at: ctx.now().toISOString(),
    ...reviewed,
    ...(staysShared(target) ? {} : { status: 'unpublished' as const, published_at: null }),
  })
  await emit(ctx, 'card.moved', { ...changed(row, workspace_id), fromWorkspaceId: row.workspace_id })
  await markSuccession(ctx.db, card_id)
}

export const moveCard = capability({
  name: 'cards.move',
  summary: 'Move a card to another workspace',
  description:
    'For people who may edit the card and are editor or admin in the target. The text, evidence, feedback and owner stay. A shared card stays shared in a private team, after the review that the policy of that team asks for (400 where it says block); in a personal, public or unlisted workspace it arrives unpublished. Not for cards published outside the workspace they came from (409), nor out of a workspace whose policy has allow_publish: false.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/move', 'POST /api/v1/cases/{case_id}/move'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({ workspace_id: Id.describe('Where the card goes') }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: (ctx, { card_id, workspace_id }) =>
    inTx(ctx, async (ctx) => {
      const row = await editableUnmerged(ctx, card_id)
      const { workspace } = await requireRole(ctx, workspace_id, 'editor')
      if (row.workspace_id === workspace_id) return presentCard(row, ctx.now())
      await lockWithRelated(ctx, [card_id])
      await moveTo(ctx, row, workspace)
      return savedState(ctx, card_id)
    }),
})

/** Requires the owner in a public or unlisted workspace, because strangers can read there. */
async function requireLeaveInTheOpen(ctx: UserCtx, row: CardRow): Promise<void> {
  if (row.workspace_visibility === 'private') return
  if (row.owner_id !== ctx.viewer.userId)
    throw forbidden('Only the owner may share a card in a public or unlisted workspace.')
  requireScope(ctx, 'publish')
  await requirePublishing(ctx)
}

async function shareRow(ctx: UserCtx, row: CardRow, isMoved: boolean): Promise<CardAnswer> {
  const { card_id } = row
  if (row.status === 'published' && row.review_status !== 'not_reviewed')
    return isMoved ? savedState(ctx, card_id) : presentCard(row, ctx.now())
  await lockWithRelated(ctx, [card_id])
  refuseOutsider(row)
  await requireLeaveInTheOpen(ctx, row)
  refuseHidden(row)
  await requireMayPublish(ctx, { workspace_id: row.workspace_id, visibility: row.workspace_visibility })
  const verdict = await review(ctx, row, contentOf(row), row.evidence_count)
  refuseUnsafe(verdict)
  const now = ctx.now().toISOString()
  await updateCardRow(ctx.db, card_id, reviewColumns(verdict, now))
  if (row.status === 'published') return savedState(ctx, card_id)
  await updateCardRow(ctx.db, card_id, {
    status: 'published',
    published_at: now,
    updated_at: now,
    ...publishedColumns(row, now),
  })
  await emit(ctx, 'card.published', {
    ...changed(row, row.workspace_id),
    way: 'shared',
    fromWorkspaceId: row.workspace_id,
    licence: null,
  })
  await markSuccession(ctx.db, card_id)
  return savedState(ctx, card_id)
}

async function takeBack(ctx: UserCtx, row: CardRow): Promise<void> {
  await updateCardRow(ctx.db, row.card_id, {
    status: 'unpublished',
    workspace_id: row.origin_workspace_id,
    published_at: null,
    updated_at: ctx.now().toISOString(),
  })
  await emit(ctx, 'card.unpublished', changed(row, row.workspace_id))
  await markSuccession(ctx.db, row.card_id)
}

async function broughtTo(ctx: UserCtx, row: CardRow, workspaceId: string): Promise<CardRow> {
  const { workspace } = await requireRole(ctx, workspaceId, 'editor')
  if (workspace.type === 'personal')
    throw invalid(
      'workspace_id',
      'Nobody else is in a personal workspace. Name a team; kvault workspaces and GET /api/v1/workspaces list yours',
    )
  if (row.workspace_id === workspaceId) return row
  await lockWithRelated(ctx, [row.card_id])
  let own = row
  if (row.workspace_id !== row.origin_workspace_id) {
    requireScope(ctx, 'publish')
    await takeBack(ctx, await ownCard(ctx, row.card_id, 'take back'))
    own = await readableCard(ctx, row.card_id)
  }
  if (own.workspace_id !== workspaceId) {
    requireScope(ctx, 'case:write')
    await moveTo(ctx, own, workspace)
  }
  return readableCard(ctx, row.card_id)
}

export const shareCard = capability({
  name: 'cards.share',
  summary: 'Share a card inside its workspace, or in another one',
  description:
    'Members of the workspace can then read and find it. With workspace_id it is moved there first, in the same step: that needs the role editor or admin there and the scope case:write, and a card that is published elsewhere is taken back by it, which needs publish. Without, it is not moved. It earns nothing. No review stands in the way, but strangers see a card in a public or unlisted workspace only once it has passed one, and there only its owner may share it, with the scope publish and while publishing is enabled in the user settings. A card that seems to hold a secret is refused, and in a public or unlisted workspace one that is dangerous to its readers. Sharing a shared card changes nothing.',
  scopes: ['record'],
  rest: ['POST /api/v1/cards/{card_id}/share', 'POST /api/v1/cases/{case_id}/share'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'share_card',
    description: "Let the members of a card's workspace find and read it.",
    idempotent: true,
    input: CardId,
    thin: thinShare,
  },
  input: CardId.extend({
    workspace_id: Id.optional().describe('The team to share it with; left out: where it is'),
  }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: (ctx, { card_id, workspace_id }) =>
    inTx(ctx, async (ctx) => {
      const row = await editableUnmerged(ctx, card_id)
      const there = workspace_id === undefined ? row : await broughtTo(ctx, row, workspace_id)
      return shareRow(ctx, there, there !== row)
    }),
})

export const unpublishCard = capability({
  name: 'cards.unpublish',
  summary: 'Take a card back: it is unpublished, in the workspace it came from',
  description:
    'For the owner, even while publishing is disabled in the user settings. Credits stay as they are; publishing it again earns nothing.',
  scopes: ['publish'],
  rest: ['POST /api/v1/cards/{card_id}/unpublish', 'POST /api/v1/cases/{case_id}/unpublish'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'unpublish_card',
    description: 'Take back a card that you shared or published; not a deletion.',
    idempotent: true,
    thin: thinState,
  },
  input: CardId,
  output: CaseResponse,
  errors: [404, 412],
  run: (ctx, { card_id }) =>
    inTx(
      ctx,
      async (ctx) => {
        await lockCard(ctx, card_id)
        const row = await ownCard(ctx, card_id, 'unpublish')
        if (row.status === 'unpublished') return presentCard(row, ctx.now())
        await takeBack(ctx, row)
        return savedState(ctx, card_id)
      },
      SELF_GUARDED,
    ),
})
