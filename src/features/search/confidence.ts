import { COMMON_STEMS } from '../../text/common-words.ts'

/**
 * How sure search is that a hit answers the query. It looks at what the query says and how much of it the hit says too, not at
 * the points of the ranking, so it means the same in a vault of ten cards and of a hundred thousand, and for two words as
 * for a page. Fitted by `bench/confidence.ts`, which also draws docs/search-confidence.svg.
 */

/** How much of one asked word a hit has. */
export type Cover = {
  /** 1: as typed. Less where another form of the word stands there, or one that is taken to be meant. */
  credit: number
  /** In the title, in a tag, or more than once. */
  isProminent: boolean
  isCorrected: boolean
  /** It has the parts of a name, but not the name. */
  isByParts: boolean
}

/** What a match of a word by its stem is worth beside the word itself. */
export const STEM_CREDIT = 0.9
/** What is said in logs and notes alone is said in passing. */
export const MINOR_CREDIT = 0.8

/**
 * What a word says, from nearly 0 for one that every card has to 1 for one that none has. The logarithm of all cards stands below,
 * so that a rare word says as much in a small vault as in a large one.
 */
export function informationOf(term: string, cards: number, all: number, times: number): number {
  const says = (1 + Math.log(times)) * (Math.log(1 + (all + 1) / (cards + 1)) / Math.log(2 + all))
  return cards === 0 && HAS_DIGIT.test(term) ? says * UNKNOWN_NUMBER : says
}

/** A number or a code that no card has is most often an id of the moment. */
const UNKNOWN_NUMBER = 0.3
const HAS_DIGIT = /\d/

/** A word that every subject uses says less than its rarity. */
const COMMON_SHARE = 0.6

/** What a word says about whether a card is meant. How often the query repeats it tells how cards rank, not how sure a hit is. */
export const cardInformationOf = (term: string, cards: number, all: number): number =>
  informationOf(term, cards, all, 1) * (COMMON_STEMS.has(term) ? COMMON_SHARE : 1)

/** What is known of a hit besides its words. */
export type Surroundings = {
  /** How many cards the asker may see: among many, one that shares words by chance is found sooner. */
  cards: number
  /** In words: a long card shares more words by chance. */
  length: number
}

export type Coverage = {
  /** The share of what the query says that the hit says too. */
  coverage: number
  /** How much that is, and how much the query says. */
  covered: number
  asked: number
  /** The share of what is covered that is prominent. */
  prominence: number
}

export function coverageOf(information: readonly number[], covers: readonly Cover[]): Coverage {
  let [asked, covered, prominent] = [0, 0, 0]
  covers.forEach(({ credit, isProminent }, i) => {
    const says = information[i] as number
    asked += says
    covered += says * credit
    if (isProminent) prominent += says * credit
  })
  return {
    coverage: asked > 0 ? covered / asked : 0,
    covered: Math.log(1 + covered),
    asked: Math.log(1 + asked),
    prominence: covered > 0 ? prominent / covered : 0,
  }
}

export type Features = Coverage & {
  /** The share of what the query says that no card has, under no spelling. */
  unknown: number
  cards: number
  length: number
}

/** A word of the query: what it says, and whether no card has it or a word that may be meant. */
export type WeighedWord = { information: number; isUnknown: boolean }

export function featuresOf(
  words: readonly WeighedWord[],
  covers: readonly Cover[],
  { cards, length }: Surroundings,
): Features {
  let [asked, unknown] = [0, 0]
  for (const { information, isUnknown } of words) {
    asked += information
    if (isUnknown) unknown += information
  }
  return {
    ...coverageOf(
      words.map(({ information }) => information),
      covers,
    ),
    unknown: asked > 0 ? unknown / asked : 0,
    cards: Math.log10(1 + cards),
    length: Math.log10(1 + length),
  }
}

/** Below this confidence nothing is a hit. */
export const FLOOR = 0.5

export const CONSTANT = 4.88
export const COEFFICIENTS: Readonly<Record<keyof Features, number>> = {
  coverage: 7.77,
  covered: 8.72,
  asked: -2.29,
  prominence: 1.55,
  unknown: -1.57,
  cards: -1.13,
  length: -3.59,
}

const FEATURES = Object.keys(COEFFICIENTS) as (keyof Features)[]

/** The logit of how sure a hit is, looked at by itself. */
export const sumOf = (features: Features): number =>
  FEATURES.reduce((sum, name) => sum + COEFFICIENTS[name] * features[name], CONSTANT)

/** Answers show four places, so that nobody asks for a `min_score` that was shown and misses by the fifth. */
const TEN_THOUSANDTHS = 10_000

export const confidenceOf = (sum: number): number =>
  Math.round(TEN_THOUSANDTHS / (1 + Math.exp(-sum))) / TEN_THOUSANDTHS

/** The surest of so many first hits tells whether the vault knows about the subject at all. */
export const FIRST_HITS = 3
/** Beside a sure hit another one moves towards it by this share of the way, and by no more than so much. */
const TOWARDS_SUREST = 0.75
const MOST_MOVED = 3

/** The same beside the surest of the first hits: where the vault answers one's question, its next cards are likelier to as well. */
export const besideSurest = (sum: number, surest: number): number =>
  surest > 0 && surest > sum ? sum + Math.min(TOWARDS_SUREST * (surest - sum), MOST_MOVED) : sum
