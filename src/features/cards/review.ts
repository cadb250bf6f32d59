import type { Ctx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { secretsInEvidencesOf } from './cards.store.ts'
import { type CardContent, secretsInContent } from './content.ts'
import { type FoundSecret, REVIEW_THRESHOLD, type ReviewVerdict, reviewCard } from './review-rules.ts'
import type { CardRow } from './select.ts'

export type Reviewed = ReviewVerdict & { secrets: FoundSecret[] }

/** Reviews a card as it is, or as it is about to become. */
export async function review(
  ctx: Ctx,
  row: Pick<CardRow, 'card_id'>,
  content: CardContent,
  evidenceCount: number,
): Promise<Reviewed> {
  const secrets = [...secretsInContent(content), ...(await secretsInEvidencesOf(ctx.db, row.card_id))]
  return { ...reviewCard({ ...content, evidence_count: evidenceCount, secrets }), secrets }
}

export const reviewColumns = (verdict: ReviewVerdict, now: string) => ({
  review_status: verdict.passed ? ('passed' as const) : ('rejected' as const),
  review_score: verdict.score,
  review_reasons: toJson(verdict.reasons),
  reviewed_at: now,
})

export function qualityRejected({ score, reasons }: ReviewVerdict): AppError {
  const what = reasons.map(({ message }) => message).join(' ')
  return new AppError(400, 'quality_rejected', `The card does not pass the review. ${what}`, {
    reasons,
    score,
    threshold: REVIEW_THRESHOLD,
  })
}

/** Where only secrets stop a card: sharing, and changing what others read already. */
export function refuseSecrets(verdict: Reviewed): void {
  if (verdict.secrets.length === 0) return
  throw qualityRejected({
    ...verdict,
    reasons: verdict.reasons.filter(({ rule }) => rule === 'no_secrets'),
  })
}
