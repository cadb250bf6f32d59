import { call } from './client.ts'
import type { Card, FeedbackKind, Pending } from './types.ts'

export const cardHistory = call<Pending<{ card_id: string }, Card[]>>('GET /api/v1/cards/{card_id}/history')
export const giveFeedback = call<
  Pending<
    { case_id: string; kind: FeedbackKind; comment?: string },
    { kind: FeedbackKind; credits_awarded: number }
  >
>('POST /api/v1/cases/{case_id}/feedback')
