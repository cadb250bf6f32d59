import { useQuery } from '@tanstack/react-query'
import { formatTime } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { eventQuery } from '../memory/memory-queries.ts'
import { EVENT_TYPES } from '../memory/routes.ts'

export function EventPane({ rawId, query }: { rawId: string; query: string }) {
  const event = useQuery(eventQuery(rawId))
  if (!event.data)
    return (
      <NotLoaded query={event}>
        <SkeletonPage />
      </NotLoaded>
    )
  const { project_key, workspace_id, event_type, created_at, title, content } = event.data
  return (
    <article className="mx-auto grid max-w-reading gap-4 px-5 py-6 lg:px-8">
      <header className="grid gap-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span className="flex min-w-0 flex-wrap items-center gap-2 text-xs text-faint">
            <Badge>{EVENT_TYPES[event_type]}</Badge>
            <time dateTime={created_at}>{formatTime(created_at)}</time>
            <span>Only you</span>
          </span>
          <LinkButton
            size="sm"
            to="/memory/project"
            search={{ key: project_key, workspace: workspace_id, q: query || undefined, by: 'words' }}
          >
            Open in memory
          </LinkButton>
        </div>
        <h2 className="text-lg font-semibold [overflow-wrap:anywhere]">{title ?? project_key}</h2>
        {title && <p className="font-mono text-xs text-faint">{project_key}</p>}
      </header>
      <LazyMarkdown>{content}</LazyMarkdown>
    </article>
  )
}
