import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bot, FilePlus2, MessageSquareText, StickyNote } from 'lucide-react'
import type { ReactNode } from 'react'
import { turnParts } from '#server/shared/memory.ts'
import type { MemoryEvent } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { eventQuery } from './memory-queries.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/memory/events/$rawId')

export function EventPage() {
  const { rawId } = route.useParams()
  const { personal_workspace_id } = useMe()
  const event = useQuery(eventQuery(rawId))
  if (!event.data)
    return (
      <NotLoaded isPage query={event} action={<LinkButton to="/memory">{strings.memory}</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  const { project_key, workspace_id, created_at } = event.data
  return (
    <Page
      title={strings.anExchange}
      lead={strings.exchangeLead(formatTime(created_at))}
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
            who={strings.you}
            icon={<MessageSquareText size={14} aria-hidden />}
            entry={{ event, text: message }}
            side="message"
          >
            {(text) => <p className="text-base whitespace-pre-wrap">{text}</p>}
          </ExchangeText>
        )}
        {report !== null && (
          <ExchangeText who={strings.agent} icon={agent} entry={{ event, text: report }} side="report">
            {markdown}
          </ExchangeText>
        )}
      </>
    )
  }
  const who =
    event.event_type === 'user_message'
      ? strings.you
      : event.event_type === 'agent_report'
        ? strings.agent
        : strings.note
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

type ExchangeTextProps = {
  who: string
  icon: ReactNode
  entry: Entry
  side: 'message' | 'report' | 'note'
  children: (text: string) => ReactNode
}

/** One side of an exchange. A text that the list cut is read in full before it shows. */
export function ExchangeText({ who, icon, entry, side, children }: ExchangeTextProps) {
  const whole = useQuery({ ...eventQuery(entry.event.raw_id), enabled: entry.event.truncated })
  const text = whole.data ? textOf(whole.data, side) : entry.text
  return (
    <section aria-label={who} className="grid gap-1">
      <div className="flex items-center gap-1.5 text-xs text-faint">
        {icon}
        <span className="grow">{who}</span>
        <CopyButton text={text} label={strings.copySide(who)} />
      </div>
      <div className="min-w-0 break-words">{children(text)}</div>
      {whole.isFetching && <p className="text-xs text-faint">{strings.readingTheRestPending}</p>}
      {whole.error && <p className="text-xs text-bad">{strings.restDidNotLoad(whole.error.message)}</p>}
    </section>
  )
}

function textOf(event: MemoryEvent, side: ExchangeTextProps['side']): string {
  if (event.event_type !== 'turn') return event.content
  const parts = turnParts(event.content)
  return (side === 'message' ? parts.message : parts.report) ?? ''
}

export type Entry = { event: MemoryEvent; text: string }

export function MakeCard({ rawIds }: { rawIds: readonly [string, ...string[]] }) {
  const [from, ...also] = rawIds
  return (
    <LinkButton
      to="/cards/new"
      search={{ from, also: also.length > 0 ? also.join(',') : undefined }}
      size="sm"
      className="justify-self-start"
    >
      <FilePlus2 size={14} aria-hidden />
      {strings.makeACard}
    </LinkButton>
  )
}
