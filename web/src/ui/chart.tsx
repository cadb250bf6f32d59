import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatShortDay } from '../lib/format.ts'
import { useTheme } from '../lib/theme.ts'

const DAY_S = 86_400
const DAYS = [1, 2, 7, 14, 30, 90, 180, 365].map((days) => days * DAY_S)
const dayOf = (seconds: number) => formatShortDay(new Date(seconds * 1000))

const dark = matchMedia('(prefers-color-scheme: dark)')
const useSystemDark = () =>
  useSyncExternalStore(
    (listener) => {
      dark.addEventListener('change', listener)
      return () => dark.removeEventListener('change', listener)
    },
    () => dark.matches,
  )

type Line = { values: number[]; color: 'accent' | 'ok' | 'bad' | 'faint' }

type ChartProps = {
  label: string
  times: number[]
  values: number[]
  /** Drawn over the first series. */
  lines?: readonly Line[]
  format?: (value: number) => string
  height?: number
  /** How the first series is drawn: a line by default. */
  stepped?: boolean
  bars?: boolean
}

const NO_LINES: readonly Line[] = []

/** `times` are Unix seconds. */
export function Chart(props: ChartProps) {
  const { label, times, values, lines = NO_LINES, format = String, height = 160, stepped, bars } = props
  const box = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const systemDark = useSystemDark()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides the colours that are read from the style
  useEffect(() => {
    const element = box.current
    if (!element) return
    const color = (name: string) => resolve(element, `var(--color-${name})`)
    const axis = {
      stroke: color('faint'),
      grid: { stroke: color('line'), width: 1 },
      ticks: { show: false },
      font: fontOf(element),
    }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { y: false },
        legend: { show: false },
        axes: [
          { ...axis, space: 72, incrs: DAYS, values: (_: uPlot, splits: number[]) => splits.map(dayOf) },
          { ...axis, size: 48, values: (_: uPlot, splits: number[]) => splits.map(format) },
        ],
        series: [
          {},
          {
            stroke: color('accent'),
            width: 2,
            fill: color('chosen'),
            ...(stepped && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
            ...(bars && uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.6, 24] }) } : {}),
            points: { show: !bars && values.length < 2 },
          },
          ...lines.map((line) => ({ stroke: color(line.color), width: 2, points: { show: false } })),
        ],
      },
      [times, values, ...lines.map((line) => line.values)],
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, values, lines, format, height, stepped, bars, theme, systemDark])
  return <div ref={box} role="img" aria-label={label} className="text-xs" />
}

function fontOf(element: HTMLElement): string {
  const { fontSize, fontFamily } = getComputedStyle(element)
  return `${fontSize} ${fontFamily}`
}

/** Canvas needs a plain colour; the browser resolves variables and light-dark() on an element. */
function resolve(parent: HTMLElement, value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  parent.append(probe)
  const color = getComputedStyle(probe).color
  probe.remove()
  return color
}
