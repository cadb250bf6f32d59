import { expect, test } from 'vitest'
import { contextText, lastTurn } from './hook.ts'
import type { Snapshot } from './project.ts'

const event = (content: string) => ({
  event_type: 'turn',
  content,
  created_at: '2026-01-01T10:00:00.000Z',
  title: null,
})
const NOTHING: Snapshot = {
  project_key: 'org/repo',
  summary: null,
  facts: null,
  project_preferences: null,
  user_preferences: null,
  recent_events: [],
  total_events: 0,
}

test('a project without memory injects nothing', () => {
  expect(contextText(NOTHING, NOTHING, 6000)).toBe('')
})

test('preferences come first and the budget is never exceeded', () => {
  const snapshot = { ...NOTHING, facts: event('uses SQLite'), recent_events: [event('x'.repeat(10_000))] }
  const text = contextText(snapshot, { ...NOTHING, user_preferences: event('short answers') }, 300)
  expect(text.length).toBeLessThanOrEqual(300)
  expect(text.indexOf('short answers')).toBeLessThan(text.indexOf('uses SQLite'))
  expect(text.endsWith('…')).toBe(true)
})

test('the turn is the last message of the person and the last answer to it', () => {
  const lines = [
    { type: 'user', message: { content: 'first' } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'one' }] } },
    { type: 'user', message: { content: 'second' } },
    { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'x' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'y' }] } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'two' }] } },
  ]
  const transcript = `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`
  expect(lastTurn(transcript)).toEqual({ user: 'second', agent: 'two' })
  expect(lastTurn(JSON.stringify(lines[0]))).toBeUndefined()
})
