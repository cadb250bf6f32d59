import { expect, test } from 'vitest'
import { agentsWords, lastMessage, personsWords } from './capture.ts'

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

test('text that the client inserts is never taken for the words of the person', () => {
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

test('the events of Copilot end with the last message that says something', () => {
  const message = (content: string): Line => ({ type: 'assistant.message', data: { content } })
  const events = transcript(
    message('first'),
    message('second'),
    { type: 'tool.execution_start' },
    message(' '),
  )
  expect(lastMessage(events)).toBe('second')
  expect(lastMessage('')).toBeUndefined()
})
