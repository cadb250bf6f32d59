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

type Looked = { word: AskedWord; options: Option[]; gain: number; says: number }

const weightOf = ({ times }: AskedWord) => 1 + Math.log(times)

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
  const isKnown = ({ options }: Looked) => options.length > 0
  const known = looked
    .filter(isKnown)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MOST_WORDS)
  const unknown = looked.filter((one) => !isKnown(one)).slice(0, MOST_WORDS)
  const corrected = corrects ? await correct(unknown.slice(0, MOST_CORRECTED), reach, table) : {}
  const chosen = [...known, ...unknown.filter(isKnown)]
  await table.complete(chosen.flatMap(({ options }) => options.flatMap(positionsOf)))
  return {
    terms: table.terms,
    lists: table.lists,
    wanted: chosen.map(({ options }) => options),
    information: chosen.map(({ says }) => says),
    unmatched: unknown.filter((one) => !isKnown(one)).map(({ says }) => says),
    corrected,
  }
}

const positionsOf = ({ position, parts }: Option) => [position, ...parts.map((part) => part.position)]

function lookUp(word: AskedWord, table: TermTable, counted: Set<string>): Looked {
  const weight = weightOf(word)
  const parts = word.parts.map((part) => {
    // A part that the question also has as a word, or in an earlier name, is counted there.
    const worth = counted.has(part) || STOP_WORDS.has(part) ? 0 : weight * table.rarityOf(part)
    counted.add(part)
    return { position: table.positionOf(part), worth }
  })
  const frequency = table.frequencyOf(word.term)
  const worth = weight * table.rarityOf(word.term)
  const isSpoken = word.parts.length > 0 && word.parts.every((part) => table.frequencyOf(part) > 0)
  const option = { position: table.positionOf(word.term), worth, parts, likeness: 1 }
  return {
    word,
    options: frequency > 0 || isSpoken ? [option] : [],
    gain: worth + parts.reduce((sum, part) => sum + part.worth, 0),
    says: informationOf(word.term, frequency, table.events, word.times),
  }
}

/** Adds options to unknown words: the words that may be meant. Returns which word replaces which. */
async function correct(unknown: readonly Looked[], reach: Reach, table: TermTable) {
  const corrected: Record<string, string> = {}
  for (const one of unknown) {
    const { word } = one
    if (word.isQuoted || word.parts.length > 0) continue
    const meant = await wordsMeantBy(reach, word)
    await table.add(meant.map(({ term }) => term))
    for (const { term, written, likeness } of meant) {
      if (table.frequencyOf(term) === 0) continue
      const worth = weightOf(word) * likeness * table.rarityOf(term)
      one.options.push({ position: table.positionOf(term), worth, parts: [], likeness })
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

  /** Reads the rest of the lists at these positions, up to the limit of one search. */
  async complete(positions: readonly number[]): Promise<void> {
    const asked = [...new Set(positions)]
    const read = await complete(
      this.#reach,
      asked.map((position) => this.terms[position] as string),
      asked.map((position) => this.lists[position] as TermList),
    )
    asked.forEach((position, i) => {
      this.lists[position] = read[i] as TermList
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
