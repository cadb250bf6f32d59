import type { z } from 'zod'
import { markOf } from '../../core/provenance.ts'
import type { ModerationMattersTable } from '../../db/tables/moderation.ts'
import { containsInstructions } from '../review/find-danger.ts'
import type { MatterRow, OwnMatterRow } from './matters.store.ts'
import type { MatterHead, OwnMatter } from './schemas.ts'

const common = (row: ModerationMattersTable & { is_banning: number | null }) => ({
  matter_id: row.matter_id,
  card_id: row.card_id,
  workspace_id: row.workspace_id,
  cause: row.cause,
  status: row.status,
  revision: row.revision,
  card_version: row.card_version,
  hidden_by_reports: row.hidden_by_reports === 1,
  decision: row.decision,
  reason: row.reason,
  decided_at: row.decided_at,
  ban_publisher: (row.is_banning ?? 0) > 0,
  appeal_note: row.appeal_note,
  appealed_at: row.appealed_at,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const presentOwnMatter = (row: OwnMatterRow, isHidden: boolean): z.input<typeof OwnMatter> => ({
  ...common(row),
  is_hidden: isHidden,
  can_appeal: row.can_appeal === 1 && row.status === 'decided',
})

/** A title, and what was written to moderators, is text of others, here as everywhere. */
export const presentMatter = (row: MatterRow): z.input<typeof MatterHead> => ({
  ...common(row),
  is_hidden: row.hidden_at !== null,
  workspace_name: row.workspace_name,
  title: row.title,
  publisher_id: row.owner_id,
  publisher_name: row.publisher_name,
  reports: row.reports ?? 0,
  provenance: {
    owner: 'public',
    workspace: row.workspace_id,
    reviewed: row.review_status === 'passed',
    ...markOf([row.title, row.appeal_note, row.ask_note].some((text) => containsInstructions(text ?? ''))),
  },
})
