import { queryOptions } from '@tanstack/react-query'
import { listProjects, readEvent, readSnapshot, searchMemory } from '../../api/memory.ts'
import { queryClient } from '../../api/query.ts'

/** The key under which preferences for all projects are kept. */
export const USER_PREFERENCES = '__user__/preferences'

/** Enough of an event for the closed line of the timeline; the whole text is read when it is opened. */
const CHARS_IN_LIST = 1200

export const projectsQuery = queryOptions({
  queryKey: ['memory', 'projects'],
  queryFn: ({ signal }) => listProjects({ limit: 200 }, { signal }),
})

export const snapshotQuery = (key: string) =>
  queryOptions({
    queryKey: ['memory', 'snapshot', key],
    queryFn: ({ signal }) =>
      readSnapshot({ project_key: key, limit_events: 100, max_chars_per_event: CHARS_IN_LIST }, { signal }),
  })

/** The documents in full: an excerpt of a document must never be edited or transferred as if it were all of it. */
export const documentsQuery = (key: string) =>
  queryOptions({
    queryKey: ['memory', 'documents', key],
    queryFn: async ({ signal }) => {
      const snapshot = await readSnapshot(
        { project_key: key, limit_events: 1, max_chars_per_event: 20_000 },
        { signal },
      )
      const whole = async (event: typeof snapshot.summary) =>
        event?.truncated ? readEvent({ raw_id: event.raw_id }, { signal }) : event
      const [summary, facts, projectPreferences, userPreferences] = await Promise.all([
        whole(snapshot.summary),
        whole(snapshot.facts),
        whole(snapshot.project_preferences),
        whole(snapshot.user_preferences),
      ])
      return { summary, facts, project_preferences: projectPreferences, user_preferences: userPreferences }
    },
  })

export const eventQuery = (rawId: string) =>
  queryOptions({
    queryKey: ['memory', 'event', rawId],
    queryFn: ({ signal }) => readEvent({ raw_id: rawId }, { signal }),
  })

export const memorySearchQuery = (key: string, query: string, ranked: boolean) =>
  queryOptions({
    queryKey: ['memory', 'search', key, query, ranked],
    enabled: query.trim() !== '',
    queryFn: ({ signal }) =>
      searchMemory(
        { project_key: key, query, limit: 50, ...(ranked ? { mode: 'ranked' as const } : {}) },
        { signal },
      ),
    placeholderData: (before) => before,
  })

export const memoryChanged = () => queryClient.invalidateQueries({ queryKey: ['memory'] })
