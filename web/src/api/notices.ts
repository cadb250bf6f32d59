import type { OutputOf } from '../../../src/core/capability.ts'
import type { acceptOwnInvite, declineOwnInvite } from '../../../src/features/invitations/own-invitations.ts'
import type {
  listNotices as ListNotices,
  readNotices as ReadNotices,
  unreadNotices as UnreadNotices,
} from '../../../src/features/notices/notices.ts'
import { call } from './client.ts'

export type InboxNotice = OutputOf<typeof ListNotices>['items'][number]

export const listNotices = call<typeof ListNotices>('GET /api/v1/notices')
export const unreadNotices = call<typeof UnreadNotices>('GET /api/v1/notices/unread')
export const readNotices = call<typeof ReadNotices>('POST /api/v1/notices/read')
export const acceptInvite = call<typeof acceptOwnInvite>('POST /api/v1/invites/{invite_id}/accept')
export const declineInvite = call<typeof declineOwnInvite>('POST /api/v1/invites/{invite_id}/decline')
