import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useMemo } from 'react'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { EmptyState, ErrorState, SkeletonList } from '../../../ui/states.tsx'
import { type ProjectPlace, timelineQuery } from '../memory-queries.ts'
import { SessionBlock } from './session-block.tsx'
import { sessionsOf } from './timeline.ts'

export function Timeline({ place }: { place: ProjectPlace }) {
  const timeline = useInfiniteQuery(timelineQuery(place))
  const sessions = useMemo(
    () => sessionsOf(timeline.data?.pages.flatMap((page) => page.items) ?? []),
    [timeline.data],
  )
  if (timeline.error) return <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
  if (!timeline.data) return <SkeletonList rows={5} />
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
          <SessionBlock key={session.id} session={session} isLatest={index === 0} />
        ))}
      </ol>
      {timeline.hasNextPage && (
        <div className="mt-6 border-t border-line pt-4">
          <Button busy={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </>
  )
}
