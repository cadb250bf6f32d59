import { expect, test } from 'vitest'
import { turnContent } from '../../shared/memory.ts'
import { termsOf } from '../../text/analyse.ts'
import {
  contradictionsOf,
  excerptOf,
  saidAbout,
  sentencesIn,
  sentencesThatAdd,
  spokenLines,
} from './excerpt.ts'

const told = (...exchanges: [string, string][]) =>
  exchanges.map(([user, agent], n) => ({
    content: turnContent(user, agent),
    created_at: `2026-03-0${n + 1}T10:00:00.000Z`,
  }))

const TALK = told(
  [
    'The totals are off. What does round_total do?',
    'Looking at it now. I will round each line and then sum up. Do you want that?',
  ],
  [
    'No, sum first and round once, half to even. Unrelated: the kitchen is closed on Friday.',
    'Recap: round_total sums all lines first, then rounds once, half to even, with two decimals.',
  ],
)

const sayOf = (room: number, known = '') =>
  spokenLines(excerptOf(TALK, { known: new Set(termsOf(known)), room }))

test('decisions come before questions, plans and asides, the end before the opening', () => {
  expect(sayOf(130)).toMatch(/^Agent: Recap: round_total sums all lines first/)
  const more = sayOf(260)
  expect(more.indexOf('You: No, sum first')).toBeLessThan(more.indexOf('Agent: Recap'))
  expect(more).not.toMatch(/Do you want that|kitchen/)
  expect(sayOf(130).length).toBeLessThanOrEqual(130)
})

test('what the prompt says already counts less than what is new', () => {
  const talk = told(['Use semicolons in the export.', 'Done.'], ['Use the Latin-1 encoding there.', 'Done.'])
  const only = (known: string) => spokenLines(excerptOf(talk, { known: new Set(termsOf(known)), room: 45 }))
  expect(only('semicolons in the export')).toContain('Latin-1')
  expect(only('the encoding is Latin-1')).toContain('semicolons')
})

test('a proposal that the next message refuses gives way to the refusal', () => {
  const talk = told(
    ['How long may sessions live?', 'Sessions live 14 days with a remember me cookie for everybody.'],
    ['No, sessions live 30 minutes, without any remember me cookie at all.', 'Done.'],
  )
  const { lines } = { lines: excerptOf(talk, { known: new Set(), room: 90 }) }
  expect(lines.map(({ text }) => text)).toEqual([
    'No, sessions live 30 minutes, without any remember me cookie at all.',
  ])
})

test('marked sentences are left out, and one longer than the room is cut', () => {
  const isLeftOut = (text: string) => text.startsWith('Recap')
  const lines = excerptOf(TALK, { known: new Set(), room: 300, isLeftOut })
  expect(spokenLines(lines)).not.toContain('Recap')
  expect(spokenLines(lines)).toContain('sum first and round once')
  const long = [{ content: `The rule is ${'one and two '.repeat(40)}`, created_at: '' }]
  expect(spokenLines(excerptOf(long, { known: new Set(), room: 100 })).length).toBeLessThanOrEqual(110)
})

test('of a long event search shows what it says about the query, wherever that stands', () => {
  const filler = 'The weather was fine and everybody was happy with the coffee. '
  const content = `${filler.repeat(150)}The pager limit is 40 rows for suppliers. ${filler.repeat(150)}`
  const at = content.indexOf('pager')
  expect(saidAbout({ content, created_at: '' }, new Set(termsOf('pager limit')), at)).toContain('40 rows')
  expect(saidAbout({ content: 'Short enough.', created_at: '' }, new Set(['short']), 0)).toBeUndefined()
})

test('a decision about a line of a document is found; other talk is not', () => {
  const events = told(
    ['From now on the pager limit is 60 rows.', 'Done.'],
    ['Rename the pager file.', 'Renamed.'],
  )
  expect(contradictionsOf(['The pager limit is 40 rows', 'We deploy on Monday'], events)).toMatchObject([
    { line: 'The pager limit is 40 rows', event: 0, said: 'You: From now on the pager limit is 60 rows.' },
  ])
})

test('texts of blanks, dots and one endless line take no time that grows faster than they do', () => {
  for (const text of [' '.repeat(200_000), '. '.repeat(100_000), 'a'.repeat(200_000), '\n'.repeat(200_000)])
    expect(sentencesIn(text).length).toBeLessThan(100_001)
})

const PROMPT = 'Retries of the uploader hammer the storage. Fix the uploader so that it backs off.'
const MESSAGE = `The uploader was changed because the storage team complained. Retries of the uploader hammered the storage.
Waits double from 200 ms up to 30 s. They must never exceed five attempts. A quota error is not retried at all.
Thanks to everybody who looked at it.`

test('of a message, the sentences come that say something new; one that fits comes whole', () => {
  expect(sentencesThatAdd(PROMPT, MESSAGE, 1000)).toBe(MESSAGE)
  const chosen = sentencesThatAdd(PROMPT, MESSAGE, 150)
  expect(chosen.length).toBeLessThanOrEqual(150)
  expect(chosen).toContain('They must never exceed five attempts.')
  expect(chosen).not.toContain('hammered')
  expect(sentencesThatAdd(PROMPT, 'word '.repeat(20_000), 100).length).toBeLessThanOrEqual(100)
})
