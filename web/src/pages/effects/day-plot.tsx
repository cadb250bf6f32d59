import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import type { EffectDays } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { LazyChart } from '../../ui/lazy.tsx'
import { PartNotLoaded, Skeleton } from '../../ui/states.tsx'
import * as strings from './strings.ts'

const daysQuery = (workspaceId: string | undefined, days: number) =>
  queryOptions({
    queryKey: ['effects', workspaceId ?? 'mine', 'days', days],
    queryFn: ({ signal }) =>
      call('GET /api/v1/effects/days', { workspace_id: workspaceId, days }, { signal }),
  })

const SERIES = [
  { name: 'delivered', label: strings.delivered, dot: 'bg-accent' },
  { name: 'worked', label: strings.worked, dot: 'bg-ok' },
  { name: 'failed', label: strings.failed, dot: 'bg-bad' },
] as const

type Name = (typeof SERIES)[number]['name']

const sumOf = (days: EffectDays, name: Name) => days.reduce((sum, day) => sum + day[name], 0)

const MIN_DAYS_DRAWN = 2

type Props = { workspaceId?: string | undefined; days: number; title: string; height?: number }

/** What was delivered, worked and failed by day. One day with figures is told in words, without a plot. */
export function DayPlot({ workspaceId, days, title, height = 140 }: Props) {
  const query = useQuery(daysQuery(workspaceId, days))
  const { data } = query
  if (!data)
    return (
      <PartNotLoaded what={title} query={query}>
        <Skeleton className="h-40 w-full" />
      </PartNotLoaded>
    )
  const told = data.days.filter((day) => SERIES.some(({ name }) => day[name] > 0))
  if (told.length === 0) return null
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="text-base font-semibold">{title}</h2>
        <ul className="flex flex-wrap gap-x-4 text-sm text-soft">
          {SERIES.map(({ name, label, dot }) => (
            <li key={name} className="inline-flex items-center gap-1.5">
              <span aria-hidden className={cx('size-2 rounded-full', dot)} />
              {label}
              <span className="font-medium text-ink tabular-nums">
                {formatNumber(sumOf(data.days, name))}
              </span>
            </li>
          ))}
        </ul>
      </div>
      {told.length >= MIN_DAYS_DRAWN && <Plot days={data.days} label={title} height={height} />}
    </section>
  )
}

export const wholeNumber = (value: number) => (Number.isInteger(value) ? formatNumber(value) : '')

function Plot({ days, label, height }: { days: EffectDays; label: string; height: number }) {
  const drawn = useMemo(
    () => ({
      times: days.map(({ day }) => Date.parse(day) / 1000),
      values: days.map(({ delivered }) => delivered),
      lines: [
        { color: 'ok' as const, values: days.map(({ worked }) => worked) },
        { color: 'bad' as const, values: days.map(({ failed }) => failed) },
      ],
    }),
    [days],
  )
  return <LazyChart label={label} {...drawn} bars height={height} format={wholeNumber} />
}
