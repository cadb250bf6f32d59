import { scan } from './analyse.ts'
import { wordHash } from './term-hash.ts'

/** Long texts are searched whole, but matches are shown where readers begin. */
const LONGEST_READ = 20_000

/** A text of a card with the name of its field. */
export type Field = { where: string; text: string; isLog?: boolean }

/**
 * The texts of a card and the words in them. It depends on the texts alone, so it can be kept for as long as they stay
 * the same, and no search has to cut them into words again.
 */
export type ReadTexts = {
  /** The title comes first. */
  fields: readonly Field[]
  /** How many terms there are up to the end of each field. */
  ends: readonly number[]
  terms: readonly string[]
  hashes: Uint32Array
  /** Where each term stands in the text of its field. */
  starts: Uint16Array
  stops: Uint16Array
}

const beginningOf = (text: string): string =>
  text.length > LONGEST_READ ? text.slice(0, LONGEST_READ) : text

export function readTexts(title: string, fields: readonly Field[]): ReadTexts {
  const all = [{ where: 'title', text: title }, ...fields.filter(({ text }) => text !== '')]
  const terms: string[] = []
  const hashes: number[] = []
  const starts: number[] = []
  const stops: number[] = []
  const ends = all.map(({ text }) => {
    scan(beginningOf(text), (reading, start, stop) => {
      for (let i = 0; i < reading.terms.length; i++) {
        terms.push(reading.terms[i] as string)
        hashes.push(reading.hashes[i] as number)
        starts.push(start)
        stops.push(stop)
      }
    })
    return terms.length
  })
  return {
    fields: all,
    ends,
    terms,
    hashes: Uint32Array.from(hashes),
    starts: Uint16Array.from(starts),
    stops: Uint16Array.from(stops),
  }
}

export type Mark = { start: number; end: number; terms: string[] }

/** The beginning of a field, with its words that matched. */
export type Part = { where: string; text: string; isLog: boolean; marks: Mark[] }

/** Most words of a text are ruled out by the last bits of their hashes. All zeros between calls. */
const SLOTS = 1024
const isWanted = new Uint8Array(SLOTS)
const slotOf = (hash: number) => hash & (SLOTS - 1)

/** What matches in each field. A token counts by its parts, so `getUserById` matches user. */
export function markParts(read: ReadTexts, wanted: ReadonlySet<string>): Part[] {
  const slots = Array.from(wanted, (term) => slotOf(wordHash(term)))
  for (const slot of slots) isWanted[slot] = 1
  const parts = read.fields.map(({ where, text, isLog = false }, i) => {
    const marks = marksBetween(
      read,
      wanted,
      i === 0 ? 0 : (read.ends[i - 1] as number),
      read.ends[i] as number,
    )
    return { where, text: beginningOf(text), isLog, marks }
  })
  for (const slot of slots) isWanted[slot] = 0
  return parts
}

function marksBetween(
  { terms, hashes, starts, stops }: ReadTexts,
  wanted: ReadonlySet<string>,
  from: number,
  to: number,
): Mark[] {
  const marks: Mark[] = []
  for (let i = from; i < to; i++) {
    const term = terms[i] as string
    if (isWanted[slotOf(hashes[i] as number)] === 0 || !wanted.has(term)) continue
    const [start, end, last] = [starts[i] as number, stops[i] as number, marks.at(-1)]
    if (last?.start === start && last.end === end) last.terms.push(term)
    else marks.push({ start, end, terms: [term] })
  }
  return marks
}
