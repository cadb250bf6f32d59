import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ActionCard } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'

export function ActionCardPane({ plan }: { plan: ActionCard }) {
  const titles = new Map(plan.sources.map((source) => [source.card_id, source.title]))
  const asText = () =>
    [
      plan.title,
      '',
      plan.summary,
      '',
      ...plan.steps.map((step) => `${step.order}. ${step.action}`),
      ...plan.cautions.map((one) => `Caution: ${one}`),
    ].join('\n')
  return (
    <article className="mx-auto grid max-w-reading gap-5 px-5 py-6 lg:px-8">
      <header className="grid gap-2">
        <div className="flex items-center justify-between gap-2">
          <Badge tone="accent">Action card</Badge>
          <CopyButton text={asText} size="sm">
            Copy
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
                from {titles.get(step.from_card_id) ?? 'this card'}
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
