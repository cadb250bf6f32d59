import type { OutputOf } from '#server/core/capability.ts'
import type { acceptDraft as AcceptDraft } from '#server/features/mining/accept.ts'
import type {
  dismissDraft as DismissDraft,
  listDrafts as ListDrafts,
  reopenDraft as ReopenDraft,
} from '#server/features/mining/drafts.ts'
import { call } from './client.ts'

export type CardDraft = OutputOf<typeof ListDrafts>['items'][number]

export const listDrafts = call<typeof ListDrafts>('GET /api/v1/drafts')
export const acceptDraft = call<typeof AcceptDraft>('POST /api/v1/drafts/{draft_id}/accept')
export const dismissDraft = call<typeof DismissDraft>('POST /api/v1/drafts/{draft_id}/dismiss')
export const reopenDraft = call<typeof ReopenDraft>('POST /api/v1/drafts/{draft_id}/reopen')
