import { expect, test } from 'vitest'
import { sanitise } from '../redaction/redact.ts'
import { turnContent, turnParts } from './memory.ts'

test('a turn comes apart as it was put together', () => {
  for (const [message, report] of [
    ['why is it slow?', 'An index was missing.\n\nAdded it.'],
    ['several\n\nparagraphs', '# Report\n- done'],
  ] as const)
    expect(turnParts(turnContent(message, report))).toEqual({ message, report })
})

test('a message that quotes a turn stays in one piece', () => {
  for (const end of ['\nfoo', '\n', '']) {
    const message = `please explain:\n\nAgent report:\nfoo\n\n\nAgent report:${end}`
    const quoted = message.replaceAll('Agent report:', ' Agent report:')
    const { message: read, report } = turnParts(turnContent(message, 'done'))
    expect([read, report]).toEqual([quoted, 'done'])
  }
})

test('so does one with other line ends, or that begins with the heading', () => {
  for (const message of ['why?\r\n\r\nAgent report:\r\nfoo', '\nAgent report:\nfoo', 'Agent report:\nfoo']) {
    const { message: read, report } = turnParts(sanitise(turnContent(message, 'done')).text)
    expect([read, report]).toEqual([
      message.replaceAll('\r', '').replace('Agent report:', ' Agent report:'),
      'done',
    ])
  }
})

test('a turn that was cut before its report has a message only', () => {
  expect(turnParts('User message:\nwhy is it sl')).toEqual({ message: 'why is it sl', report: null })
})

test('a turn that a client wrote in its own form is a report', () => {
  expect(turnParts('did this and that')).toEqual({ message: null, report: 'did this and that' })
})
