import { type Emit, scan } from './analyse.ts'
import { type Beginnings, beginningsOf } from './beginnings.ts'
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
  /** Three numbers for each term: where it starts and stops in its text, and the last bits of its hash. */
  positions: Uint16Array
}

const NUMBERS_EACH = 3

/** The texts of a card. Marking words in them needs less than cutting them into words; for a card that comes often, that pays. */
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
  const positions: number[] = []
  const ends = card.fields.map(({ text }) => {
    scan(beginningOf(text), (reading, start, stop) => {
      for (let i = 0; i < reading.terms.length; i++) {
        terms.push(reading.terms[i] as string)
        positions.push(start, stop, reading.hashes[i] as number)
      }
    })
    return terms.length
  })
  // Copied, as an array that has grown keeps room for more.
  card.words = { ends, terms: terms.slice(), positions: new Uint16Array(positions) }
}

export type Mark = { start: number; end: number; terms: string[] }

/** The beginning of a field, with its words that matched. */
export type Part = { where: string; text: string; isLog: boolean; marks: Mark[] }

/** Terms to be found in texts, with what tells quickly that a word is none of them. */
export type WantedTerms = {
  terms: ReadonlySet<string>
  beginnings: Beginnings
  /** A bit for the last five bits of each term's hash. */
  hashBits: number
}

export function wantTerms(terms: ReadonlySet<string>): WantedTerms {
  let hashBits = 0
  for (const term of terms) hashBits |= 1 << wordHash(term)
  return { terms, beginnings: beginningsOf(terms), hashBits }
}

/** What matches in each field. A token counts by its parts, so `getUserById` matches user. */
export function markParts({ fields, words }: CardFields, wanted: WantedTerms): Part[] {
  const marksOf = words ? markingIn(words, wanted) : marking(wanted)
  return fields.map(({ where, text, isLog = false }, i) => {
    const shown = beginningOf(text)
    return { where, text: shown, isLog, marks: marksOf(shown, i) }
  })
}

type MarksOf = (text: string, field: number) => Mark[]

/** No reader needs more marks of one term in one text. A text may repeat a word thousands of times. */
const MOST_OF_TERM = 100

/** Whether a term of one text gets a further mark. */
function countingTerms(): (term: string) => boolean {
  const counts = new Map<string, number>()
  return (term) => {
    const count = counts.get(term) ?? 0
    if (count === MOST_OF_TERM) return false
    counts.set(term, count + 1)
    return true
  }
}

/** In texts that are not cut into words: most words are passed over by their beginnings. */
function marking({ terms: wanted, beginnings }: WantedTerms): MarksOf {
  return (text) => {
    const marks: Mark[] = []
    const mayMark = countingTerms()
    const mark: Emit = ({ terms }, start, end) => {
      const matched = terms.filter((term) => wanted.has(term) && mayMark(term))
      if (matched.length > 0) marks.push({ start, end, terms: matched })
    }
    scan(text, mark, beginnings)
    return marks
  }
}

/** In words: most of them are passed over by the last bits of their hashes. */
function markingIn({ ends, terms, positions }: Words, wanted: WantedTerms): MarksOf {
  return (_text, field) => {
    const marks: Mark[] = []
    const mayMark = countingTerms()
    for (let i = field === 0 ? 0 : (ends[field - 1] as number); i < (ends[field] as number); i++) {
      const mayBe = wanted.hashBits & (1 << (positions[NUMBERS_EACH * i + 2] as number))
      if (mayBe === 0 || !wanted.terms.has(terms[i] as string) || !mayMark(terms[i] as string)) continue
      const start = positions[NUMBERS_EACH * i] as number
      const end = positions[NUMBERS_EACH * i + 1] as number
      const last = marks.at(-1)
      if (last?.start === start && last.end === end) last.terms.push(terms[i] as string)
      else marks.push({ start, end, terms: [terms[i] as string] })
    }
    return marks
  }
}
