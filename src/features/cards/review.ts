import type { Ctx, UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import { policyOf } from '../permissions/policy.ts'
import { type DangerPolicy, dangerPolicy, FIXED_POLICY } from '../review/policy.ts'
import { isClearedFor } from '../sanctions/sanctions.ts'
import {
  findCard,
  readingRoom,
  reviewedEvidences,
  secretsInEvidencesOf,
  withReadMeta,
} from './cards.store.ts'
import {
  type CardContent,
  columnsOf,
  contentOf,
  secretsInCites,
  secretsInContent,
  secretsInEvidences,
  writtenCites,
} from './content.ts'
import { dangerInCard, dangerReason, type FoundDanger } from './danger.ts'
import {
  type FoundSecret,
  REVIEW_THRESHOLD,
  type ReviewReason,
  type ReviewVerdict,
  reviewCard,
} from './review-rules.ts'
import type { EvidenceInput } from './schemas.ts'
import type { CardRow } from './select.ts'
import { type Repeated, repeatsWithdrawn, WITHDRAWN_RULE, withdrawnReason } from './withdrawn-texts.ts'

/** `passed` decides what strangers see. It follows the rules that no policy changes. */
export type Reviewed = ReviewVerdict & {
  secrets: FoundSecret[]
  /** Whether the policy of this workspace accepts the card. */
  isAccepted: boolean
  /** The rules of danger that keep the card from its readers. */
  blocking: ReadonlySet<string>
}

type Room = { policy: DangerPolicy; isOpen: boolean }

/** What a workspace's policy says about danger. The public library follows the rules alone. */
async function roomOf(ctx: Ctx, workspaceId: string): Promise<Room> {
  if (workspaceId === PUBLIC_LIBRARY_ID) return { policy: FIXED_POLICY, isOpen: true }
  const workspace = await readingRoom(ctx.db, workspaceId)
  const { dangerRules, downloadHosts } = policyOf(workspace)
  const isPlain = Object.keys(dangerRules).length === 0 && downloadHosts.length === 0
  return {
    policy: isPlain ? FIXED_POLICY : dangerPolicy(dangerRules, downloadHosts),
    isOpen: workspace.visibility !== 'private',
  }
}

const isBlock = ({ severity }: FoundDanger) => severity === 'block'

/**
 * Reviews a card as it is, or as it is about to become, for its readers in this workspace. `former` is what it said before
 * a change.
 */
export async function review(
  ctx: Ctx,
  row: Pick<CardRow, 'workspace_id' | 'cites' | 'cites_are_written'> & Repeated,
  content: CardContent,
  evidenceCount: number,
  former?: CardContent,
): Promise<Reviewed> {
  const cites = writtenCites(row)
  const secrets = [
    ...(await secretsInContent(ctx.work, content)),
    ...(await secretsInCites(ctx.work, cites)),
    ...(await secretsInEvidencesOf(ctx.db, row.card_id)),
  ]
  const { policy, isOpen } = await roomOf(ctx, row.workspace_id)
  const stored = evidenceCount === 0 ? [] : await reviewedEvidences(ctx.db, row.card_id)
  const evidences = stored.map(withReadMeta)
  const danger = await dangerInCard(ctx.work, { ...content, cites }, evidences, policy)
  const isFixed = policy === FIXED_POLICY
  const forStrangers = isFixed
    ? danger
    : await dangerInCard(ctx.work, { ...content, cites }, evidences, FIXED_POLICY)
  const verdict = ctx.work.measure(() => reviewCard({ ...content, evidence_count: evidenceCount, secrets }))
  const blocked = danger.filter(isBlock)
  const isRepeated = await repeatsWithdrawn(ctx, row, content, former)
  const isAccepted = verdict.passed && blocked.length === 0 && !(isRepeated && isOpen)
  return {
    ...verdict,
    passed: isAccepted && !isRepeated && !forStrangers.some(isBlock),
    isAccepted,
    reasons: [...verdict.reasons, ...danger.map(dangerReason), ...(isRepeated ? [withdrawnReason()] : [])],
    secrets,
    // The members of a private team trust each other, unless their policy says `block`.
    blocking: new Set([
      ...blocked.filter(({ rule }) => isOpen || policy.severities[rule] === 'block').map(({ rule }) => rule),
      ...(isRepeated && isOpen ? [WITHDRAWN_RULE] : []),
    ]),
  }
}

/** Reviewing a card of fewer characters keeps nobody waiting. */
const SHORT_CARD = 50_000

const lengthOf = (content: CardContent): number =>
  Object.values(columnsOf(content)).reduce<number>((sum, text) => sum + (text?.length ?? 0), 0)

/**
 * Does the long work of a review before a transaction, in pieces: `review` then has only texts to look at that have changed
 * meanwhile. For a card that the viewer may change; anybody else is refused later.
 */
export async function reviewAhead(
  ctx: UserCtx,
  cardId: string,
  change: Partial<CardContent> = {},
  added: readonly EvidenceInput[] = [],
): Promise<void> {
  const row = await findCard(ctx.db, ctx.viewer.userId, cardId)
  if (row?.may_update !== 1) return
  const content = { ...contentOf(row), ...change }
  if (row.evidence_count === 0 && added.length === 0 && lengthOf(content) < SHORT_CARD) return
  await secretsInEvidences(ctx.work, added, row.evidence_count)
  const { policy } = await roomOf(ctx, row.workspace_id)
  await dangerInCard(ctx.work, content, added, policy)
  await review(ctx, row, content, row.evidence_count)
}

const isBlockedCite = ({ field, severity }: ReviewReason) =>
  severity === 'block' && field?.startsWith('cites.') === true

/**
 * Moderators have looked and let it pass. A secret passes nobody, nor do cites, which can change without a new version;
 * and what a private team lets pass has not passed for strangers, who would read it if the team were opened.
 */
const cleared = (reviewed: Reviewed, visibility: 'private' | 'unlisted' | 'public'): Reviewed =>
  reviewed.secrets.length > 0 || reviewed.reasons.some(isBlockedCite)
    ? reviewed
    : { ...reviewed, passed: visibility !== 'private', isAccepted: true, blocking: new Set() }

/** The review, or the decision of moderators about this very version, where the review refuses it. */
export const orCleared = async (
  ctx: Ctx,
  reviewed: Reviewed,
  card: Pick<CardRow, 'card_id' | 'version'>,
  target: Parameters<typeof isClearedFor>[2],
): Promise<Reviewed> =>
  !reviewed.isAccepted && (await isClearedFor(ctx, card, target))
    ? cleared(reviewed, target.visibility)
    : reviewed

export const reviewColumns = (verdict: ReviewVerdict, now: string) => ({
  review_status: verdict.passed ? ('passed' as const) : ('rejected' as const),
  review_score: verdict.score,
  review_reasons: toJson(verdict.reasons),
  reviewed_at: now,
})

export function qualityRejected({ score, reasons }: ReviewVerdict): AppError {
  const what = [...new Set(reasons.map(({ message }) => message))].join(' ')
  return new AppError(400, 'quality_rejected', `The card does not pass the review. ${what}`, {
    reasons,
    score,
    threshold: REVIEW_THRESHOLD,
  })
}

/** Sharing a card, and changing a shared one, needs no passed review: only secrets and danger stop it. */
export function refuseUnsafe(verdict: Reviewed): void {
  if (verdict.secrets.length === 0 && verdict.blocking.size === 0) return
  throw qualityRejected({
    ...verdict,
    reasons: verdict.reasons.filter(
      ({ rule, severity }) => rule === 'no_secrets' || (severity === 'block' && verdict.blocking.has(rule)),
    ),
  })
}
