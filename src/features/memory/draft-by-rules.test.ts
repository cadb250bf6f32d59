import { describe, expect, test } from 'vitest'
import { growsTooFast } from '../../../test/support/linear-time.ts'
import { blocksOf, draftByRules, exchangeOf, plainText, shorten } from './propose-card.ts'

describe('a card by rules', () => {
  test('takes what is labelled from a report with headings', () => {
    const draft = draftByRules({
      message: 'Hey, can you please look at the build? It fails with EACCES since the new image.',
      report: [
        'I looked at the image.',
        '## Root cause',
        'The sources are copied as root, and npm runs as node.',
        '## Fix',
        'The copy now sets the owner.',
        '1. Change `COPY . .` to `COPY --chown=node:node . .`',
        '2. Build again without the cache',
        '## Left open',
        'The cache is slow.',
      ].join('\n'),
    })
    expect(draft).toEqual({
      card_type: 'debug_fix',
      title: 'It fails with EACCES since the new image',
      symptom: 'look at the build? It fails with EACCES since the new image.',
      root_cause: 'The sources are copied as root, and npm runs as node.',
      fix_summary: 'The copy now sets the owner.',
      steps: [
        { order: 1, action: 'Change `COPY . .` to `COPY --chown=node:node . .`', result: '' },
        { order: 2, action: 'Build again without the cache', result: '' },
      ],
      evidences: [],
    })
  })

  test('finds cause and fix in plain sentences, and keeps the printed error as evidence', () => {
    const draft = draftByRules({
      message: 'Why is this?\n```\nTypeError: fetch failed\n    at node:internal/deps/undici\n```',
      report:
        'The call went to localhost. It failed because Node resolves localhost to ::1 first. I changed the address to 127.0.0.1 in the client. All tests pass.',
    })
    expect(draft.title).toBe('TypeError: fetch failed')
    expect(draft.root_cause).toBe('It failed because Node resolves localhost to ::1 first.')
    expect(draft.fix_summary).toBe('I changed the address to 127.0.0.1 in the client.')
    expect(draft.evidences).toEqual([
      { kind: 'error', content: 'TypeError: fetch failed\n    at node:internal/deps/undici' },
    ])
  })

  test.each([
    ['prisma migrate fails on CI, please fix', 'prisma migrate fails on CI'],
    ['The login page is blank in Safari. Can you look into it?', 'The login page is blank in Safari.'],
    [
      'Our nightly job dies with exit code 137 since Monday - please investigate.',
      'Our nightly job dies with exit code 137 since Monday',
    ],
    ['the tests fail on a fresh clone, fix it please', 'the tests fail on a fresh clone'],
    ['Fix it.', 'Fix it.'],
  ])('what asks for work is no part of the symptom: %s', (message, symptom) => {
    const draft = draftByRules({
      message,
      report: 'The cause was a stale lock file. I removed the lock file.',
    })
    expect(draft.symptom.split('\n')[0]).toBe(symptom)
    expect(draft.symptom).not.toContain('stale lock file')
  })

  test('reads labels within a line', () => {
    const draft = draftByRules({
      message: null,
      report:
        '**Problem:** The job stops at night.\n\nCause: the lock\n\n**Fix:** Take the lock for ten seconds only.',
    })
    expect(draft).toMatchObject({
      symptom: 'The job stops at night.',
      root_cause: 'the lock',
      fix_summary: 'Take the lock for ten seconds only.',
    })
  })

  test('says what was done if nothing was wrong', () => {
    const draft = draftByRules({
      message: 'Add a dark theme to the settings page, with a switch that follows the system.',
      report: 'Added a switch with three values. The tokens have a second set of colours.',
    })
    expect(draft.card_type).toBe('how_to')
    expect(draft.title).toBe('Add a dark theme to the settings page, with a switch that follows the system')
    expect(draft.root_cause).toBeNull()
    expect(draft.fix_summary).toBe(
      'Added a switch with three values. The tokens have a second set of colours.',
    )
  })

  test('is never without words, and never endless', () => {
    expect(draftByRules({ message: 'go on', report: 'Done.' })).toMatchObject({
      title: 'Done',
      symptom: 'go on',
      fix_summary: 'Done.',
    })
    expect(draftByRules({ message: 'Only a question', report: null }).fix_summary).toBe('')
    const long = draftByRules({
      message: 'word '.repeat(40_000),
      report: `${'The fix is long. '.repeat(12_000)}`,
    })
    expect(long.title.length).toBeLessThanOrEqual(100)
    expect(long.symptom.length).toBeLessThanOrEqual(2000)
    expect(long.fix_summary.length).toBeLessThanOrEqual(2000)
  })

  test('thousands of line ends of Unicode in a printed error cost no time', () => {
    const draft = (end: string) => (length: number) => {
      const report = `\`\`\`\nerror${end.repeat(length)}b\n\`\`\``
      return draftByRules({ message: report, report })
    }
    expect(['\u2028', '\u2029', '\r'].filter((end) => growsTooFast(draft(end), 2500))).toEqual([])
    expect(plainText('## One\n  > two\n\u2028 # three # four')).toBe('One two three # four')
  })

  test('thousands of links that are begun and never ended cost no time', () => {
    const draft = (start: string) => (length: number) =>
      draftByRules({ message: start.repeat(length), report: start.repeat(length) })
    expect(['[', '![', '[a]('].filter((start) => growsTooFast(draft(start), 2500))).toEqual([])
    const report = 'Fixed: see [the page](https://example.com/a) and ![a picture](b.png).'
    expect(draftByRules({ message: null, report }).title).toContain('see the page and a picture')
  })

  test('a fence that is never closed is still code', () => {
    expect(blocksOf('a\n```\n# not a heading\n- no item')).toEqual([
      { kind: 'text', heading: '', text: 'a' },
      { kind: 'code', heading: '', text: '# not a heading\n- no item' },
    ])
  })
})

test('both sides of an exchange are found in turns and in single events', () => {
  const turn = { event_type: 'turn', content: 'User message:\nask\n\nAgent report:\ntell' }
  expect(exchangeOf([turn])).toEqual({ message: 'ask', report: 'tell' })
  const single = [
    { event_type: 'user_message', content: 'ask' },
    { event_type: 'agent_report', content: 'tell' },
    { event_type: 'summary', content: 'more' },
  ]
  expect(exchangeOf(single)).toEqual({ message: 'ask', report: 'tell\n\nmore' })
})

test('a shortened text ends between words or after a whole character', () => {
  expect(shorten('one two three', 10)).toBe('one two…')
  expect(shorten(`a${'😀'.repeat(9)}`, 6)).toBe(`a${'😀'.repeat(4)}…`)
  expect(shorten(`a${'😀'.repeat(9)}`, 10)).toBe(`a${'😀'.repeat(9)}`)
})
