import { canonicalLanguage, DEFAULT_LANGUAGE } from '#server/core/language.ts'

/** The words of the app are English; dates, numbers and prices are written in the language of the reader. */
const formatsOf = (language: string) => {
  // A language that this browser has no data for reads as English.
  const locales = [language, DEFAULT_LANGUAGE]
  const dayParts = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const clockParts = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return {
    language,
    locales,
    number: new Intl.NumberFormat(locales),
    day: new Intl.DateTimeFormat(locales, dayParts),
    shortDay: new Intl.DateTimeFormat(locales, { day: 'numeric', month: 'short' }),
    minute: new Intl.DateTimeFormat(locales, { ...dayParts, ...clockParts }),
    clock: new Intl.DateTimeFormat(locales, clockParts),
    relative: new Intl.RelativeTimeFormat(locales, { numeric: 'auto', style: 'short' }),
  }
}

let formats = formatsOf(DEFAULT_LANGUAGE)

/** Affects later calls; the caller draws the page again. */
export function setLanguage(tag: string): void {
  const language = canonicalLanguage(tag) ?? DEFAULT_LANGUAGE
  if (language !== formats.language) formats = formatsOf(language)
}

export const formatNumber = (value: number) => formats.number.format(value)
export const formatDay = (iso: string) => formats.day.format(new Date(iso))
export const formatShortDay = (at: Date) => formats.shortDay.format(at)
export const formatTime = (iso: string) => formats.minute.format(new Date(iso))
export const formatClock = (iso: string) => formats.clock.format(new Date(iso))
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
export const credits = (count: number) => plural(count, 'credit')

const justNow = () =>
  formats.language.split('-')[0] === DEFAULT_LANGUAGE ? 'just now' : formats.relative.format(0, 'second')

const STEPS: [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [86_400 * 14, 'day', 86_400],
]

/** "4 min. ago" while that helps, the date after two weeks. */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1000
  if (seconds < 45) return justNow()
  for (const [limit, unit, size] of STEPS)
    if (seconds < limit) return formats.relative.format(-Math.max(1, Math.round(seconds / size)), unit)
  return formatDay(iso)
}

export const money = (cents: number, currency: string) =>
  new Intl.NumberFormat(formats.locales, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: cents % 100 ? 2 : 0,
  }).format(cents / 100)
