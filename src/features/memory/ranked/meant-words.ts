import { sql } from 'kysely'
import { tokens } from '../../../text/analyse.ts'
import { fold } from '../../../text/fold.ts'
import type { AskedWord } from '../../../text/query-words.ts'
import { meantSurely } from '../../../text/slips.ts'
import { STOP_WORDS } from '../../../text/stopwords.ts'
import { hasTrigrams, innerTrigramsOf } from '../../../text/trigrams.ts'
import { inCodes, partitionHashes } from '../hashes.ts'
import type { Reach } from './term-lists.ts'
import type { EventRange } from './word-index.search.ts'

/** A word of the events that may be meant by one that none of them has. */
export type MeantWord = {
  term: string
  /** As it stands in an event, folded. */
  written: string
  /** How surely it is meant, below 1. */
  likeness: number
}

const MOST_MEANT = 3
/** Events that are read for the spelling of one word, and how far each. */
const MOST_READ = 60
const CHARACTERS = 4000
/** Every trigram is one more list to read. */
const MOST_GRAMS = 4
const SHORTEST = 5
/** A corrected word is never as certain as a typed one. */
const SUREST = 0.99

/**
 * Memory keeps no list of its words, but its substring index has every trigram. One typing error changes up to four
 * neighbouring trigrams of the typed word; the word that is meant has all others. So the events that have these are
 * read, and their words compared.
 */
export async function wordsMeantBy(
  reach: Reach,
  { typed, term }: Pick<AskedWord, 'typed' | 'term'>,
): Promise<MeantWord[]> {
  if (!hasTrigrams(typed) || typed.length < SHORTEST) return []
  return nearest(typed, term, await textsWith(reach, unspoilt(innerTrigramsOf(typed))))
}

/**
 * Wherever an error changes up to four neighbours, the first trigrams, the last ones, or the outermost of both sides
 * are right. In a word of fewer than eight letters a swap in the middle may change all three.
 */
function unspoilt(grams: readonly string[]): string[][] {
  const side = Math.max(1, Math.min(MOST_GRAMS, Math.floor((grams.length - 1) / 2)))
  const outer = Math.max(1, Math.min(MOST_GRAMS / 2, grams.length - 3 - side))
  return [grams.slice(0, side), grams.slice(-side), [...grams.slice(0, outer), ...grams.slice(-outer)]]
}

async function textsWith(
  { db, database: { engine }, ranges }: Reach,
  anyOf: readonly string[][],
): Promise<string[]> {
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

/** The words of the texts that may be meant, the most likely first, then the more common. */
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
    .slice(0, MOST_MEANT)
    .map(([term, { written, likeness }]) => ({ term, written, likeness }))
}
