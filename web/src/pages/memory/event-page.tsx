import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bot, MessageSquareText, StickyNote } from 'lucide-react'
import { turnParts } from '#server/features/memory/turn-content.ts'
import type { MemoryEvent } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { ExchangeText, MakeCard } from './event-parts.tsx'
import { eventQuery } from './memory-queries.ts'

const route = getRouteApi('/app/memory/events/$rawId')

export function EventPage() {
  const { rawId } = route.useParams()
  const { personal_workspace_id } = useMe()
  const event = useQuery(eventQuery(rawId))
  if (!event.data)
    return (
      <NotLoaded isPage query={event} action={<LinkButton to="/memory">Memory</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  const { project_key, workspace_id, created_at } = event.data
  return (
    <Page
      title="An exchange"
      lead={`${formatTime(created_at)}. Nobody but you can read it.`}
      narrow
      back={
        <BackLink
          to="/memory/project"
          search={{
            key: project_key,
            workspace: workspace_id === personal_workspace_id ? undefined : workspace_id,
          }}
        >
          {project_key}
        </BackLink>
      }
      actions={<MakeCard rawIds={[rawId]} />}
    >
      <div className="grid gap-6">{sidesOf(event.data)}</div>
    </Page>
  )
}

function sidesOf(event: MemoryEvent) {
  const markdown = (text: string) => <LazyMarkdown>{text}</LazyMarkdown>
  const agent = <Bot size={14} aria-hidden />
  if (event.event_type === 'turn') {
    const { message, report } = turnParts(event.content)
    return (
      <>
        {message !== null && (
          <ExchangeText
            who="You"
            icon={<MessageSquareText size={14} aria-hidden />}
            entry={{ event, text: message }}
            side="message"
          >
            {(text) => <p className="text-base whitespace-pre-wrap">{text}</p>}
          </ExchangeText>
        )}
        {report !== null && (
          <ExchangeText who="Agent" icon={agent} entry={{ event, text: report }} side="report">
            {markdown}
          </ExchangeText>
        )}
      </>
    )
  }
  const who =
    event.event_type === 'user_message' ? 'You' : event.event_type === 'agent_report' ? 'Agent' : 'Note'
  return (
    <ExchangeText
      who={who}
      icon={who === 'Agent' ? agent : <StickyNote size={14} aria-hidden />}
      entry={{ event, text: event.content }}
      side="note"
    >
      {markdown}
    </ExchangeText>
  )
}
