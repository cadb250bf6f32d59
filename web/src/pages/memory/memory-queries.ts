import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { USER_PREFERENCES_KEY } from '#server/shared/memory.ts'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { RouteAnswer } from '../../api/routes.ts'
import type { EventType, MemoryEvent, MemoryProject } from '../../api/types.ts'
import type { TimelineType } from './routes.ts'

export const USER_PREFERENCES = USER_PREFERENCES_KEY

/** A key in a workspace; without one, in the personal workspace. */
export type ProjectName = { key: string; workspace?: string | undefined }

export const nameOf = (project: MemoryProject, me: { personal_workspace_id: string }): ProjectName => ({
  key: project.project_key,
  workspace: project.workspace_id === me.personal_workspace_id ? undefined : project.workspace_id,
})

/** Enough for a closed line of the timeline. */
const CHARS_IN_LIST = 1200

export const named = ({ key, workspace }: ProjectName) => ({
  project_key: key,
  ...(workspace ? { workspace_id: workspace } : {}),
})

const keyOf = ({ key, workspace }: ProjectName) => [key, workspace ?? '']

export const projectsQuery = queryOptions({
  queryKey: ['memory', 'projects'],
  queryFn: ({ signal }) => call('GET /api/v1/project-context/projects', { limit: 200 }, { signal }),
})

export type TimelineFilter = { session?: string | undefined; type?: TimelineType | undefined }

type EventFilter = { session?: string | undefined; type?: EventType | undefined }

export const timelineQuery = (project: ProjectName, { session, type }: EventFilter) =>
  infiniteQueryOptions({
    queryKey: ['memory', 'timeline', ...keyOf(project), session ?? '', type ?? ''],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v1/project-context/events',
        {
          ...named(project),
          limit: session || type ? 100 : 60,
          max_chars_per_event: CHARS_IN_LIST,
          cursor: pageParam,
          ...(session ? { session_id: session } : {}),
          ...(type ? { event_type: [type] } : {}),
        },
        { signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

type CommitsAnswer = RouteAnswer<'GET /api/v1/project-context/commits'>

/** A commit, a pull request or a record of the repository, with the project that it belongs to. */
export type Commit = CommitsAnswer['items'][number] & Pick<MemoryEvent, 'project_key' | 'workspace_id'>

/** Whole: the vault keeps less than this of each. */
const CHARS_OF_COMMIT = 20_000

const commitsIn = ({ items, project_key, workspace_id }: CommitsAnswer): Commit[] =>
  items.map((item) => ({ ...item, project_key, workspace_id }))

export const commitsQuery = (project: ProjectName) =>
  infiniteQueryOptions({
    queryKey: ['memory', 'commits', ...keyOf(project)],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const page = await call(
        'GET /api/v1/project-context/commits',
        { ...named(project), limit: 30, max_chars_per_commit: CHARS_OF_COMMIT, cursor: pageParam },
        { signal },
      )
      return { commits: commitsIn(page), next_cursor: page.next_cursor }
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

export const commitSearchQuery = (project: ProjectName, query: string) =>
  queryOptions({
    queryKey: ['memory', 'commit-search', ...keyOf(project), query],
    enabled: query.trim() !== '',
    queryFn: async ({ signal }) =>
      commitsIn(
        await call(
          'GET /api/v1/project-context/commits',
          { ...named(project), query, limit: 30, max_chars_per_commit: CHARS_OF_COMMIT },
          { signal },
        ),
      ),
    placeholderData: (before) => before,
  })

/** In full: an excerpt must never be edited or transferred as the whole document. */
export const documentsQuery = (project: ProjectName) =>
  queryOptions({
    queryKey: ['memory', 'documents', ...keyOf(project)],
    queryFn: async ({ signal }) => {
      const snapshot = await call(
        'GET /api/v1/project-context/snapshot',
        { ...named(project), limit_events: 1, max_chars_per_event: 20_000 },
        { signal },
      )
      const whole = async (event: MemoryEvent | null) =>
        event?.truncated
          ? call('GET /api/v1/project-context/events/{raw_id}', { raw_id: event.raw_id }, { signal })
          : event
      const [summary, facts, projectPreferences, userPreferences] = await Promise.all([
        whole(snapshot.summary),
        whole(snapshot.facts),
        whole(snapshot.project_preferences),
        whole(snapshot.user_preferences),
      ])
      return {
        ...snapshot,
        summary,
        facts,
        project_preferences: projectPreferences,
        user_preferences: userPreferences,
      }
    },
  })

/** Passages that the person has marked as outdated or wrong. */
export const marksQuery = (project: ProjectName) =>
  queryOptions({
    queryKey: ['memory', 'marks', ...keyOf(project)],
    queryFn: ({ signal }) => call('GET /api/v1/project-context/marks', named(project), { signal }),
  })

export type MemoryMark = RouteAnswer<'GET /api/v1/project-context/marks'>['items'][number]

export const eventQuery = (rawId: string) =>
  queryOptions({
    queryKey: ['memory', 'event', rawId],
    queryFn: ({ signal }) =>
      call('GET /api/v1/project-context/events/{raw_id}', { raw_id: rawId }, { signal }),
  })

export const memorySearchQuery = (project: ProjectName, query: string, ranked: boolean) =>
  infiniteQueryOptions({
    queryKey: ['memory', 'search', ...keyOf(project), query, ranked],
    enabled: query.trim() !== '',
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v1/project-context/search',
        {
          ...named(project),
          query,
          limit: 50,
          page: pageParam,
          ...(ranked ? { mode: 'ranked' as const } : {}),
        },
        { signal },
      ),
    getNextPageParam: ({ page, limit, total, results }) =>
      results.length === limit && page * limit < total ? page + 1 : undefined,
    placeholderData: (before) => before,
  })

export const memoryChanged = () => queryClient.invalidateQueries({ queryKey: ['memory'] })
