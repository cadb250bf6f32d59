import type { z } from 'zod'
import type { UserCtx } from '../../core/context.ts'
import { fromJson } from '../../db/columns.ts'
import type { CardDraftsTable } from '../../db/tables/mining.ts'
import { readableTitles } from '../cards/titles.ts'
import type { Candidate } from './rules/candidate.ts'
import { draftCard } from './rules/draft-card.ts'
import type { DraftResponse } from './schemas.ts'

export const candidateOf = (row: CardDraftsTable): Candidate => fromJson<Candidate>(row.candidate)

/** Drafts as their owner sees them, without the names of cards that they can no longer read. */
export async function presentDrafts(
  ctx: UserCtx,
  rows: readonly CardDraftsTable[],
): Promise<z.input<typeof DraftResponse>[]> {
  const named = rows.flatMap(({ looks_like }) => (looks_like === null ? [] : [looks_like]))
  const cards = await readableTitles(ctx, named)
  return rows.map((row) => {
    const { environment: _, ...evidence } = candidateOf(row)
    return {
      draft_id: row.draft_id,
      status: row.status,
      ...draftCard(candidateOf(row)),
      evidence,
      looks_like: cards.get(row.looks_like ?? '') ?? null,
      project_key: row.project_key,
      client: row.client,
      card_id: row.card_id,
      created_at: row.created_at,
      expires_at: row.expires_at,
    }
  })
}
