import { setTimeout as sleep } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { CardsTable } from '../../db/knowledge-schema.ts'
import { type DangerPolicy, dangerPolicy, FIXED_POLICY } from '../../review/find-danger.ts'
import {
  columnsOf,
  contentOf,
  contentOfVersion,
  dangerInCard,
  dangerReason,
  type FoundDanger,
  type FoundSecret,
  REVIEW_RULES,
  REVIEW_THRESHOLD,
  type ReviewReason,
  type ReviewVerdict,
  reviewCard,
  secretsInCites,
  secretsInContent,
  secretsInEvidences,
  writtenCites,
} from '../../shared/card-checks.ts'
import type { CardContent } from '../../shared/card-fields.ts'
import { isClearedFor, policyOf, roleIn } from '../permissions/index.ts'
import type { EvidenceInput } from './card.ts'
import { refilterCards } from './card-index.ts'
import type { CardRow } from './list.ts'
import { presentEvidence } from './present.ts'
import { markSuccession } from './read.ts'
import { type Repeated, repeatsWithdrawn, WITHDRAWN_RULE, withdrawnReason } from './similar.ts'
import {
  contributorFor,
  type EvidenceRow,
  findCard,
  findVersions,
  readingRoom,
  reviewedEvidences,
  secretsInEvidencesOf,
  updateCardRow,
  withReadMeta,
} from './store.ts'

/** `passed` decides what strangers see. It follows the rules that no policy changes. */
export type Reviewed = ReviewVerdict & {
  secrets: FoundSecret[]
  isAccepted: boolean
  blocking: ReadonlySet<string>
}

type Room = { policy: DangerPolicy; isOpen: boolean }

/** Returns what a workspace's policy says about danger. The public library has no policy of its own. */
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

/** Reviews a card for its readers in this workspace. `former` is the content before a change. */
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

/** Shorter cards are reviewed fast enough inside the transaction. */
const SHORT_CARD = 50_000

const lengthOf = (content: CardContent): number =>
  Object.values(columnsOf(content)).reduce<number>((sum, text) => sum + (text?.length ?? 0), 0)

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
 * Secrets and cites are never let pass, as cites change without a version. What a private team lets pass does
 * not pass for strangers, who may read it later.
 */
const cleared = (reviewed: Reviewed, visibility: 'private' | 'unlisted' | 'public'): Reviewed =>
  reviewed.secrets.length > 0 || reviewed.reasons.some(isBlockedCite)
    ? reviewed
    : { ...reviewed, passed: visibility !== 'private', isAccepted: true, blocking: new Set() }

/** Returns the review, or the moderators' decision about this version if the review refuses it. */
export const withApproval = async (
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

function qualityRejected({ score, reasons }: ReviewVerdict): AppError {
  const what = [...new Set(reasons.map(({ message }) => message))].join(' ')
  return new AppError(400, 'quality_rejected', `The card does not pass the review. ${what}`, {
    reasons,
    score,
    threshold: REVIEW_THRESHOLD,
  })
}

const HARD_RULES = new Set(REVIEW_RULES.filter(({ hard }) => hard).map(({ id }) => id))

/** Returns the refusal of a publication, with only what refuses it: advice and marks for readers are no reason. */
export function publishingRefused(verdict: Reviewed): AppError {
  const isWeak = verdict.score < REVIEW_THRESHOLD || verdict.reasons.some(({ rule }) => HARD_RULES.has(rule))
  return qualityRejected({
    ...verdict,
    reasons: verdict.reasons.filter(
      ({ rule, severity }) =>
        severity === 'block' || rule === WITHDRAWN_RULE || (severity === undefined && isWeak),
    ),
  })
}

/** Refuses secrets and danger. Sharing a card, and changing a shared one, needs no passed review otherwise. */
export function refuseUnsafe(verdict: Reviewed): void {
  if (verdict.secrets.length === 0 && verdict.blocking.size === 0) return
  throw qualityRejected({
    ...verdict,
    reasons: verdict.reasons.filter(
      ({ rule, severity }) => rule === 'no_secrets' || (severity === 'block' && verdict.blocking.has(rule)),
    ),
  })
}

/** Small batches, because SQLite has one writer at a time. */
const BATCH = 25
const PAUSE_MS = 5

const reviewSome = (ctx: Ctx): Promise<number> =>
  inTx(ctx, async (ctx) => {
    const rows = await ctx.db
      .selectFrom('cards')
      .selectAll()
      .where('status', '=', 'published')
      .where('review_status', '=', 'not_reviewed')
      .where('deleted_at', 'is', null)
      .orderBy('card_id')
      .limit(BATCH)
      .execute()
    const now = ctx.now().toISOString()
    const reviewed = []
    for (const row of rows) {
      const columns = reviewColumns(await review(ctx, row, contentOf(row), row.evidence_count), now)
      await updateCardRow(ctx.db, row.card_id, columns)
      reviewed.push({ ...row, ...columns })
    }
    if (reviewed.length > 0) await refilterCards(ctx, reviewed)
    return reviewed.length
  })

export async function reviewSharedCards(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await reviewSome(ctx)) === BATCH) await sleep(PAUSE_MS)
}

/** Reads and changes cards for moderators. `features/moderation` decides who may moderate what. */

export type ModeratedCard = Selectable<CardsTable>

/** Finds a card without checking permissions. Deleted cards are not found. */
export const findAnyCard = (ctx: Ctx, cardId: string): Promise<ModeratedCard | undefined> =>
  ctx.db
    .selectFrom('cards')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** Finds a card without checking permissions, including a deleted one that can be restored. */
export const findCardOrDeleted = (ctx: Ctx, cardId: string): Promise<ModeratedCard | undefined> =>
  ctx.db.selectFrom('cards').selectAll().where('card_id', '=', cardId).executeTakeFirst()

type VersionHead = { version: number; changed_at: string; changed_fields: string[] }

export async function versionsForModerators(
  ctx: Ctx,
  card: ModeratedCard,
  { first, last, chosen }: { first: number; last: number; chosen: number },
): Promise<{ versions: VersionHead[]; content: CardContent | undefined }> {
  const former = await findVersions(ctx.db, card.card_id, {
    from: Math.min(last, card.version - 1),
    to: first,
  })
  const present = { version: card.version, edited_at: card.edited_at, edited_fields: card.edited_fields }
  const all = last >= card.version ? [present, ...former] : former
  const kept = former.find((row) => row.version === chosen)
  return {
    versions: all.map((row) => ({
      version: row.version,
      changed_at: row.edited_at,
      changed_fields: fromJson<string[]>(row.edited_fields),
    })),
    content: chosen === card.version ? contentOf(card) : kept && contentOfVersion(kept.content),
  }
}

async function namedFor(ctx: UserCtx, card: ModeratedCard) {
  const viewer_role = (await roleIn(ctx, card.workspace_id)) ?? null
  const seen = { ...card, viewer_role, team_id: null, known_since: card.seen_since }
  return (row: EvidenceRow) => ({
    ...presentEvidence(row),
    added_by: contributorFor(ctx, seen, { by: row.added_by, at: row.created_at }),
  })
}

export async function lookedAt(ctx: UserCtx, card: ModeratedCard, version: number, content: CardContent) {
  const all = await reviewedEvidences(ctx.db, card.card_id)
  const evidences = all.filter((row) => row.added_in_version <= version)
  const cites = writtenCites(card)
  const danger = await dangerInCard(
    ctx.work,
    { ...content, cites },
    evidences.map(withReadMeta),
    FIXED_POLICY,
  )
  return { evidences: evidences.map(await namedFor(ctx, card)), cites, findings: danger.map(dangerReason) }
}

async function change(ctx: Ctx, card: ModeratedCard, columns: Partial<ModeratedCard>): Promise<void> {
  await updateCardRow(ctx.db, card.card_id, columns)
  await markSuccession(ctx.db, card.card_id)
  // A deleted card is indexed when it is restored.
  if (card.deleted_at !== null) return
  await refilterCards(ctx, [{ ...card, ...columns }])
  ctx.mustSee(card.owner_id)
}

export const hideCard = (ctx: Ctx, card: ModeratedCard): Promise<void> =>
  change(ctx, card, { hidden_at: card.hidden_at ?? ctx.now().toISOString() })

export const showCard = (ctx: Ctx, card: ModeratedCard): Promise<void> =>
  change(ctx, card, { hidden_at: null })

/** Moves the card back to its former workspace, hidden from everybody but its owner. */
export const takeCardOut = (ctx: Ctx, card: ModeratedCard): Promise<void> => {
  const now = ctx.now().toISOString()
  return change(ctx, card, {
    hidden_at: card.hidden_at ?? now,
    status: 'unpublished',
    published_at: null,
    workspace_id: card.origin_workspace_id,
    updated_at: now,
  })
}
