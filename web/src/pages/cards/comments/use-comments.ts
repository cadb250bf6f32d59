import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { listComments } from '../../../api/comments.ts'
import { queryClient } from '../../../api/query.ts'
import type { Card } from '../../../api/types.ts'
import { membersQuery } from '../../workspaces/workspace-queries.ts'
import type { Person } from './mention-text.ts'

const PAGE_SIZE = 50

const commentsQuery = (cardId: string) =>
  infiniteQueryOptions({
    queryKey: ['card', cardId, 'comments'],
    queryFn: ({ signal, pageParam }) =>
      listComments({ card_id: cardId, page: pageParam, page_size: PAGE_SIZE }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
  })

export const threadChanged = (cardId: string) =>
  queryClient.invalidateQueries({ queryKey: commentsQuery(cardId).queryKey })

export function useThread(cardId: string) {
  const query = useInfiniteQuery(commentsQuery(cardId))
  const first = query.data?.pages[0]
  return {
    query,
    comments: query.data?.pages.flatMap((page) => page.items) ?? [],
    total: first?.total ?? 0,
    audience: first?.audience ?? null,
  }
}

/** The people that a comment can mention: members who can read the card. Only editors and admins can read a draft. */
export function usePeople(card: Card, workspaceId: string | undefined): Person[] {
  const { data: members = [] } = useQuery({
    ...membersQuery(workspaceId ?? ''),
    enabled: workspaceId !== undefined,
  })
  return members
    .filter((one) => card.status === 'published' || one.role !== 'viewer' || one.user_id === card.owner_id)
    .map((one) => ({ user_id: one.user_id, name: one.display_name }))
}
