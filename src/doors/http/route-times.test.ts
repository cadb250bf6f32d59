import { expect, test } from 'vitest'
import { RouteTimes } from './metrics.ts'

test('answers are counted by route and status, and their times fall into every bucket that holds them', () => {
  const times = new RouteTimes()
  times.add('GET', '/cards/:id', 200, 0.002)
  times.add('GET', '/cards/:id', 200, 0.3)
  times.add('GET', '/cards/:id', 404, 20)
  const text = times.toString()
  expect(text).toContain('http_requests_total{method="GET",route="/cards/:id",status="200"} 2\n')
  expect(text).toContain('http_requests_total{method="GET",route="/cards/:id",status="404"} 1\n')
  const bucket = (end: string) =>
    new RegExp(`_bucket{le="${end}",method="GET",route="/cards/:id"} (\\d+)`).exec(text)?.[1]
  expect(['0.001', '0.0025', '0.25', '0.5', '10', '\\+Inf'].map(bucket)).toEqual([
    '0',
    '1',
    '1',
    '2',
    '2',
    '3',
  ])
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/cards/:id"} 3\n')
})
