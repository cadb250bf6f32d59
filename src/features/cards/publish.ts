import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { type AppError, afterWriting } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { LicenceId } from '../../core/licence-id.ts'
import type { Licence } from '../../core/licences.ts'
import { Id } from '../../core/schemas.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { publishingDisabled, requirePublishing } from '../identity/users/publishing-setting.ts'
import { publishingTarget } from '../permissions/permission.ts'
import { policyOf } from '../permissions/policy.ts'
import { refuseHidden, requireMayPublish } from '../sanctions/sanctions.ts'
import { updateCardRow } from './cards.store.ts'
import { contentOf } from './content.ts'
import { presentCard } from './present.ts'
import { licenceFor, publishedColumns } from './publication.ts'
import { holdForPublishing } from './publish.store.ts'
import { orCleared, qualityRejected, review, reviewAhead, reviewColumns } from './review.ts'
import { rewardPublishing } from './reward.ts'
import { MAX_PUBLISH_REWARDS_PER_DAY } from './reward-limit.ts'
import { savedState } from './saved.ts'
import { type CardAnswer, CardId, CaseResponse } from './schemas.ts'
import type { CardRow } from './select.ts'
import { refuseDuplicate } from './similar.ts'
import { markSuccession } from './succession-mark.ts'
import { thinState } from './thin.ts'
import { ownUnmerged } from './unmerged-card.ts'

/** A workspace may forbid publishing its cards elsewhere (`allow_publish: false` in its policy). */
export async function requireLeave(
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

/** A card that is there already gets the licence that it lacks, and nothing else. */
async function licensed(ctx: UserCtx, row: CardRow, licence: Licence | null): Promise<CardAnswer> {
  if (licence === row.licence) return presentCard(row, ctx.now())
  await updateCardRow(ctx.db, row.card_id, { licence, updated_at: ctx.now().toISOString() })
  return savedState(ctx, row.card_id)
}

type Decided = ReturnType<typeof reviewColumns> & { licence: Licence | null }

/** Moves an accepted card to its readers. Answers the credits earned. */
async function bringThere(
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
  await emit(ctx, 'card.audience_changed', { cardId: row.card_id, isJudged: row.trust !== null })
  await markSuccession(ctx.db, row.card_id)
  // Passing on what somebody else wrote earns nothing.
  const isRewarded = target.visibility === 'public' && row.origin === null
  await audit(ctx, {
    action: 'card.published',
    subject: { type: 'card', id: row.card_id },
    workspaceId: target.workspace_id,
    details: {
      from_workspace_id: row.workspace_id,
      ...(decided.licence ? { licence: decided.licence } : {}),
    },
  })
  return isRewarded ? rewardPublishing(ctx, row) : 0
}

/** For a draft only: the review of a published card decides about its present readers, and this one is for others. */
async function keepReview(ctx: UserCtx, cardId: string, reviewed: ReturnType<typeof reviewColumns>) {
  await updateCardRow(ctx.db, cardId, reviewed)
  await savedState(ctx, cardId)
}

type Wish = { targetId: string; licence: Licence | undefined }

async function publish(ctx: UserCtx, cardId: string, { targetId, licence: wanted }: Wish): Promise<Outcome> {
  await holdForPublishing(ctx, cardId, targetId)
  const row = await ownUnmerged(ctx, cardId, 'publish')
  await requirePublishing(ctx)
  const target = await publishingTarget(ctx, targetId)
  const isThere = row.workspace_id === target.workspace_id
  const isDone = isThere && row.status === 'published'
  // Nobody is taken to have chosen a licence by asking for what is done already.
  const licence =
    isDone && wanted === undefined ? row.licence : licenceFor(ctx, row, target.visibility, wanted)
  if (isDone)
    return { card: { ...(await licensed(ctx, row, licence)), similar_cards: [], credits_earned: 0 } }
  if (!isThere) await requireLeave(ctx, row)
  refuseHidden(row)
  await requireMayPublish(ctx, target)

  const now = ctx.now().toISOString()
  const reviewed = await review(
    ctx,
    { ...row, workspace_id: target.workspace_id },
    contentOf(row),
    row.evidence_count,
  )
  const verdict = await orCleared(ctx, reviewed, row, target)
  if (!verdict.isAccepted) {
    if (row.status === 'unpublished') await keepReview(ctx, cardId, reviewColumns(verdict, now))
    return { refusal: qualityRejected(verdict) }
  }
  const similar_cards = await refuseDuplicate(ctx, row)
  const credits_earned = await bringThere(ctx, row, target, { ...reviewColumns(verdict, now), licence })
  const card = await savedState(ctx, cardId)
  return { card: { ...card, similar_cards, credits_earned } }
}

/** A person chooses a licence, so the tool leaves the choice to the server's default. */
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
    // A refusal is thrown after the transaction: a draft keeps its review, and nothing else has changed.
    const outcome = await inTx(ctx, (ctx) => publish(ctx, card_id, { targetId, licence }), SELF_GUARDED)
    if ('refusal' in outcome) throw afterWriting(outcome.refusal)
    return outcome.card
  },
})
