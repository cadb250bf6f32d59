import type {
  deleteCard as deleteCapability,
  undeleteCard as undeleteCapability,
} from '#server/features/cards/delete.ts'
import type { cardStats as statsCapability } from '#server/features/cards/list.ts'
import type {
  moveCard as moveCapability,
  publishCard as publishCapability,
  shareCard as shareCapability,
  unpublishCard as unpublishCapability,
} from '#server/features/cards/publish.ts'
import type { getCard as getCapability, listCases } from '#server/features/cards/read.ts'
import type {
  cardHistory as historyCapability,
  recordCard as recordCapability,
  restoreCard as restoreCapability,
  updateCard as updateCapability,
  cardVersion as versionCapability,
} from '#server/features/cards/save.ts'
import type {
  giveFeedback as giveFeedbackCapability,
  listFeedback as listFeedbackCapability,
  withdrawFeedback as withdrawFeedbackCapability,
} from '#server/features/trust/feedback.ts'
import { call } from './client.ts'

export const listCards = call<typeof listCases>('GET /api/v1/cases')
export const cardStats = call<typeof statsCapability>('GET /api/v1/cards/stats')
export const getCard = call<typeof getCapability>('GET /api/v1/cards/{card_id}')
export const recordCard = call<typeof recordCapability>('POST /api/v1/cards')
export const updateCard = call<typeof updateCapability>('PATCH /api/v1/cards/{card_id}')
export const publishCard = call<typeof publishCapability>('POST /api/v1/cards/{card_id}/publish', {
  query: ['target_workspace_id', 'licence'],
})
export const moveCard = call<typeof moveCapability>('POST /api/v1/cards/{card_id}/move')
export const shareCard = call<typeof shareCapability>('POST /api/v1/cards/{card_id}/share')
export const unpublishCard = call<typeof unpublishCapability>('POST /api/v1/cards/{card_id}/unpublish')
export const deleteCard = call<typeof deleteCapability>('DELETE /api/v1/cards/{card_id}')
export const undeleteCard = call<typeof undeleteCapability>('POST /api/v1/cards/{card_id}/undelete')
export const cardHistory = call<typeof historyCapability>('GET /api/v1/cards/{card_id}/history')
export const cardVersion = call<typeof versionCapability>('GET /api/v1/cards/{card_id}/history/{version}')
export const restoreCard = call<typeof restoreCapability>('POST /api/v1/cards/{card_id}/restore')
export const giveFeedback = call<typeof giveFeedbackCapability>('POST /api/v1/cards/{card_id}/feedback')
export const withdrawFeedback = call<typeof withdrawFeedbackCapability>(
  'DELETE /api/v1/cards/{card_id}/feedback',
)
export const listFeedback = call<typeof listFeedbackCapability>('GET /api/v1/cards/{card_id}/feedback')
