import { sql } from 'kysely'
import { tokens } from '../../../text/analyse.ts'
import { fold } from '../../../text/fold.ts'
import { STOP_WORDS } from '../../../text/stopwords.ts'
import { hasTrigrams, innerTrigramsOf } from '../../../text/trigrams.ts'
import { inCodes, partitionHashes } from '../hashes.ts'
import { slipsBetween } from './slips.ts'
import type { Reach } from './term-lists.ts'
import type { EventRange } from './word-index.search.ts'

/** A word of the events that may be meant by one that none of them has. */
export type MeantWord = {
  term: string
  /** As it is written in an event, folded. */
  word: string
  /** 1 is the word itself. */
  likeness: number
}

const MOST_MEANT = 3
/** Events that are read for the spelling of one word, and how far each. */
const MOST_READ = 60
const CHARACTERS = 4000
/** Every further run is one more list to walk. */
const MOST_GRAMS = 4
const SHORTEST = 5

/**
 * Memory keeps no list of its words, but its substring index has every run of three letters. One slip spoils up to four
 * neighbouring runs of the typed word, and all others stand in the word that is meant: the events that have these are
 * read, and their words compared.
 */
export async function wordsMeantBy(reach: Reach, typed: string): Promise<MeantWord[]> {
  if (!hasTrigrams(typed) || typed.length < SHORTEST) return []
  return nearest(typed, await textsWith(reach, unspoilt(innerTrigramsOf(typed))))
}

/** Wherever the slip is, the runs before it, those behind it, or the outer ones are right. */
function unspoilt(grams: readonly string[]): string[][] {
  const half = Math.min(MOST_GRAMS, Math.max(1, Math.floor(grams.length / 2)))
  const outer = Math.max(1, Math.floor(half / 2))
  return [grams.slice(0, half), grams.slice(-half), [...grams.slice(0, outer), ...grams.slice(-outer)]]
}

async function textsWith({ db, engine, ranges }: Reach, anyOf: readonly string[][]): Promise<string[]> {
  const texts: string[] = []
  for (const range of ranges) {
    if (texts.length >= MOST_READ) break
    const left = MOST_READ - texts.length
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

/** The words of the texts that are a slip away, the likeliest first: fewer slips, then the more common. */
function nearest(typed: string, texts: readonly string[]): MeantWord[] {
  const found = new Map<string, { word: string; slips: number; times: number }>()
  for (const text of texts)
    for (const { start, end, terms } of tokens(text)) {
      const word = fold(text.slice(start, end))
      const term = terms.at(-1)
      if (term === undefined || STOP_WORDS.has(word)) continue
      const before = found.get(term)
      if (before) {
        before.times += 1
        continue
      }
      const slips = slipsBetween(typed, word)
      if (slips !== undefined && slips > 0) found.set(term, { word, slips, times: 1 })
    }
  const fewest = Math.min(...[...found.values()].map(({ slips }) => slips))
  return [...found]
    .filter(([, { slips }]) => slips === fewest)
    .sort(([, a], [, b]) => b.times - a.times)
    .slice(0, MOST_MEANT)
    .map(([term, { word, slips }]) => ({ term, word, likeness: 1 - slips / (typed.length + 1) }))
}
