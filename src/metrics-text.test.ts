import { expect, test } from 'vitest'
import { addCounters, sumMetrics } from './cluster.ts'

const metricsOf = (requests: number, memory: number, route = '/a') => `# HELP requests_total Requests
# TYPE requests_total counter
requests_total{route="${route}"} ${requests}

# HELP seconds Time
# TYPE seconds histogram
seconds_bucket{le="+Inf"} ${requests}
seconds_sum ${requests / 2}

# HELP memory_bytes Memory
# TYPE memory_bytes gauge
memory_bytes ${memory}
memory_bytes{space="new space"} NaN
`

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('counters and histograms are sums, other values have a line for each worker', () => {
  const text = sumMetrics(
    [
      { worker: 1, text: metricsOf(1, 10) },
      { worker: 2, text: metricsOf(4, 20) },
    ],
    '',
  )
  expect(linesOf(text)).toEqual([
    'requests_total{route="/a"} 5',
    'seconds_bucket{le="+Inf"} 5',
    'seconds_sum 2.5',
    'memory_bytes{worker="1"} 10',
    'memory_bytes{worker="1",space="new space"} NaN',
    'memory_bytes{worker="2"} 20',
    'memory_bytes{worker="2",space="new space"} NaN',
  ])
  expect(text.match(/^# /gm)).toHaveLength(6)
})

test('what ended processes have counted stays in the sums, and nothing else of them', () => {
  const ended = addCounters(addCounters('', metricsOf(1, 10)), metricsOf(2, 20, '/only here "{ }"'))
  expect(linesOf(sumMetrics([{ worker: 3, text: metricsOf(4, 30) }], ended))).toEqual([
    'requests_total{route="/a"} 5',
    'requests_total{route="/only here "{ }""} 2',
    'seconds_bucket{le="+Inf"} 7',
    'seconds_sum 3.5',
    'memory_bytes{worker="3"} 30',
    'memory_bytes{worker="3",space="new space"} NaN',
  ])
})
