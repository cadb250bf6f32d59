import { canonicalLanguage, DEFAULT_LANGUAGE, DIGITS } from '#server/shared/language.ts'

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
const CLOCK = { hour: 'numeric', minute: '2-digit' } as const

/** Made on first use: making a formatter costs far more than using it. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Dates, numbers and prices are written in the language of the reader; the words of the app are English. */
const formatsOf = (language: string) => {
  const locales = [language, DEFAULT_LANGUAGE]
  const dates = (parts: Intl.DateTimeFormatOptions) =>
    once(() => new Intl.DateTimeFormat(locales, { ...parts, ...DIGITS }))
  return {
    language,
    locales,
    number: once(() => new Intl.NumberFormat(locales, DIGITS)),
    day: dates(DAY),
    shortDay: dates({ day: 'numeric', month: 'short' }),
    minute: dates({ ...DAY, ...CLOCK }),
    clock: dates(CLOCK),
  }
}

let formats = formatsOf(DEFAULT_LANGUAGE)

export function setLanguage(tag: string): void {
  const language = canonicalLanguage(tag) ?? DEFAULT_LANGUAGE
  if (language !== formats.language) formats = formatsOf(language)
}

export const formatNumber = (value: number) => formats.number().format(value)
export const formatDay = (iso: string) => formats.day().format(new Date(iso))
export const formatShortDay = (at: Date) => formats.shortDay().format(at)
export const formatTime = (iso: string) => formats.minute().format(new Date(iso))
export const formatClock = (iso: string) => formats.clock().format(new Date(iso))
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
export const credits = (count: number) => plural(count, 'credit')

/** English in every language, because English words stand around it. */
const relative = once(
  () => new Intl.RelativeTimeFormat(DEFAULT_LANGUAGE, { numeric: 'auto', style: 'short' }),
)

const STEPS: [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [86_400 * 14, 'day', 86_400],
]

export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1000
  if (seconds < 45) return 'just now'
  for (const [limit, unit, size] of STEPS)
    if (seconds < limit) return relative().format(-Math.max(1, Math.round(seconds / size)), unit)
  return formatDay(iso)
}

export const money = (cents: number, currency: string) =>
  new Intl.NumberFormat(formats.locales, {
    ...DIGITS,
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: cents % 100 ? 2 : 0,
  }).format(cents / 100)

/** Returns a Markdown text as one plain line: no fences, no back-ticks, no line breaks. */
export const excerpt = (markdown: string) =>
  markdown
    .slice(0, 600)
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/^[ \t]*[#>]+[ \t]*/gm, '')
    .replace(/`+|\*\*/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()

/** Returns a text as one line without the marks of Markdown; code in it stays. */
export const plainLine = (text: string): string =>
  text
    .replace(/```\w*|`+|\*\*|^[ \t]*(?:#{1,6}|[-*>])[ \t]+/gm, '')
    .replace(/(?<![\w/.*])\*(?=[^\s*])([^*\n]{0,200}[^*\s])\*(?![\w*])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
