import { inTx, type UserCtx } from '../../core/context.ts'
import { DAY_MS, dayBegan } from '../../core/day.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { CardDraftsTable } from '../../db/tables/mining.ts'
import { tell } from '../notices/tell.ts'
import { chargeText, textBytes } from '../storage/text-usage.ts'
import { cleanCandidate } from './clean-candidate.ts'
import { draftsSince, hasDraft, insertDraft } from './drafts.store.ts'
import { looksLike } from './looks-like.ts'
import { type Candidate, signatureOf } from './rules/candidate.ts'

/** Nobody reads more than this. */
export const DRAFTS_A_DAY = 3
export const DAYS_KEPT = 30

/** Where a candidate comes from. */
export type Origin = { projectKey: string | null; sessionId: string | null; client: string | null }

export type Kept = { draft: CardDraftsTable } | { skipped: 'known' | 'recorded' | 'daily_limit' | 'no_error' }

/** Makes a draft of a candidate, unless the person has one, has written the card, or has reached the limit of the day. */
export async function keepCandidate(ctx: UserCtx, given: Candidate, origin: Origin): Promise<Kept> {
  const { userId } = ctx.viewer
  const candidate = cleanCandidate(given)
  const signature = signatureOf(candidate)
  if (signature === '') return { skipped: 'no_error' }
  // These checks come first, because the search below costs more than both.
  if (await hasDraft(ctx.db, userId, signature)) return { skipped: 'known' }
  const today = dayBegan(ctx.now())
  if ((await draftsSince(ctx.db, userId, today)) >= DRAFTS_A_DAY) return { skipped: 'daily_limit' }
  const like = await looksLike(ctx, candidate, { signature, sessionId: origin.sessionId })
  if (like?.isRecordedSince) return { skipped: 'recorded' }
  const now = ctx.now()
  const draft: CardDraftsTable = {
    draft_id: newId(),
    user_id: userId,
    status: 'open',
    signature,
    candidate: toJson(candidate),
    project_key: origin.projectKey,
    session_id: origin.sessionId,
    client: origin.client,
    looks_like: like?.cardId ?? null,
    card_id: null,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + DAYS_KEPT * DAY_MS).toISOString(),
    decided_at: null,
  }
  return inTx(ctx, async (ctx): Promise<Kept> => {
    if ((await draftsSince(ctx.db, userId, today)) >= DRAFTS_A_DAY) return { skipped: 'daily_limit' }
    if (!(await insertDraft(ctx.db, draft))) return { skipped: 'known' }
    await chargeText(ctx, textBytes('card_drafts', draft))
    await tell({ ...ctx, viewer: null }, { userId, kind: 'drafts.new' })
    return { draft }
  })
}
