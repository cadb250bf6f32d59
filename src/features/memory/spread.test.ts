import { expect, test } from 'vitest'
import { spread } from './schemas.ts'

const event = (content: string) => ({ content, truncated: false })
const nothing = {
  user_preferences: null,
  project_preferences: null,
  facts: null,
  summary: null,
  recent_events: [],
}

test('a text that fits does not change, and nothing is counted as left out', () => {
  const snapshot = { ...nothing, facts: event('SQLite'), recent_events: [event('one'), event('two')] }
  expect(spread(snapshot, 6000)).toEqual({ ...snapshot, left_out: { events: 0, characters: 0 } })
})

test('where everything is long, each part has its share and the newest events have the rest', () => {
  const long = event('x'.repeat(20_000))
  const snapshot = {
    user_preferences: long,
    project_preferences: long,
    facts: long,
    summary: long,
    recent_events: Array.from({ length: 20 }, () => event('y'.repeat(500))),
  }
  const cut = spread(snapshot, 6000)
  const length = JSON.stringify(cut).length
  expect(length).toBeLessThanOrEqual(6000)
  expect(length).toBeGreaterThan(4500)
  expect(cut.facts?.content.length).toBeGreaterThan(cut.summary?.content.length ?? 0)
  expect(cut.user_preferences).toMatchObject({ truncated: true })
  expect(cut.recent_events.length).toBeGreaterThan(1)
  expect(cut.left_out.events).toBe(20 - cut.recent_events.length)
  expect(cut.left_out.characters).toBeGreaterThan(80_000)
})

test('room that one part does not need goes to another: facts are whole if there is room', () => {
  const snapshot = { ...nothing, facts: event('f'.repeat(4000)), recent_events: [event('z'.repeat(9000))] }
  const cut = spread(snapshot, 6000)
  expect(cut.facts).toEqual(snapshot.facts)
  expect(cut.recent_events[0]?.content.length).toBeGreaterThan(100)
})

test('texts that grow when they are written as JSON, and characters of two halves, stay within the bound', () => {
  const snapshot = { ...nothing, facts: event('"\n'.repeat(4000)), summary: event('😀'.repeat(3000)) }
  for (const bound of [1000, 1500, 3001])
    expect(JSON.stringify(spread(snapshot, bound)).length).toBeLessThanOrEqual(bound)
  const cut = spread(snapshot, 3001)
  expect(cut.summary?.content.isWellFormed()).toBe(true)
})
