import { queryOptions } from '@tanstack/react-query'
import { readFirstSteps } from '../../api/first-steps.ts'
import { queryClient } from '../../api/query.ts'

const LOOK_AGAIN_MS = 20_000

/** An agent may take a step while the page is open, so this polls until all steps are done or the list is dismissed. */
export const firstStepsQuery = queryOptions({
  queryKey: ['first-steps'],
  queryFn: ({ signal }) => readFirstSteps({}, { signal }),
  refetchInterval: ({ state: { data } }) => (!data || data.done || data.dismissed_at ? false : LOOK_AGAIN_MS),
})

export const firstStepsChanged = () => queryClient.invalidateQueries({ queryKey: firstStepsQuery.queryKey })
