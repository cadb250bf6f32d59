/** A period of time without its end; ISO times, so that they compare as texts. */
export type Period = { from: string; to: string }

/** What a question says about time, and the question without it. */
export type Dated = { period: Period; rest: string }

type Unit = 'day' | 'week' | 'month' | 'year'
/** The beginning of a day, as milliseconds. Days are those of UTC. */
type Day = number
type Span = { from: Day; to: Day }

const DAY = 24 * 60 * 60 * 1000

const MONTHS = [
  ['january', 'januar'],
  ['february', 'februar'],
  ['march', 'märz'],
  ['april'],
  ['may', 'mai'],
  ['june', 'juni'],
  ['july', 'juli'],
  ['august'],
  ['september'],
  ['october', 'oktober'],
  ['november'],
  ['december', 'dezember'],
]
const WEEKDAYS = [
  ['sunday', 'sonntag'],
  ['monday', 'montag'],
  ['tuesday', 'dienstag'],
  ['wednesday', 'mittwoch'],
  ['thursday', 'donnerstag'],
  ['friday', 'freitag'],
  ['saturday', 'samstag'],
]
const UNITS: Record<Unit, string[]> = {
  day: ['days', 'day', 'tagen', 'tage', 'tag'],
  week: ['weeks', 'week', 'wochen', 'woche'],
  month: ['months', 'month', 'monaten', 'monate', 'monats', 'monat'],
  year: ['years', 'year', 'jahren', 'jahre', 'jahres', 'jahr'],
}
const NUMBERS = [
  ['a', 'an', 'one', 'einem', 'einer'],
  ['two', 'zwei', 'a couple of'],
  ['three', 'drei', 'a few'],
  ['four', 'vier'],
  ['five', 'fünf'],
  ['six', 'sechs'],
  ['seven', 'sieben'],
  ['eight', 'acht'],
  ['nine', 'neun'],
  ['ten', 'zehn'],
]

const anyOf = (words: readonly string[]) => words.join('|')
const indexIn = (names: readonly (readonly string[])[], word: string) =>
  names.findIndex((spellings) => spellings.includes(word))

const MONTH = anyOf(MONTHS.flat())
const WEEKDAY = anyOf(WEEKDAYS.flat())
const UNIT = anyOf(Object.values(UNITS).flat())
const NUMBER = `\\d{1,3}|${anyOf(NUMBERS.flat())}`
const YEAR = '(?:19|20)\\d\\d'
const LAST = 'last|previous|past|letzten|letzte|letztes|letzter|letztem|vergangenen|vergangene|vergangenes'
const THIS = 'this|diesen|diese|dieses|dieser|diesem'

const unitOf = (word: string): Unit =>
  (Object.keys(UNITS) as Unit[]).find((unit) => UNITS[unit].includes(word)) as Unit

const numberOf = (word: string): number => (/^\d/.test(word) ? Number(word) : indexIn(NUMBERS, word) + 1)

const dayOf = (time: number): Day => Math.floor(time / DAY) * DAY

/** The day, the week from Monday, the month or the year that a day is in, moved by some of these. */
function spanAround(day: Day, unit: Unit, moved = 0): Span {
  const date = new Date(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (unit === 'year') return { from: Date.UTC(year + moved, 0), to: Date.UTC(year + moved + 1, 0) }
  if (unit === 'month') return { from: Date.UTC(year, month + moved), to: Date.UTC(year, month + moved + 1) }
  if (unit === 'day') return { from: day + moved * DAY, to: day + (moved + 1) * DAY }
  const monday = day - ((date.getUTCDay() + 6) % 7) * DAY
  return { from: monday + moved * 7 * DAY, to: monday + (moved + 1) * 7 * DAY }
}

/** A month without a year is the most recent one. */
function monthSpan(today: Day, month: number, year: string | undefined): Span {
  const thisYear = new Date(today).getUTCFullYear()
  const wanted = year ? Number(year) : Date.UTC(thisYear, month) <= today ? thisYear : thisYear - 1
  return { from: Date.UTC(wanted, month), to: Date.UTC(wanted, month + 1) }
}

function dateSpan(today: Day, month: number, day: string, year: string | undefined): Span | undefined {
  const inMonth = monthSpan(today, month, year)
  let from = inMonth.from + (Number(day) - 1) * DAY
  if (Number(day) < 1 || from >= inMonth.to) return undefined
  if (!year && from > today) from = Date.UTC(new Date(from).getUTCFullYear() - 1, month, Number(day))
  return { from, to: from + DAY }
}

/** The last such day before today. */
function weekdaySpan(today: Day, weekday: number): Span {
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7
  return { from: today - back * DAY, to: today - (back - 1) * DAY }
}

type Rule = { words: RegExp; read: (today: Day, parts: (string | undefined)[]) => Span | undefined }

const rule = (words: string, read: Rule['read']): Rule => ({
  words: new RegExp(`(?<![\\p{L}\\p{N}_.-])(?:${words})(?![\\p{L}\\p{N}_-])`, 'u'),
  read,
})

/** The first matching rule is used, so the longer ones come first. */
const RULES: readonly Rule[] = [
  rule(`(?:on |am |vom )?(${YEAR})-(\\d\\d)-(\\d\\d)`, (today, [year, month = '', day = '']) =>
    Number(month) >= 1 && Number(month) <= 12 ? dateSpan(today, Number(month) - 1, day, year) : undefined,
  ),
  rule(`(?:in |im )?(${YEAR})-(0[1-9]|1[0-2])`, (today, [year, month]) =>
    monthSpan(today, Number(month) - 1, year),
  ),
  rule(
    `(?:on |the )*(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${MONTH})(?:,? (${YEAR}))?`,
    (today, [day = '', month = '', year]) => dateSpan(today, indexIn(MONTHS, month), day, year),
  ),
  rule(`(?:am )?(\\d{1,2})\\. (${MONTH})(?: (${YEAR}))?`, (today, [day = '', month = '', year]) =>
    dateSpan(today, indexIn(MONTHS, month), day, year),
  ),
  rule(
    `(?:on )?(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?(?:,? (${YEAR}))?`,
    (today, [month = '', day = '', year]) => dateSpan(today, indexIn(MONTHS, month), day, year),
  ),
  rule(`(?:in |im |during |of )?(${MONTH}) (?:of )?(${YEAR})`, (today, [month = '', year]) =>
    monthSpan(today, indexIn(MONTHS, month), year),
  ),
  rule(`(?:in|im|during|since|seit|${LAST}|${THIS}) (${MONTH})`, (today, [month = '']) =>
    monthSpan(today, indexIn(MONTHS, month), undefined),
  ),
  rule(`(?:in|during|im jahr) (${YEAR})`, (_, [year]) => spanAround(Date.UTC(Number(year), 0), 'year')),
  rule('(?:the )?day before yesterday|vorgestern', (today) => spanAround(today, 'day', -2)),
  rule('yesterday|gestern', (today) => spanAround(today, 'day', -1)),
  rule('today|heute', (today) => spanAround(today, 'day')),
  rule(`(${NUMBER}) (${UNIT}) ago`, (today, [number = '', unit = '']) => ago(today, number, unit)),
  rule(`vor (${NUMBER}) (${UNIT})`, (today, [number = '', unit = '']) => ago(today, number, unit)),
  rule(
    `(?:in |within |during |over )?(?:the |den |die )?(?:${LAST}) (${NUMBER}) (${UNIT})`,
    (today, [number = '', unit = '']) => ({
      from: ago(today, number, unit).from,
      to: today + DAY,
    }),
  ),
  rule(`(?:in |on |am )?(?:the |der |dem )?(?:${LAST}) (${UNIT})`, (today, [unit = '']) =>
    spanAround(today, unitOf(unit), -1),
  ),
  rule(`(?:in |on )?(?:${THIS}) (${UNIT})`, (today, [unit = '']) => spanAround(today, unitOf(unit))),
  rule(`(?:on|am|since|seit|${LAST}|${THIS}) (${WEEKDAY})`, (today, [weekday = '']) =>
    weekdaySpan(today, indexIn(WEEKDAYS, weekday)),
  ),
]

/** "Two weeks ago" is that week, "three days ago" that day. */
const ago = (today: Day, number: string, unit: string): Span =>
  spanAround(today, unitOf(unit), -numberOf(number))

const SINCE = /(?<![\p{L}\p{N}])(?:since|after|seit|nach)(?: dem| der)? $/u
const BEFORE = /(?<![\p{L}\p{N}])(?:before|until|vor|bis)(?: dem| der| zum)? $/u
/** Before everything that is remembered, and after it. */
const EVER = { from: Date.UTC(1970, 0), to: Date.UTC(9999, 0) }

/** Longer questions are pasted texts, and the dates in these are part of what happened. */
const LONGEST_QUESTION = 300

/** The first date words of a question, relative to `now`; undefined if it has none. */
export function readDateWords(query: string, now: Date): Dated | undefined {
  const lower = query.toLowerCase()
  if (query.length > LONGEST_QUESTION || lower.length !== query.length) return undefined
  const today = dayOf(now.getTime())
  for (const { words, read } of RULES) {
    const match = words.exec(lower)
    const span = match && read(today, match.slice(1))
    if (!match || !span) continue
    const before = lower.slice(0, match.index)
    const opening = SINCE.exec(before) ?? BEFORE.exec(before)
    const start = opening ? opening.index : match.index
    const rest = `${query.slice(0, start)} ${query.slice(match.index + match[0].length)}`
    return { period: periodOf(span, before, match[0]), rest: rest.replace(/ {2,}/g, ' ').trim() }
  }
  return undefined
}

function periodOf({ from, to }: Span, before: string, words: string): Period {
  const time = (day: Day) => new Date(day).toISOString()
  if (SINCE.test(before) || /^(?:since|seit) /.test(words)) return { from: time(from), to: time(EVER.to) }
  if (BEFORE.test(before)) return { from: time(EVER.from), to: time(from) }
  return { from: time(from), to: time(to) }
}
