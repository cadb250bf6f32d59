import { expect, test } from 'vitest'
import { isTyped } from '../ui/dialog.tsx'
import {
  credits,
  excerpt,
  formatAgo,
  formatClock,
  formatDay,
  formatNumber,
  formatTime,
  money,
  plainLine,
  setLanguage,
} from './format.ts'

const now = Date.parse('2026-11-10T12:00:00Z')

test('times are near while that helps and a date after two weeks', () => {
  expect(formatAgo('2026-11-10T11:59:50Z', now)).toBe('just now')
  expect(formatAgo('2026-11-10T11:55:00Z', now)).toBe('5 min. ago')
  expect(formatAgo('2026-11-09T11:00:00Z', now)).toBe('yesterday')
  expect(formatAgo('2026-10-01T11:00:00Z', now)).toBe('Oct 1, 2026')
})

test('one credit is not two, and cents show only where there are some', () => {
  expect(credits(1)).toBe('1 credit')
  expect(credits(1200)).toBe('1,200 credits')
  expect(money(900, 'usd')).toBe('$9')
  expect(money(950, 'eur')).toBe('€9.50')
})

test('an excerpt is one line without the marks of Markdown', () => {
  expect(excerpt('Use `finally`.\n\n```ts\ncode\n```\n**Then** see [docs](https://example.com).')).toBe(
    'Use finally. Then see docs.',
  )
})

test('an excerpt leaves identifiers as they are', () => {
  expect(excerpt('# Raise\nfs.inotify.max_user_watches to 5 > 4')).toBe(
    'Raise fs.inotify.max_user_watches to 5 > 4',
  )
})

test('a line of a text keeps the words of its code, and none of its marks', () => {
  expect(plainLine('## Pool\n\n```ts\nconst pool = `a`\n```\n- run `npm ci`')).toBe(
    'Pool const pool = a run npm ci',
  )
  expect(plainLine('- run `npm ci`\n- *then* test')).toBe('run npm ci then test')
  expect(plainLine('**copy** src/*.ts and *.js, 5 * 3')).toBe('copy src/*.ts and *.js, 5 * 3')
})

test('dates, numbers and prices follow the language; a tag that is none means English', () => {
  const now = Date.parse('2026-11-10T12:00:00Z')
  setLanguage('de-AT')
  expect(formatDay('2026-10-01T11:00:00Z')).toBe('1. Okt. 2026')
  expect(formatNumber(1234.5)).toMatch(/^1.234,5$/)
  expect(formatAgo('2026-11-10T11:55:00Z', now)).toBe('5 min. ago')
  expect(formatAgo('2026-11-09T11:00:00Z', now)).toBe('yesterday')
  expect(formatAgo('2026-11-10T11:59:50Z', now)).toBe('just now')
  expect(formatAgo('2026-10-01T11:00:00Z', now)).toBe('1. Okt. 2026')
  expect(formatClock('2026-11-10T15:05:00')).toBe('15:05')
  setLanguage('en-US@posix')
  expect(formatDay('2026-10-01T11:00:00Z')).toBe('Oct 1, 2026')
  expect(money(1200, 'usd')).toBe('$12')
  expect(formatClock('2026-11-10T15:05:00')).toMatch(/^3:05\sPM$/)
})

test('numbers have the same digits in every language, as those that no format writes', () => {
  for (const language of ['ar-EG', 'fa', 'bn', 'mr']) {
    setLanguage(language)
    const written = [
      credits(302),
      formatTime('2026-11-10T15:05:00'),
      formatAgo('2026-11-10T11:55:00Z', now),
      money(950, 'usd'),
    ]
    for (const text of written) expect(text, language).toMatch(/^(?=.*[0-9])(?!.*(?![0-9])\p{Nd})/u)
  }
  setLanguage('en')
})

test('a word is typed as it is shown, where several blanks look like one', () => {
  expect(isTyped('Rocket  team', ' Rocket team')).toBe(true)
  expect(isTyped('Rocket  team', 'Rocket  team')).toBe(true)
  expect(isTyped('Rocket team', 'Rocketteam')).toBe(false)
  expect(isTyped('Rocket team', 'rocket team')).toBe(false)
})
