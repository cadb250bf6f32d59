import type { ComponentProps } from 'react'
import { loadable } from '../lib/loadable.tsx'
import { Boundary } from './boundary.tsx'
import type { Chart } from './chart.tsx'
import { Skeleton } from './states.tsx'

const chart = loadable(() => import('./chart.tsx'))

type Props = ComponentProps<typeof Chart>

/** A chart whose library loads on demand. A failure leaves the page around it alone. */
export function LazyChart(props: Props) {
  return (
    <Boundary what={`The chart “${props.label}”`}>
      <Loaded {...props} />
    </Boundary>
  )
}

function Loaded(props: Props) {
  const { value, error } = chart.useLoaded()
  if (value) return <value.Chart {...props} />
  if (error) return <p className="text-sm text-soft">The chart loads when the server is back.</p>
  return <Skeleton className="h-40 w-full" />
}
