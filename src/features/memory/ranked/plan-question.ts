import { rarity } from '../../../text/bm25.ts'
import type { AskedWord } from '../../../text/query-words.ts'
import { STOP_WORDS } from '../../../text/stopwords.ts'
import { informationOf } from '../../search/confidence.ts'
import { wordsMeantBy } from './meant-words.ts'
import type { Option, Wanted } from './score-events.ts'
import { complete, probe, type Reach, type TermList } from './term-lists.ts'

/** Only the first words of a long question are looked up; of these, the most telling are searched. */
const MOST_LOOKED_UP = 96
const MOST_WORDS = 32
/** For how many unknown words another spelling is tried. */
const MOST_CORRECTED = 3

/** The question, with everything that ranking needs to know about it. */
export type Plan = {
  /** The terms that are counted in every event, and the events that hold each. */
  terms: string[]
  lists: TermList[]
  /** The most telling first; words that match nothing are left out. */
  wanted: Wanted[]
  /** The information of each of `wanted`, and of the words that are left out. */
  information: number[]
  unmatched: number[]
  corrected: Record<string, string>
}

/** A term that may match, before its weight is known. Parts that are counted elsewhere weigh nothing. */
type Possible = {
  term: string
  parts: readonly { term: string; isCounted: boolean }[]
  likeness: number
}

type Looked = { word: AskedWord; possible: Possible[] }

/** Looks up the words of a question; `corrects` says whether those that no event has are tried under another spelling. */
export async function planQuestion(
  reach: Reach,
  asked: readonly AskedWord[],
  corrects: boolean,
): Promise<Plan> {
  const words = asked.slice(0, MOST_LOOKED_UP)
  const table = new TermTable(reach)
  await table.add(words.flatMap(({ term, parts }) => [term, ...parts]))
  const counted = new Set(words.map(({ term }) => term))
  const looked = words.map((word) => lookUp(word, table, counted))
  const isKnown = ({ possible }: Looked) => possible.length > 0
  const known = looked
    .filter(isKnown)
    .map((one) => ({ one, gain: gainOf(one, table) }))
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MOST_WORDS)
    .map(({ one }) => one)
  const unknown = looked.filter((one) => !isKnown(one)).slice(0, MOST_WORDS)
  const corrected = corrects ? await correct(unknown.slice(0, MOST_CORRECTED), reach, table) : {}
  const chosen = [...known, ...unknown.filter(isKnown)]
  await table.complete(chosen.flatMap(({ possible }) => possible.flatMap(termsOf)))
  // The newest entries of a list only hint at how common a term is, so weights follow the completed lists.
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
    // A part that the question also has as a word, or in an earlier name, is counted there.
    const isCounted = counted.has(term) || STOP_WORDS.has(term)
    counted.add(term)
    return { term, isCounted }
  })
  const isSpoken = word.parts.length > 0 && word.parts.every((part) => table.frequencyOf(part) > 0)
  const isKnown = table.frequencyOf(word.term) > 0 || isSpoken
  return { word, possible: isKnown ? [{ term: word.term, parts, likeness: 1 }] : [] }
}

/** The terms that may match a word of the question, with their weights: how rare they are, and more for a repeated word. */
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

const gainOf = (one: Looked, table: TermTable): number =>
  weighed(one, table).reduce(
    (sum, { worth, parts }) => parts.reduce((sum, part) => sum + part.worth, sum + worth),
    0,
  )

/** Adds the words that may be meant to unknown words. Returns which word replaces which. */
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

/** The terms that were looked up, each once, with their lists. */
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

  /** Reads the rest of the lists of these terms, up to the limit of one search. */
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
