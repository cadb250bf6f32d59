import { expect, test } from 'vitest'
import { turnContent } from '#server/shared/memory.ts'
import type { MemoryEvent } from '../../api/types.ts'
import type { Commit } from './memory-queries.ts'
import {
  blocksOf,
  type Exchange,
  eventsOf,
  headlineOf,
  isHeadlineWholeMessage,
  noteName,
  secretsRemoved,
  sessionsOf,
} from './timeline.tsx'

let last = 0

const event = (
  minute: number,
  event_type: MemoryEvent['event_type'],
  extra: Partial<MemoryEvent> = {},
): MemoryEvent => ({
  raw_id: `event-${String(++last).padStart(4, '0')}`,
  project_key: 'github.com/example/shop',
  event_type,
  title: null,
  content: `${event_type} at ${minute}`,
  session_id: null,
  client: null,
  meta: null,
  workspace_id: 'workspace',
  redactions: [],
  truncated: false,
  created_at: new Date(Date.UTC(2026, 0, 5, 12, minute)).toISOString(),
  ...extra,
})

const grouped = (...events: MemoryEvent[]) => sessionsOf(events.toReversed())

const shape = (events: MemoryEvent[]) =>
  grouped(...events).map((session) =>
    session.exchanges.map(({ message, report, notes }) => [
      message?.text ?? null,
      report?.text ?? null,
      notes.length,
    ]),
  )

test('a message and the report after it are one exchange', () => {
  expect(shape([event(0, 'user_message'), event(5, 'agent_report')])).toEqual([
    [['user_message at 0', 'agent_report at 5', 0]],
  ])
})

test('two reports after one message are two exchanges', () => {
  expect(shape([event(0, 'user_message'), event(5, 'agent_report'), event(6, 'agent_report')])).toEqual([
    [
      ['user_message at 0', 'agent_report at 5', 0],
      [null, 'agent_report at 6', 0],
    ],
  ])
})

test('a message without an answer stays open and the next one begins anew', () => {
  expect(shape([event(0, 'user_message'), event(1, 'user_message'), event(2, 'agent_report')])).toEqual([
    [
      ['user_message at 0', null, 0],
      ['user_message at 1', 'agent_report at 2', 0],
    ],
  ])
})

test('summaries and facts belong to the exchange they follow', () => {
  expect(
    shape([
      event(0, 'user_message'),
      event(1, 'agent_report'),
      event(1, 'summary'),
      event(1, 'fact_snapshot'),
    ]),
  ).toEqual([[['user_message at 0', 'agent_report at 1', 2]]])
})

test('a session id holds events together over any pause, also when sessions run side by side', () => {
  const sessions = grouped(
    event(0, 'user_message', { session_id: 'a', client: 'one' }),
    event(1, 'user_message', { session_id: 'b' }),
    event(200, 'agent_report', { session_id: 'a', client: 'two' }),
  )
  expect(sessions.map((session) => [session.sessionId, session.clients])).toEqual([
    ['a', ['one', 'two']],
    ['b', []],
  ])
})

test('without a session id a pause of half an hour begins a new session', () => {
  expect(
    grouped(event(0, 'user_message'), event(29, 'agent_report'), event(60, 'user_message')),
  ).toHaveLength(2)
})

test('the latest session comes first', () => {
  const starts = grouped(event(0, 'user_message'), event(120, 'user_message'), event(300, 'user_message'))
  expect(starts.map((session) => session.startedAt.slice(11, 16))).toEqual(['17:00', '14:00', '12:00'])
})

test('a session is the same one when older events are loaded and newer ones come', () => {
  const events = [0, 5, 100, 105, 110].map((minute, at) =>
    event(minute, 'user_message', at % 2 ? { session_id: 'named' } : {}),
  )
  const ids = (from: number, to: number) => grouped(...events.slice(from, to)).map(({ id }) => id)
  expect(ids(2, 4)).toHaveLength(2)
  expect(ids(0, 5)).toEqual(expect.arrayContaining(ids(2, 4)))
  expect(new Set(ids(0, 5)).size).toBe(3)
})

test('both sides of a turn and the notes written with it are one exchange', () => {
  const turn = event(0, 'turn', { content: turnContent('why is it slow?', 'An index was missing.') })
  expect(shape([turn, event(0, 'summary')])).toEqual([[['why is it slow?', 'An index was missing.', 1]]])
})

test('a turn that a client wrote in its own form is a report', () => {
  expect(shape([event(0, 'turn', { content: 'did this and that' })])).toEqual([
    [[null, 'did this and that', 0]],
  ])
})

test('no events are no sessions', () => {
  expect(sessionsOf([])).toEqual([])
})

const eventNamed = (raw_id: string, extra: Partial<MemoryEvent> = {}): MemoryEvent => ({
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
  const turn = eventNamed('turn', { redactions: [{ kind: 'PASSWORD', count: 2 }] })
  const note = eventNamed('note', { redactions: [{ kind: 'API_KEY', count: 1 }] })
  const whole = exchange({
    message: { event: turn, text: 'a' },
    report: { event: turn, text: 'b' },
    notes: [note],
  })
  expect(eventsOf(whole).map((one) => one.raw_id)).toEqual(['turn', 'note'])
  expect(secretsRemoved(whole)).toBe(3)
})

test('the headline is the message, or else the title or the text of what there is', () => {
  expect(headlineOf(exchange({ message: { event: eventNamed('m'), text: '## Fix **it**' } }))).toBe('Fix it')
  expect(headlineOf(exchange({ report: { event: eventNamed('r', { title: 'Done' }), text: 'long' } }))).toBe(
    'Done',
  )
  expect(headlineOf(exchange({ notes: [eventNamed('n')] }))).toBe('content of n')
})

test('a message that the headline says in full is not shown twice', () => {
  const said = (text: string, truncated = false) =>
    isHeadlineWholeMessage(exchange({ message: { event: eventNamed('m', { truncated }), text } }))
  expect(said('Fix it')).toBe(true)
  expect(said('Fix\nit')).toBe(false)
  expect(said('Fix it', true)).toBe(false)
  expect(isHeadlineWholeMessage(exchange({}))).toBe(false)
})

test('notes have the names of their documents', () => {
  expect(noteName(eventNamed('n', { event_type: 'summary' }))).toBe('Summary')
  expect(
    noteName(eventNamed('n', { event_type: 'fact_snapshot', meta: { fact_kind: 'user_preferences' } })),
  ).toBe('Your preferences')
  expect(noteName(eventNamed('n', { event_type: 'fact_snapshot' }))).toBe('Facts')
})

const commitAt = (minute: number) =>
  ({
    commit_id: `commit-${minute}`,
    committed_at: new Date(Date.UTC(2026, 0, 5, 12, minute)).toISOString(),
  }) as Commit

test('commits stand between sessions, down to the time that both are known for', () => {
  const sessions = grouped(
    event(0, 'turn', { session_id: 'a' }),
    event(20, 'turn', { session_id: 'b' }),
    event(40, 'turn', { session_id: 'c' }),
  )
  const commits = [50, 30, 25, 10].map(commitAt)
  const shown = (end: number | undefined) =>
    blocksOf(sessions, commits, end === undefined ? undefined : commitAt(end).committed_at).map((block) =>
      'session' in block
        ? block.session.sessionId
        : block.commits.map(({ commit_id }) => commit_id.replace('commit-', '')),
    )
  expect(shown(undefined)).toEqual([['50'], 'c', ['30', '25'], 'b', ['10'], 'a'])
  expect(shown(25)).toEqual([['50'], 'c', ['30', '25']])
  expect(shown(40)).toEqual([['50'], 'c'])
  expect(blocksOf([], commits, undefined)).toEqual([{ commits }])
})
