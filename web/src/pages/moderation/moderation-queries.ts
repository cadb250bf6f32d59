import { queryOptions } from '@tanstack/react-query'
import {
  getModeration,
  listModeration,
  listPublishingBans,
  readOwnModeration,
  readReportable,
} from '../../api/moderation.ts'
import { queryClient } from '../../api/query.ts'

const PAGE_SIZE = 30

export const queueQuery = (waiting: boolean, workspaceId: string | undefined, page: number) =>
  queryOptions({
    queryKey: ['moderation', 'list', waiting, workspaceId, page],
    queryFn: ({ signal }) =>
      listModeration(
        { waiting, page, page_size: PAGE_SIZE, ...(workspaceId ? { workspace_id: workspaceId } : {}) },
        { signal },
      ),
    placeholderData: (before) => before,
  })

export const matterQuery = (matterId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ['moderation', 'matter', matterId, version],
    queryFn: ({ signal }) =>
      getModeration({ matter_id: matterId, ...(version === undefined ? {} : { version }) }, { signal }),
  })

export const bansQuery = (page: number) =>
  queryOptions({
    queryKey: ['moderation', 'bans', page],
    queryFn: ({ signal }) => listPublishingBans({ page, page_size: PAGE_SIZE }, { signal }),
    placeholderData: (before) => before,
  })

export const ownModerationQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['moderation', 'card', cardId],
    queryFn: ({ signal }) => readOwnModeration({ card_id: cardId }, { signal }),
  })

export const reportableQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['reportable', cardId],
    queryFn: ({ signal }) => readReportable({ card_id: cardId }, { signal }),
  })

export const moderationChanged = () => queryClient.invalidateQueries({ queryKey: ['moderation'] })
