import { expect, test } from 'vitest'
import { contextText, newIn } from './hook-context.ts'
import { agentsWords, personsWords } from './hook-transcript.ts'
import type { Snapshot, SnapshotEvent } from './project.ts'

const event = (content: string, more: Partial<SnapshotEvent> = {}): SnapshotEvent => ({
  event_type: 'turn',
  content,
  created_at: '2026-01-01T10:00:00.000Z',
  title: null,
  session_id: null,
  ...more,
})
const NOTHING: Snapshot = {
  project_key: 'org/repo',
  summary: null,
  facts: null,
  project_preferences: null,
  user_preferences: null,
  recent_events: [],
  total_events: 0,
  generated_at: '2026-01-02T00:00:00.000Z',
}

test('a project without memory injects nothing', () => {
  expect(contextText(NOTHING, 6000, 'one')).toBe('')
})

test('preferences come first, the session is named, and the budget is never exceeded', () => {
  const snapshot = {
    ...NOTHING,
    user_preferences: event('short answers'),
    facts: event('uses SQLite'),
    recent_events: [event('x'.repeat(10_000))],
  }
  const text = contextText(snapshot, 1000, 'session-1')
  expect(text.length).toBeLessThanOrEqual(1000)
  expect(text).toContain('session_id session-1')
  expect(text.indexOf('short answers')).toBeLessThan(text.indexOf('uses SQLite'))
  expect(text.endsWith('…')).toBe(true)
})

test('a session that goes on gets what came since, and nothing of its own', () => {
  const since = '2026-01-01T12:00:00.000Z'
  const later = { created_at: '2026-01-01T13:00:00.000Z' }
  const snapshot = {
    ...NOTHING,
    facts: event('old facts'),
    summary: event('new focus', later),
    recent_events: [
      event('by another session', { ...later, session_id: 'two' }),
      event('by itself', { ...later, session_id: 'one' }),
      event('long ago'),
    ],
  }
  const shown = newIn(snapshot, { since, sessionId: 'one' })
  expect(shown.facts).toBeNull()
  expect(shown.summary?.content).toBe('new focus')
  expect(shown.recent_events.map(({ content }) => content)).toEqual(['by another session'])
})

type Line = Record<string, unknown>
const said = (text: string, more: Line = {}): Line => ({ type: 'user', message: { content: text }, ...more })
const answered = (text: string): Line => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }] },
})
const transcript = (...lines: Line[]) => `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`

test('the turn is the last message of the person and the last answer to it', () => {
  const lines = transcript(
    said('first'),
    answered('one'),
    said('second', { uuid: 'u2' }),
    { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'x' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'y' }] } },
    answered('two'),
    { ...answered('by a subagent'), isSidechain: true },
  )
  expect(personsWords(lines)).toEqual({ text: 'second', id: 'u2' })
  expect(agentsWords(lines)).toBe('two')
  expect(agentsWords(transcript(said('first')))).toBeUndefined()
  expect(personsWords('')).toBeUndefined()
})

test('what the client puts in is never taken for the words of the person', () => {
  const inserted: Line[] = [
    said('This session is being continued from a previous conversation that ran out of context. Summary: …'),
    said('all that was said, in short', { isCompactSummary: true }),
    said('Caveat: the messages below', { isMeta: true }),
    said('<system-reminder>\nToday is Monday.\n</system-reminder>'),
    said('<task-notification>\n<status>completed</status>\n</task-notification>'),
    said('<teammate-message from="x">done</teammate-message>'),
    said('[Request interrupted by user for tool use]'),
    said('a prompt for a subagent', { isSidechain: true }),
    said('the clock has struck', { origin: { kind: 'schedule' } }),
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'result' }] } },
  ]
  for (const line of inserted) {
    expect(personsWords(transcript(line)), JSON.stringify(line)).toBeUndefined()
    expect(personsWords(transcript(said('Mend it'), line))?.text, JSON.stringify(line)).toBe('Mend it')
  }
  const mixed = said('<system-reminder>a</system-reminder>\nMend it\n<ide_selection>b</ide_selection>')
  expect(personsWords(transcript(mixed))?.text).toBe('Mend it')
  expect(personsWords(transcript(said('<div> is broken')))?.text).toBe('<div> is broken')
})

test('after a command the client speaks in its own words, and nothing is kept', () => {
  for (const command of [
    '<command-message>review</command-message>\n<command-name>/review</command-name>',
    '<command-name>/clear</command-name>',
    '<local-command-stdout>Set model</local-command-stdout>',
    '<bash-input>ls</bash-input>',
  ])
    expect(
      personsWords(transcript(said('before'), answered('yes'), said(command), answered('done'))),
    ).toBeUndefined()
})
