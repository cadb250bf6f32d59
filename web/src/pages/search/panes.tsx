import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ActionCard } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { eventQuery } from '../memory/memory-queries.ts'
import { EVENT_TYPES } from '../memory/routes.ts'
import * as strings from './strings.ts'

export function ActionCardPane({ plan }: { plan: ActionCard }) {
  const titles = new Map(plan.sources.map((source) => [source.card_id, source.title]))
  const asText = () =>
    [
      plan.title,
      '',
      plan.summary,
      '',
      ...plan.steps.map((step) => `${step.order}. ${step.action}`),
      ...plan.cautions.map((one) => strings.cautionAbout(one)),
    ].join('\n')
  return (
    <article className="mx-auto grid max-w-reading gap-5 px-5 py-6 lg:px-8">
      <header className="grid gap-2">
        <div className="flex items-center justify-between gap-2">
          <Badge tone="accent">{strings.actionCard}</Badge>
          <CopyButton text={asText} size="sm">
            {strings.copy}
          </CopyButton>
        </div>
        <h2 className="text-lg font-semibold">{plan.title}</h2>
        <LazyMarkdown>{plan.summary}</LazyMarkdown>
      </header>
      <ol className="grid gap-4">
        {plan.steps.map((step) => (
          <li key={step.order} className="grid grid-cols-[--spacing(6)_minmax(0,1fr)] gap-3">
            <span
              aria-hidden
              className="grid size-6 place-items-center rounded-full bg-sunken text-xs text-soft"
            >
              {step.order}
            </span>
            <div className="min-w-0">
              <LazyMarkdown>{step.action}</LazyMarkdown>
              <Link
                to="/cards/$cardId"
                params={{ cardId: step.from_card_id }}
                className="text-xs text-faint hover:text-accent hover:underline"
              >
                {strings.fromCard(titles.get(step.from_card_id) ?? 'this card')}
              </Link>
            </div>
          </li>
        ))}
      </ol>
      {plan.cautions.length > 0 && (
        <ul className="grid gap-2">
          {plan.cautions.map((caution) => (
            <li key={caution} className="flex gap-2 text-sm text-warn">
              <TriangleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
              {caution}
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

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
            <span>{strings.onlyYou}</span>
          </span>
          <LinkButton
            size="sm"
            to="/memory/project"
            search={{ key: project_key, workspace: workspace_id, q: query || undefined, by: 'words' }}
          >
            {strings.openInMemory}
          </LinkButton>
        </div>
        <h2 className="text-lg font-semibold [overflow-wrap:anywhere]">{title ?? project_key}</h2>
        {title && <p className="font-mono text-xs text-faint">{project_key}</p>}
      </header>
      <LazyMarkdown>{content}</LazyMarkdown>
    </article>
  )
}
