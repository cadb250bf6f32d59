import { call } from './client.ts'
import type { Card, CardStats, CardWrite, FeedbackCounts, FeedbackKind, Page, Pending } from './types.ts'

export type CardFilter = {
  scope?: 'personal' | 'workspace' | 'public'
  workspace_id?: string
  status?: string
  track?: string
  q?: string
  page?: number
  page_size?: number
}

export const listCards = call<Pending<CardFilter, Page<Card>>>('GET /api/v1/cases')
export const cardStats =
  call<Pending<{ scope?: string; workspace_id?: string }, CardStats>>('GET /api/v1/cards/stats')
export const getCard = call<Pending<{ card_id: string; include_evidences?: boolean }, Card>>(
  'GET /api/v1/cards/{card_id}',
)
export const recordCard = call<Pending<CardWrite, Card>>('POST /api/v1/cards')
export const updateCard = call<Pending<Partial<CardWrite> & { card_id: string }, Card>>(
  'PATCH /api/v1/cards/{card_id}',
)
export const publishCard = call<Pending<{ card_id: string; target_workspace_id?: string }, Card>>(
  'POST /api/v1/cards/{card_id}/publish',
  { query: ['target_workspace_id'] },
)
export const shareCard = call<Pending<{ card_id: string }, Card>>('POST /api/v1/cards/{card_id}/share')
export const unpublishCard = call<Pending<{ card_id: string }, Card>>(
  'POST /api/v1/cards/{card_id}/unpublish',
)
export const cardHistory = call<Pending<{ card_id: string }, Card[]>>('GET /api/v1/cards/{card_id}/history')
export const giveFeedback = call<
  Pending<
    { case_id: string; kind: FeedbackKind; comment?: string },
    { kind: FeedbackKind; credits_awarded: number }
  >
>('POST /api/v1/cases/{case_id}/feedback')
export const feedbackStats = call<Pending<{ case_id: string }, FeedbackCounts & { total: number }>>(
  'GET /api/v1/cases/{case_id}/feedback/stats',
)
