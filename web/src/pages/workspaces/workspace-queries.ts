import { queryOptions } from '@tanstack/react-query'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces', 'mine'],
  queryFn: ({ signal }) => call('GET /api/v1/workspaces', { include_public: false }, { signal }),
})

export const workspaceQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace', id],
    queryFn: ({ signal }) => call('GET /api/v1/workspaces/{workspace_id}', { workspace_id: id }, { signal }),
  })

/** A refusal means that the person's role has changed: the page asks for it again. */
async function partOf<T>(id: string, part: Promise<T>): Promise<T> {
  try {
    return await part
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404))
      void queryClient.invalidateQueries({ queryKey: ['workspace', id], exact: true })
    throw error
  }
}

export const weekQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace', id, 'week'],
    queryFn: ({ signal }) =>
      partOf(id, call('GET /api/v1/workspaces/{workspace_id}/week', { workspace_id: id }, { signal })),
  })

export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace', id, 'members'],
    queryFn: ({ signal }) =>
      partOf(id, call('GET /api/v1/workspaces/{workspace_id}/members', { workspace_id: id }, { signal })),
  })

export const invitesQuery = (id: string, history: boolean) =>
  queryOptions({
    queryKey: ['workspace', id, 'invites', history],
    queryFn: ({ signal }) =>
      partOf(
        id,
        call(
          'GET /api/v1/workspaces/{workspace_id}/invites',
          { workspace_id: id, include_history: history },
          { signal },
        ),
      ),
  })

export const auditQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ['workspace', id, 'audit', page],
    queryFn: ({ signal }) =>
      partOf(
        id,
        call(
          'GET /api/v1/workspaces/{workspace_id}/audit',
          { workspace_id: id, page, page_size: 30 },
          { signal },
        ),
      ),
    placeholderData: (before) => before,
  })

/** Members, invitations and the log change together, so all are fetched again. */
export const workspaceChanged = (id: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['workspace', id] }),
    queryClient.invalidateQueries({ queryKey: ['workspaces'] }),
  ])
