import { type Emit, scan } from './analyse.ts'
import { beginningsOf } from './beginnings.ts'
import { wordHash } from './term-hash.ts'

/** Long texts are searched whole, but matches are shown where readers begin. */
const LONGEST_READ = 20_000

/** A text of a card with the name of its field. */
export type Field = { where: string; text: string; isLog?: boolean }

/** The terms of some texts, one after the other. */
type Words = {
  /** How many terms there are up to the end of each text. */
  ends: number[]
  terms: string[]
  hashes: Uint32Array
  /** Where each term stands in its text. */
  starts: Uint16Array
  stops: Uint16Array
}

/** The texts of a card. Marking words in them once needs less than cutting them into words; the second time it pays. */
export type CardFields = {
  /** The title comes first. */
  fields: readonly Field[]
  words: Words | undefined
}

export const cardFields = (title: string, fields: readonly Field[]): CardFields => ({
  fields: [{ where: 'title', text: title }, ...fields.filter(({ text }) => text !== '')],
  words: undefined,
})

const beginningOf = (text: string): string =>
  text.length > LONGEST_READ ? text.slice(0, LONGEST_READ) : text

/** Cuts the texts into words, for those who mark words in them again. */
export function readWords(card: CardFields): void {
  if (card.words) return
  const terms: string[] = []
  const hashes: number[] = []
  const starts: number[] = []
  const stops: number[] = []
  const ends = card.fields.map(({ text }) => {
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
  card.words = {
    ends,
    terms,
    hashes: new Uint32Array(hashes),
    starts: new Uint16Array(starts),
    stops: new Uint16Array(stops),
  }
}

export type Mark = { start: number; end: number; terms: string[] }

/** The beginning of a field, with its words that matched. */
export type Part = { where: string; text: string; isLog: boolean; marks: Mark[] }

/** What matches in each field. A token counts by its parts, so `getUserById` matches user. */
export function markParts({ fields, words }: CardFields, wanted: ReadonlySet<string>): Part[] {
  const marksOf = words ? markingIn(words, wanted) : marking(wanted)
  return fields.map(({ where, text, isLog = false }, i) => {
    const shown = beginningOf(text)
    return { where, text: shown, isLog, marks: marksOf(shown, i) }
  })
}

type MarksOf = (text: string, field: number) => Mark[]

/** In texts that are not cut into words: most words are passed over by their beginnings. */
function marking(wanted: ReadonlySet<string>): MarksOf {
  const beginnings = beginningsOf(wanted)
  return (text) => {
    const marks: Mark[] = []
    const mark: Emit = ({ terms }, start, end) => {
      const matched = terms.filter((term) => wanted.has(term))
      if (matched.length > 0) marks.push({ start, end, terms: matched })
    }
    scan(text, mark, beginnings)
    return marks
  }
}

/** In words: most of them are passed over by the last bits of their hashes. */
function markingIn({ ends, terms, hashes, starts, stops }: Words, wanted: ReadonlySet<string>): MarksOf {
  let bits = 0
  for (const term of wanted) bits |= 1 << wordHash(term)
  return (_text, field) => {
    const marks: Mark[] = []
    for (let i = field === 0 ? 0 : (ends[field - 1] as number); i < (ends[field] as number); i++) {
      if ((bits & (1 << (hashes[i] as number))) === 0 || !wanted.has(terms[i] as string)) continue
      const [start, end, last] = [starts[i] as number, stops[i] as number, marks.at(-1)]
      if (last?.start === start && last.end === end) last.terms.push(terms[i] as string)
      else marks.push({ start, end, terms: [terms[i] as string] })
    }
    return marks
  }
}
