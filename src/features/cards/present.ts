import { fromJson, fromJsonOrNull } from '../../db/columns.ts'
import type { CardEvidencesTable } from '../../db/tables/cards.ts'
import { trackOf } from './card-type.ts'
import { contentOf } from './content.ts'
import type { ReviewReason } from './review-rules.ts'
import type { CardAnswer } from './schemas.ts'
import type { CardRow } from './select.ts'

type Counts = Pick<CardRow, 'feedback_useful' | 'feedback_not_applicable' | 'feedback_outdated'>

export const feedbackOf = (row: Counts) => ({
  useful: row.feedback_useful,
  not_applicable: row.feedback_not_applicable,
  outdated: row.feedback_outdated,
})

/** More people found it outdated than useful: every answer that shows the card says so. */
export const isLikelyOutdated = (row: Counts): boolean => row.feedback_outdated > row.feedback_useful

export const provenanceOf = (row: Pick<CardRow, 'whose' | 'workspace_id' | 'review_status'>) => ({
  owner: row.whose,
  workspace: row.workspace_id,
  reviewed: row.review_status === 'passed',
})

export const presentCard = (row: CardRow): CardAnswer => ({
  card_id: row.card_id,
  case_id: row.card_id,
  workspace_id: row.workspace_id,
  origin_workspace_id: row.origin_workspace_id,
  owner_id: row.owner_id,
  owner_name: row.owner_name,
  provenance: provenanceOf(row),
  track: trackOf(row.card_type),
  status: row.status,
  version: row.version,
  ...contentOf(row),
  evidence_count: row.evidence_count,
  review: {
    status: row.review_status,
    score: row.review_score,
    reasons: fromJson<ReviewReason[]>(row.review_reasons),
    reviewed_at: row.reviewed_at,
  },
  feedback: feedbackOf(row),
  likely_outdated: isLikelyOutdated(row),
  can_edit: row.may_update === 1,
  created_at: row.created_at,
  updated_at: row.updated_at,
  published_at: row.published_at,
})

export const presentEvidence = (row: CardEvidencesTable) => ({
  evidence_id: row.evidence_id,
  kind: row.kind,
  content: row.content,
  meta: fromJsonOrNull<Record<string, unknown>>(row.meta),
  added_by: row.added_by,
  created_at: row.created_at,
})
