import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { Page } from '../../core/schemas.ts'
import type { CardDraftsTable, DraftStatus } from '../../db/tables/mining.ts'
import { cleanOptional, Findings } from '../redaction/stored.ts'
import { countDrafts, decideDraft, findDraft, listDraftsOf } from './drafts.store.ts'
import { DAYS_KEPT, DRAFTS_A_DAY, keepCandidate } from './keep.ts'
import { presentDrafts } from './present.ts'
import { DraftId, DraftListResponse, DraftResponse, DraftsMade, DraftsOffer } from './schemas.ts'

export async function requireDraft(ctx: UserCtx, draftId: string): Promise<CardDraftsTable> {
  const now = ctx.now().toISOString()
  const row = await findDraft(ctx.db, { userId: ctx.viewer.userId, draftId, now })
  if (!row) throw notFound('Draft', `A draft is kept for ${DAYS_KEPT} days.`)
  return row
}

/** The message says what to do next, depending on the state. */
export function refuseDecided({ status, card_id }: CardDraftsTable): void {
  if (status === 'accepted')
    throw conflict('draft_decided', `This draft is already accepted; its card is ${card_id}.`, { card_id })
  if (status === 'dismissed')
    throw conflict('draft_decided', 'This draft is dismissed. Reopen it first.', { card_id: null })
}

export const listDrafts = capability({
  name: 'drafts.list',
  summary: 'Drafts of cards that were found in your own work, newest first',
  description: `A command that failed, changes, and the same command succeeding make a draft: at most ${DRAFTS_A_DAY} a day, kept for ${DAYS_KEPT} days. Nobody but you sees them, no search finds them, and none becomes a card by itself.`,
  scopes: ['record'],
  rest: ['GET /api/v1/drafts'],
  input: z.object({ status: z.enum(['open', 'accepted', 'dismissed']).default('open'), ...Page }),
  output: DraftListResponse,
  run: async (ctx, { status, page, page_size }) => {
    const asked = { userId: ctx.viewer.userId, status, now: ctx.now().toISOString() }
    const total = await countDrafts(ctx.db, asked)
    const at = { limit: page_size, offset: (page - 1) * page_size }
    const items = await presentDrafts(ctx, await listDraftsOf(ctx.db, asked, at))
    return { items, total, page, page_size }
  },
})

export const getDraft = capability({
  name: 'drafts.get',
  summary: 'One draft with its evidence',
  scopes: ['record'],
  rest: ['GET /api/v1/drafts/{draft_id}'],
  input: DraftId,
  output: DraftResponse,
  errors: [404],
  run: async (ctx, { draft_id }) => {
    const [draft] = await presentDrafts(ctx, [await requireDraft(ctx, draft_id)])
    if (!draft) throw notFound('Draft')
    return draft
  },
})

export const offerDrafts = capability({
  name: 'drafts.offer',
  summary: 'Send what was found in old sessions; the best become drafts',
  description: `The best first. Secrets are replaced by placeholders. After ${DRAFTS_A_DAY} drafts a day a candidate is skipped and may be sent again.`,
  scopes: ['record'],
  rest: ['POST /api/v1/drafts'],
  maxBodyBytes: 1024 * 1024,
  errors: [413],
  input: DraftsOffer,
  output: DraftsMade,
  run: async (ctx, { candidates, project_key, session_id, client }) => {
    // The key of a project may be a remote address with a token in it.
    const findings = new Findings()
    const origin = {
      projectKey: cleanOptional(project_key, findings),
      sessionId: cleanOptional(session_id, findings),
      client: cleanOptional(client, findings),
    }
    const results: z.input<typeof DraftsMade>['results'] = []
    for (const candidate of candidates) {
      const kept = await keepCandidate(ctx, candidate, origin)
      const made = 'draft' in kept
      results.push({
        draft_id: made ? kept.draft.draft_id : null,
        skipped: made ? null : kept.skipped,
      })
    }
    return { results, made: results.filter(({ draft_id }) => draft_id !== null).length }
  },
})

const decide = (ctx: UserCtx, draftId: string, from: DraftStatus, to: DraftStatus): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const row = await requireDraft(ctx, draftId)
    if (row.status === to) return
    if (row.status !== from) refuseDecided(row)
    const decided_at = to === 'open' ? null : ctx.now().toISOString()
    await decideDraft(ctx.db, row, { status: to, card_id: null, decided_at })
  })

export const dismissDraft = capability({
  name: 'drafts.dismiss',
  summary: 'Dismiss a draft; the same error makes no other one',
  scopes: ['record'],
  rest: ['POST /api/v1/drafts/{draft_id}/dismiss'],
  status: 204,
  input: DraftId,
  output: z.void(),
  errors: [404, 409],
  run: (ctx, { draft_id }) => decide(ctx, draft_id, 'open', 'dismissed'),
})

export const reopenDraft = capability({
  name: 'drafts.reopen',
  summary: 'Reopen a dismissed draft',
  scopes: ['record'],
  rest: ['POST /api/v1/drafts/{draft_id}/reopen'],
  status: 204,
  input: DraftId,
  output: z.void(),
  errors: [404, 409],
  run: (ctx, { draft_id }) => decide(ctx, draft_id, 'dismissed', 'open'),
})
