import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { EmptyState, FormError, NotLoaded, SkeletonList } from '../../../ui/states.tsx'
import { type ProjectName, type TimelineFilter, timelineQuery } from '../memory-queries.ts'
import { SessionBlock } from './session-block.tsx'
import { sessionsOf } from './timeline.ts'

type TimelineProps = {
  project: ProjectName
  filter: TimelineFilter
  onSession: (sessionId: string) => void
}

export function Timeline({ project, filter, onSession }: TimelineProps) {
  const timeline = useInfiniteQuery(timelineQuery(project, filter))
  const sessions = useMemo(
    () => sessionsOf(timeline.data?.pages.flatMap((page) => page.items) ?? []),
    [timeline.data],
  )
  // With a filter the server reads a part of the project at a time: continue until something fits, or all was read.
  const looksFurther =
    sessions.length === 0 && timeline.hasNextPage && !timeline.isFetching && !timeline.isFetchNextPageError
  const { fetchNextPage } = timeline
  useEffect(() => {
    if (looksFurther) void fetchNextPage()
  }, [looksFurther, fetchNextPage])
  if (!timeline.data || (sessions.length === 0 && timeline.hasNextPage))
    return (
      <NotLoaded query={timeline}>
        <SkeletonList rows={5} />
      </NotLoaded>
    )
  if (sessions.length === 0 && (filter.session || filter.type))
    return (
      <EmptyState icon={<History size={18} />} title="No such events">
        Nothing in this project fits the filter. Show all to see the rest.
      </EmptyState>
    )
  if (sessions.length === 0)
    return (
      <EmptyState
        icon={<History size={18} />}
        title="Nothing here yet"
        action={<LinkButton to="/connect">Connect your agent</LinkButton>}
      >
        Each session of an agent becomes an entry: what you asked, what it reported.
      </EmptyState>
    )
  return (
    <>
      <ol aria-label="Sessions" className="grid gap-8">
        {sessions.map((session, index) => (
          <SessionBlock
            key={session.id}
            session={session}
            isLatest={index === 0}
            onSession={filter.session ? undefined : onSession}
          />
        ))}
      </ol>
      {timeline.hasNextPage && (
        <div className="mt-6 border-t border-line pt-4">
          <Button busy={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
            Show older
          </Button>
          {timeline.isFetchNextPageError && <FormError error={timeline.error} />}
        </div>
      )}
    </>
  )
}
