import type { OutputOf } from '#server/core/capability.ts'
import type {
  listNotices as ListNotices,
  readNotices as ReadNotices,
  unreadNotices as UnreadNotices,
} from '#server/features/inbox/inbox.ts'
import { call } from './client.ts'

export type InboxNotice = OutputOf<typeof ListNotices>['items'][number]

export const listNotices = call<typeof ListNotices>('GET /api/v1/notices')
export const unreadNotices = call<typeof UnreadNotices>('GET /api/v1/notices/unread')
export const readNotices = call<typeof ReadNotices>('POST /api/v1/notices/read')
