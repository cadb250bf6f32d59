import type { OutputOf } from '#server/core/capability.ts'
import type { writeCites as WriteCites } from '#server/features/trust/card-cites.ts'
import type {
  linkCards as LinkCards,
  listLinks as ListLinks,
  unlinkCards as UnlinkCards,
} from '#server/features/trust/links.ts'
import type { mergeCard as MergeCard, unmergeCard as UnmergeCard } from '#server/features/trust/merge.ts'
import type { reviewQueue as ReviewQueue } from '#server/features/trust/review-queue.ts'
import type {
  listVerdicts as ListVerdicts,
  verifyCard as VerifyCard,
  withdrawVerdicts as WithdrawVerdicts,
} from '#server/features/trust/verdicts.ts'
import { call } from './client.ts'

export const verifyCard = call<typeof VerifyCard>('POST /api/v1/cards/{card_id}/verdicts')
export const listVerdicts = call<typeof ListVerdicts>('GET /api/v1/cards/{card_id}/verdicts')
export const withdrawVerdicts = call<typeof WithdrawVerdicts>('DELETE /api/v1/cards/{card_id}/verdicts')
export const writeCites = call<typeof WriteCites>('PUT /api/v1/cards/{card_id}/cites')
export const linkCards = call<typeof LinkCards>('POST /api/v1/cards/{card_id}/links')
export const listLinks = call<typeof ListLinks>('GET /api/v1/cards/{card_id}/links')
export const unlinkCards = call<typeof UnlinkCards>('DELETE /api/v1/cards/{card_id}/links/{link_id}')
export const mergeCard = call<typeof MergeCard>('POST /api/v1/cards/{card_id}/merge')
export const unmergeCard = call<typeof UnmergeCard>('DELETE /api/v1/cards/{card_id}/merge')
export const reviewQueue = call<typeof ReviewQueue>('GET /api/v1/cards/review-queue')
export type ReviewItem = OutputOf<typeof ReviewQueue>['items'][number]
