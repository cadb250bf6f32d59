import { expect, test } from 'vitest'
import type { MemoryEvent } from '../../../api/memory.ts'
import { eventsOf, headlineOf, isSaidByHeadline, noteName, secretsRemoved } from './exchange-text.ts'
import type { Exchange } from './timeline.ts'

const event = (raw_id: string, extra: Partial<MemoryEvent> = {}): MemoryEvent => ({
  raw_id,
  project_key: 'github.com/example/shop',
  event_type: 'turn',
  title: null,
  content: `content of ${raw_id}`,
  session_id: null,
  client: null,
  meta: null,
  workspace_id: 'workspace',
  redactions: [],
  truncated: false,
  created_at: '2026-01-05T12:00:00.000Z',
  ...extra,
})

const exchange = (extra: Partial<Exchange>): Exchange => ({
  id: 'e',
  message: null,
  report: null,
  notes: [],
  ...extra,
})

test('a turn is one event, and its removed secrets count once', () => {
  const turn = event('turn', { redactions: [{ kind: 'PASSWORD', count: 2 }] })
  const note = event('note', { redactions: [{ kind: 'API_KEY', count: 1 }] })
  const whole = exchange({
    message: { event: turn, text: 'a' },
    report: { event: turn, text: 'b' },
    notes: [note],
  })
  expect(eventsOf(whole).map((one) => one.raw_id)).toEqual(['turn', 'note'])
  expect(secretsRemoved(whole)).toBe(3)
})

test('the headline is the message, or else the title or the text of what there is', () => {
  expect(headlineOf(exchange({ message: { event: event('m'), text: '## Fix **it**' } }))).toBe('Fix it')
  expect(headlineOf(exchange({ report: { event: event('r', { title: 'Done' }), text: 'long' } }))).toBe(
    'Done',
  )
  expect(headlineOf(exchange({ notes: [event('n')] }))).toBe('content of n')
})

test('a message that the headline says in full is not shown twice', () => {
  const said = (text: string, truncated = false) =>
    isSaidByHeadline(exchange({ message: { event: event('m', { truncated }), text } }))
  expect(said('Fix it')).toBe(true)
  expect(said('Fix\nit')).toBe(false)
  expect(said('Fix it', true)).toBe(false)
  expect(isSaidByHeadline(exchange({}))).toBe(false)
})

test('notes have the names of their documents', () => {
  expect(noteName(event('n', { event_type: 'summary' }))).toBe('Summary')
  expect(noteName(event('n', { event_type: 'fact_snapshot', meta: { fact_kind: 'user_preferences' } }))).toBe(
    'Your preferences',
  )
  expect(noteName(event('n', { event_type: 'fact_snapshot' }))).toBe('Facts')
})
