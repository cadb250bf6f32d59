import { Component, type ComponentProps, type ReactNode } from 'react'
import { loadable } from '../lib/loadable.tsx'
import type { Chart } from './chart.tsx'
import type { Reading } from './markdown/markdown.tsx'
import { Skeleton } from './states.tsx'

const renderer = loadable(() => import('./markdown/markdown.tsx'))

/** Shows the plain text until the renderer is loaded. */
export function LazyMarkdown({ children, ...reading }: Reading & { children: string }) {
  const { value } = renderer.useLoaded()
  if (!value) return <div className="reading whitespace-pre-wrap">{children}</div>
  return (
    <Boundary what="This text">
      <value.Markdown {...reading}>{children}</value.Markdown>
    </Boundary>
  )
}

const chart = loadable(() => import('./chart.tsx'))

type LazyChartProps = ComponentProps<typeof Chart>

/** A chart whose library loads on demand. A failure leaves the page around it alone. */
export function LazyChart(props: LazyChartProps) {
  return (
    <Boundary what={`The chart “${props.label}”`}>
      <Loaded {...props} />
    </Boundary>
  )
}

function Loaded(props: LazyChartProps) {
  const { value, error } = chart.useLoaded()
  if (value) return <value.Chart {...props} />
  if (error) return <p className="text-sm text-soft">The chart loads when the server is back.</p>
  return <Skeleton className="h-40 w-full" />
}

type BoundaryProps = { what: string; children: ReactNode }

export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <p role="status" className="rounded-md bg-sunken px-3 py-2 text-sm text-soft">
        {this.props.what} cannot be shown.{' '}
        <button
          type="button"
          className="font-medium text-accent hover:underline"
          onClick={() => this.setState({ failed: false })}
        >
          Try again
        </button>
      </p>
    )
  }
}
