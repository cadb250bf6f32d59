import { sql } from 'kysely'
import type { Database, Db } from '../../db/db.ts'
import { tokens } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import { type AskedWord, type Bm25, dampingOf, gainOf, informationOf, rarity } from '../../text/query.ts'
import { meantSurely } from '../../text/slips.ts'
import { hasTrigrams, innerTrigramsOf } from '../../text/term-hash.ts'
import { STOP_WORDS } from '../../text/terms.ts'
import { type EventRange, eventsWith, inCodes, type Occurrences, partitionHashes } from './event-index.ts'

type MeantWord = {
  term: string
  /** The word as written in an event, case-folded. */
  written: string
  /** The probability that this word is meant, below 1. */
  likeness: number
}

const MAX_MEANT = 3
const MAX_READ = 60
const CHARACTERS = 4000
const MAX_GRAMS = 4
const SHORTEST = 5
/** The upper limit for a corrected word, so that a typed word always ranks higher. */
const SUREST = 0.99

/** Memory has no word list: one typing error changes up to four trigrams, so the others must match. */
async function wordsMeantBy(
  reach: Reach,
  { typed, term }: Pick<AskedWord, 'typed' | 'term'>,
): Promise<MeantWord[]> {
  if (!hasTrigrams(typed) || typed.length < SHORTEST) return []
  return nearest(typed, term, await textsWith(reach, unspoilt(innerTrigramsOf(typed))))
}

function unspoilt(grams: readonly string[]): string[][] {
  const side = Math.max(1, Math.min(MAX_GRAMS, Math.floor((grams.length - 1) / 2)))
  const outer = Math.max(1, Math.min(MAX_GRAMS / 2, grams.length - 3 - side))
  return [grams.slice(0, side), grams.slice(-side), [...grams.slice(0, outer), ...grams.slice(-outer)]]
}

async function textsWith(
  { db, database: { engine }, ranges }: Reach,
  anyOf: readonly string[][],
): Promise<string[]> {
  const texts: string[] = []
  for (const range of ranges) {
    if (texts.length >= MAX_READ) break
    const left = MAX_READ - texts.length
    const { rows } = await (engine === 'sqlite' ? onSqlite : onPostgres)(range, anyOf, left).execute(db)
    texts.push(...rows.map(({ text }) => text))
  }
  return texts
}

const onSqlite = ({ partition, from, to }: EventRange, anyOf: readonly string[][], limit: number) => {
  const codes = (grams: readonly string[]) => partitionHashes(grams, partition).map((hash) => inCodes([hash]))
  const match = anyOf.map((grams) => `(${codes(grams).join(' AND ')})`).join(' OR ')
  return sql<{ text: string }>`
    select substr(events.search_text, 1, ${CHARACTERS}) as text
    from (select rowid from context_event_grams
      where context_event_grams match ${match} and rowid between ${from} and ${to}
      order by rowid desc limit +${limit}) as found
    cross join context_events as events on events.event_no = found.rowid`
}

const onPostgres = (
  { userId, partition, from, to }: EventRange,
  anyOf: readonly string[][],
  limit: number,
) => {
  const any = anyOf.map((grams) => sql`grams @> ${partitionHashes(grams, partition)}::integer[]`)
  return sql<{ text: string }>`
    select substr(events.search_text, 1, ${CHARACTERS}) as text
    from (select event_no from context_event_index
      where user_id = ${userId} and (${sql.join(any, sql` or `)})
        and event_no between ${from}::bigint and ${to}::bigint
      order by event_no desc limit ${limit}) as found
    join context_events as events on events.user_id = ${userId} and events.event_no = found.event_no`
}

function nearest(typed: string, asked: string, texts: readonly string[]): MeantWord[] {
  const found = new Map<string, { written: string; likeness: number; times: number }>()
  for (const text of texts)
    for (const { start, end, terms } of tokens(text)) {
      const [term, ...more] = terms
      if (term === undefined || more.length > 0) continue
      const before = found.get(term)
      if (before) {
        before.times += 1
        continue
      }
      const written = fold(text.slice(start, end))
      const likeness = STOP_WORDS.has(written) ? 0 : Math.min(SUREST, meantSurely(typed, asked, term))
      found.set(term, { written, likeness, times: 1 })
    }
  return [...found]
    .filter(([, { likeness }]) => likeness > 0)
    .sort(([, a], [, b]) => b.likeness - a.likeness || b.times - a.times)
    .slice(0, MAX_MEANT)
    .map(([term, { written, likeness }]) => ({ term, written, likeness }))
}

export type Reach = {
  db: Db
  database: Database
  ranges: readonly EventRange[]
  /** How many events the ranges have, or slightly more. */
  events: number
}

export type TermList = {
  eventNos: number[]
  /** The ranges whose older entries were not read. */
  unread: EventRange[]
  frequency: number
}

export const isWhole = ({ unread }: TermList) => unread.length === 0

/** How many entries of each list are read first. A question of many words reads fewer of each. */
const PROBED = 400
const PROBED_OF_MANY = 100
const MANY_TERMS = 16

/** How many entries one search reads: rare words first, then more common words while the limit allows. */
const MAX_TERMS_READ = 12_000

async function probe(reach: Reach, terms: readonly string[]): Promise<TermList[]> {
  if (terms.length === 0) return []
  const limit = terms.length > MANY_TERMS ? PROBED_OF_MANY : PROBED
  return readLists(reach, reach.ranges, terms, limit)
}

async function readLists(
  { db, database }: Reach,
  ranges: readonly EventRange[],
  terms: readonly string[],
  limit: number,
): Promise<TermList[]> {
  const lists = terms.map((): TermList => ({ eventNos: [], unread: [], frequency: 0 }))
  for (const range of ranges) {
    const found = await eventsWith(db, database.engine, range, terms, limit)
    lists.forEach((list, i) => {
      const eventNos = found[i] as number[]
      const oldest = eventNos.at(-1)
      list.eventNos.push(...eventNos)
      if (oldest !== undefined && eventNos.length === limit) list.unread.push({ ...range, to: oldest - 1 })
      list.frequency += frequencyIn(range, eventNos, limit)
    })
  }
  return lists
}

/** Estimates the frequency of a truncated list from the density of its newest entries. */
function frequencyIn({ from, to }: EventRange, eventNos: readonly number[], limit: number): number {
  const [newest, oldest] = [eventNos[0], eventNos.at(-1)]
  if (newest === undefined || oldest === undefined || eventNos.length < limit) return eventNos.length
  return Math.round((eventNos.length / (newest - oldest + 1)) * (to - from + 1))
}

async function complete(
  reach: Reach,
  terms: readonly string[],
  lists: readonly TermList[],
): Promise<TermList[]> {
  const read = [...lists]
  const byFrequency = lists
    .map((list, i) => ({ i, list }))
    .sort((a, b) => a.list.frequency - b.list.frequency)
  let left = MAX_TERMS_READ
  for (const [order, { i, list }] of byFrequency.entries()) {
    if (!isWhole(list)) {
      if (order > 0 && list.frequency > left) break
      read[i] = await withRest(reach, terms[i] as string, list)
    }
    left -= (read[i] as TermList).eventNos.length
  }
  return read
}

async function withRest(reach: Reach, term: string, list: TermList): Promise<TermList> {
  const [rest] = (await readLists(reach, list.unread, [term], MAX_TERMS_READ)) as [TermList]
  const eventNos = [...list.eventNos, ...rest.eventNos]
  return { eventNos, unread: rest.unread, frequency: list.eventNos.length + rest.frequency }
}

/** Only the first words of a long question are looked up, and the most informative of those are searched. */
const MAX_LOOKUPS = 96
const MAX_WORDS = 32
const MAX_CORRECTED = 3

export type Plan = {
  terms: string[]
  lists: TermList[]
  wanted: Wanted[]
  /** The information of each word of `wanted` and of each omitted word. */
  information: number[]
  unmatched: number[]
  corrected: Record<string, string>
}

/** A term that may match, before its weight is known. Parts that are counted elsewhere have weight 0. */
type Possible = {
  term: string
  parts: readonly { term: string; isCounted: boolean }[]
  likeness: number
}

type Looked = { word: AskedWord; possible: Possible[] }

/** Looks up the words of a question. `corrects`: words without any event are tried under another spelling. */
export async function planQuestion(
  reach: Reach,
  asked: readonly AskedWord[],
  corrects: boolean,
): Promise<Plan> {
  const words = asked.slice(0, MAX_LOOKUPS)
  const table = new TermTable(reach)
  await table.add(words.flatMap(({ term, parts }) => [term, ...parts]))
  const counted = new Set(words.map(({ term }) => term))
  const looked = words.map((word) => lookUp(word, table, counted))
  const isKnown = ({ possible }: Looked) => possible.length > 0
  const known = looked
    .filter(isKnown)
    .map((one) => ({ one, gain: wordGain(one, table) }))
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MAX_WORDS)
    .map(({ one }) => one)
  const unknown = looked.filter((one) => !isKnown(one)).slice(0, MAX_WORDS)
  const corrected = corrects ? await correct(unknown.slice(0, MAX_CORRECTED), reach, table) : {}
  const chosen = [...known, ...unknown.filter(isKnown)]
  await table.complete(chosen.flatMap(({ possible }) => possible.flatMap(termsOf)))
  // A truncated list only estimates a term's frequency, so weights are computed from the completed lists.
  return {
    terms: table.terms,
    lists: table.lists,
    wanted: chosen.map((one) => weighed(one, table)),
    information: chosen.map(({ word }) => informationIn(word, table)),
    unmatched: unknown.filter((one) => !isKnown(one)).map(({ word }) => informationIn(word, table)),
    corrected,
  }
}

const termsOf = ({ term, parts }: Possible) => [term, ...parts.map((part) => part.term)]

const informationIn = ({ term, times, isStopWord }: AskedWord, table: TermTable): number =>
  isStopWord ? 0 : informationOf(term, table.frequencyOf(term), table.events, times)

function lookUp(word: AskedWord, table: TermTable, counted: Set<string>): Looked {
  const parts = word.parts.map((term) => {
    // A part that the question also has as a word or in an earlier name is counted there.
    const isCounted = counted.has(term) || STOP_WORDS.has(term)
    counted.add(term)
    return { term, isCounted }
  })
  const isSpoken = word.parts.length > 0 && word.parts.every((part) => table.frequencyOf(part) > 0)
  const isKnown = table.frequencyOf(word.term) > 0 || isSpoken
  return { word, possible: isKnown ? [{ term: word.term, parts, likeness: 1 }] : [] }
}

/** Returns the terms that may match a word, weighted by rarity and by repetition in the question. */
function weighed({ word, possible }: Looked, table: TermTable): Option[] {
  const weight = 1 + Math.log(word.times)
  return possible.map(({ term, parts, likeness }) => ({
    position: table.positionOf(term),
    worth: weight * likeness * table.rarityOf(term),
    parts: parts.map(({ term, isCounted }) => ({
      position: table.positionOf(term),
      worth: isCounted ? 0 : weight * table.rarityOf(term),
    })),
    likeness,
  }))
}

const wordGain = (one: Looked, table: TermTable): number =>
  weighed(one, table).reduce(
    (sum, { worth, parts }) => parts.reduce((sum, part) => sum + part.worth, sum + worth),
    0,
  )

/** Adds corrections to unknown words. Returns which word replaces which. */
async function correct(unknown: readonly Looked[], reach: Reach, table: TermTable) {
  const corrected: Record<string, string> = {}
  for (const { word, possible } of unknown) {
    if (word.isQuoted || word.parts.length > 0) continue
    const meant = await wordsMeantBy(reach, word)
    await table.add(meant.map(({ term }) => term))
    for (const { term, written, likeness } of meant) {
      if (table.frequencyOf(term) === 0) continue
      possible.push({ term, parts: [], likeness })
      corrected[word.typed] ??= written
    }
  }
  return corrected
}

class TermTable {
  readonly terms: string[] = []
  readonly lists: TermList[] = []
  readonly events: number
  readonly #reach: Reach
  readonly #positions = new Map<string, number>()

  constructor(reach: Reach) {
    this.#reach = reach
    this.events = reach.events
  }

  async add(terms: readonly string[]): Promise<void> {
    const fresh = [...new Set(terms)].filter((term) => !this.#positions.has(term))
    for (const term of fresh) this.#positions.set(term, this.terms.push(term) - 1)
    this.lists.push(...(await probe(this.#reach, fresh)))
  }

  async complete(terms: readonly string[]): Promise<void> {
    const asked = [...new Set(terms)]
    const listed = asked.map((term) => this.lists[this.positionOf(term)] as TermList)
    const read = await complete(this.#reach, asked, listed)
    asked.forEach((term, i) => {
      this.lists[this.positionOf(term)] = read[i] as TermList
    })
  }

  positionOf(term: string): number {
    return this.#positions.get(term) as number
  }

  frequencyOf(term: string): number {
    return (this.lists[this.positionOf(term)] as TermList).frequency
  }

  rarityOf(term: string): number {
    return rarity(this.frequencyOf(term), this.events)
  }
}

/** A period with an exclusive end; ISO times, so that they compare as texts. */
export type Period = { from: string; to: string }

type Dated = { period: Period; rest: string }

type Unit = 'day' | 'week' | 'month' | 'year'
/** The start of a UTC day, in milliseconds. */
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

/** Returns the day, week (from Monday), month or year around a day, shifted by `moved` units. */
function spanAround(day: Day, unit: Unit, moved = 0): Span {
  const date = new Date(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (unit === 'year') return { from: Date.UTC(year + moved, 0), to: Date.UTC(year + moved + 1, 0) }
  if (unit === 'month') return { from: Date.UTC(year, month + moved), to: Date.UTC(year, month + moved + 1) }
  if (unit === 'day') return { from: day + moved * DAY, to: day + (moved + 1) * DAY }
  const monday = day - ((date.getUTCDay() + 6) % 7) * DAY
  return { from: monday + moved * 7 * DAY, to: monday + (moved + 1) * 7 * DAY }
}

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

function weekdaySpan(today: Day, weekday: number): Span {
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7
  return { from: today - back * DAY, to: today - (back - 1) * DAY }
}

type Rule = { words: RegExp; read: (today: Day, parts: (string | undefined)[]) => Span | undefined }

const rule = (words: string, read: Rule['read']): Rule => ({
  words: new RegExp(`(?<![\\p{L}\\p{N}_.-])(?:${words})(?![\\p{L}\\p{N}_-])`, 'u'),
  read,
})

/** The first matching rule wins, so longer rules come first. */
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

/** "Two weeks ago" means that week, "three days ago" that day. */
const ago = (today: Day, number: string, unit: string): Span =>
  spanAround(today, unitOf(unit), -numberOf(number))

const SINCE = /(?<![\p{L}\p{N}])(?:since|after|seit|nach)(?: dem| der)? $/u
const BEFORE = /(?<![\p{L}\p{N}])(?:before|until|vor|bis)(?: dem| der| zum)? $/u
const EVER = { from: Date.UTC(1970, 0), to: Date.UTC(9999, 0) }

/** Longer questions are pasted texts, whose dates are content and not a search period. */
const MAX_QUESTION_LENGTH = 300

/** Returns the first date words of a question, relative to `now`; undefined if there are none. */
export function readDateWords(query: string, now: Date): Dated | undefined {
  const lower = query.toLowerCase()
  if (query.length > MAX_QUESTION_LENGTH || lower.length !== query.length) return undefined
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

/** The length of a turn is accidental, so it counts less than a card's; see bench/README.md. */
const EVENTS: Bm25 = { k1: 1.2, b: 0.6 }

type PositionedTerm = { position: number; worth: number }

export type Option = PositionedTerm & {
  /** The parts of a name. An event matches with the whole name or with all parts. */
  parts: readonly PositionedTerm[]
  /** 1 for the term itself, less for a correction. */
  likeness: number
}

export type Wanted = readonly Option[]

const has = ({ counts }: Occurrences, position: number) => (counts[position] as number) > 0

export const hasParts = (words: Occurrences, { parts }: Option): boolean =>
  parts.length > 0 && parts.every(({ position }) => has(words, position))

export function scoreOf(words: Occurrences, wanted: readonly Wanted[], averageLength: number): number {
  const damping = dampingOf(EVENTS, words.length, averageLength)
  const gain = ({ position, worth }: PositionedTerm) =>
    has(words, position) ? worth * gainOf(EVENTS, words.counts[position] as number, damping) : 0
  let sum = 0
  for (const options of wanted) {
    let best = 0
    for (const option of options) {
      let own = gain(option)
      if (own > 0 || hasParts(words, option)) for (const part of option.parts) own += gain(part)
      best = Math.max(best, own)
    }
    sum += best
  }
  return sum
}

/** Returns the score of an event of this length that has each term of `worth` once. */
export const likelyScore = (worth: number, length: number, averageLength: number): number =>
  worth * gainOf(EVENTS, 1, dampingOf(EVENTS, length, averageLength))
