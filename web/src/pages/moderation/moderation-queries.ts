import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

import { queryClient } from '../../api/query.ts'

const PAGE_SIZE = 30

export const queueQuery = (waiting: boolean, workspaceId: string | undefined, page: number) =>
  queryOptions({
    queryKey: ['moderation', 'list', waiting, workspaceId, page],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v1/moderation/matters',
        { waiting, page, page_size: PAGE_SIZE, ...(workspaceId ? { workspace_id: workspaceId } : {}) },
        { signal },
      ),
    placeholderData: (before) => before,
  })

export const matterQuery = (matterId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ['moderation', 'matter', matterId, version],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v1/moderation/matters/{matter_id}',
        { matter_id: matterId, ...(version === undefined ? {} : { version }) },
        { signal },
      ),
  })

export const bansQuery = (page: number) =>
  queryOptions({
    queryKey: ['moderation', 'bans', page],
    queryFn: ({ signal }) => call('GET /api/v1/moderation/bans', { page, page_size: PAGE_SIZE }, { signal }),
    placeholderData: (before) => before,
  })

export const ownModerationQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['moderation', 'card', cardId],
    queryFn: ({ signal }) => call('GET /api/v1/cards/{card_id}/moderation', { card_id: cardId }, { signal }),
  })

export const reportableQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['reportable', cardId],
    queryFn: ({ signal }) => call('GET /api/v1/cards/{card_id}/report', { card_id: cardId }, { signal }),
  })

export const moderationChanged = () => queryClient.invalidateQueries({ queryKey: ['moderation'] })
