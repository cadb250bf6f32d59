import { queryOptions, useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import type { Effects } from '../../api/types.ts'
import { formatNumber } from '../../lib/format.ts'
import { buttonClass, LinkButton } from '../../ui/button.tsx'
import { LazyChart } from '../../ui/lazy.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { weekQuery } from '../workspaces/workspace-queries.ts'
import { DayPlot, wholeNumber } from './day-plot.tsx'
import * as strings from './strings.ts'

const effectsQuery = (workspaceId: string | undefined) =>
  queryOptions({
    queryKey: ['effects', workspaceId ?? 'mine'],
    queryFn: ({ signal }) => call('GET /api/v1/effects', { workspace_id: workspaceId }, { signal }),
  })

type Share = 'answered' | 'opened' | 'judged' | 'worked' | 'avoided' | 'characters'
type Figure = { name: Share; label: string; of: string; method: string }

const FIGURES: readonly Figure[] = [
  {
    name: 'answered',
    label: strings.delivered,
    of: strings.deliveredUnit,
    method: strings.deliveredHint,
  },
  {
    name: 'opened',
    label: strings.opened,
    of: strings.deliveredCards,
    method: strings.openedHint,
  },
  {
    name: 'judged',
    label: strings.judgedAfterwards,
    of: strings.deliveredCards,
    method: strings.judgedHint,
  },
  {
    name: 'worked',
    label: strings.worked,
    of: strings.judgedCards,
    method: strings.workedHint,
  },
  {
    name: 'avoided',
    label: strings.failuresAvoided,
    of: strings.failuresUnit,
    method: strings.failuresHint,
  },
  {
    name: 'characters',
    label: strings.charactersSpent,
    of: 'deliveries',
    method: strings.charactersHint,
  },
]

export function EffectsPage() {
  return (
    <Page title={strings.insights} lead={strings.ownLead} narrow actions={<Downloads />}>
      <Insights />
    </Page>
  )
}

/** The figures of the last 30 days: your own, or those of a team. */
export function Insights({ workspaceId }: { workspaceId?: string }) {
  const effects = useQuery(effectsQuery(workspaceId))
  if (!effects.data)
    return (
      <NotLoaded query={effects}>
        <SkeletonList rows={6} />
      </NotLoaded>
    )
  const isEmpty = effects.data.answered.count === 0 && effects.data.opened.of === 0
  return (
    <div className="grid max-w-reading gap-8">
      {workspaceId && <p className="text-sm text-soft">{strings.teamLead}</p>}
      <DayPlot workspaceId={workspaceId} days={30} title={strings.theLast30Days} height={200} />
      {isEmpty ? <NothingYet /> : <Figures effects={effects.data} />}
      {workspaceId && <MissedByWeek workspaceId={workspaceId} />}
    </div>
  )
}

const MIN_WEEKS_DRAWN = 2

/** Searches of the team that found nothing, by week. */
function MissedByWeek({ workspaceId }: { workspaceId: string }) {
  const { data } = useQuery(weekQuery(workspaceId))
  const weeks = data?.missed_by_week
  const drawn = useMemo(
    () => ({
      times: weeks?.map(({ week }) => Date.parse(week) / 1000) ?? [],
      values: weeks?.map(({ times }) => times) ?? [],
    }),
    [weeks],
  )
  if (drawn.values.filter((times) => times > 0).length < MIN_WEEKS_DRAWN) return null
  return (
    <section aria-label={strings.missedByWeek} className="min-w-0">
      <h2 className="mb-2 text-base font-semibold">{strings.missedByWeek}</h2>
      <LazyChart label={strings.missedByWeek} {...drawn} bars format={wholeNumber} />
    </section>
  )
}

const NothingYet = () => (
  <EmptyState
    icon={<ChartColumn size={18} />}
    title={strings.nothingYet}
    action={<LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>}
  >
    {strings.nothingYetHint}
  </EmptyState>
)

function Downloads() {
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <a
          key={format}
          className={buttonClass()}
          href={`/api/v1/effects/rows?format=${format}`}
          download={`knowledge-vault-effects.${format}`}
        >
          {strings.rowsAs(format.toUpperCase())}
        </a>
      ))}
    </>
  )
}

/** A figure with nothing to count in is left out. */
function Figures({ effects }: { effects: Effects }) {
  return (
    <section aria-label={strings.figures}>
      {effects.people > 1 && <p className="mb-4 text-sm text-soft">{strings.summedOver(effects.people)}</p>}
      <dl className="grid gap-x-8 gap-y-5 sm:grid-cols-2 lg:grid-cols-3">
        {FIGURES.filter(({ name }) => effects[name].of > 0).map(({ name, label, of, method }) => (
          <div key={name} className="flex flex-col-reverse justify-end gap-0.5">
            <dt className="text-sm">
              <span className="font-medium">{label}</span>
              <span className="block text-xs text-faint">{method}</span>
            </dt>
            <dd className="text-sm text-soft tabular-nums">
              <span className="text-lg font-semibold text-ink">{formatNumber(effects[name].count)}</span>{' '}
              {name === 'answered' && effects.workspace_id !== null
                ? 'times'
                : `${name === 'characters' ? 'in' : 'of'} ${formatNumber(effects[name].of)} ${of}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
