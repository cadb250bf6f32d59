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

/** What is known of a hit besides its words. */
export type Surroundings = {
  /** How far it stands out from the ten best others: 1 if they have nothing of the query, 0 if as much. */
  standing: number
  /** How many cards the asker may see: among many, one that shares words by chance is found sooner. */
  cards: number
  /** In words: a long card shares more words by chance. */
  length: number
}

export type Features = {
  /** The share of what the query says that the hit says too. */
  coverage: number
  /** How much that is, and how much the query says. */
  covered: number
  asked: number
  /** The most that one word gives to it: a hit that rests on one word, which the query repeats, is less sure. */
  single: number
  /** The share of it that is prominent. */
  prominence: number
  standing: number
  cards: number
  length: number
}

export function featuresOf(
  information: readonly number[],
  covers: readonly Cover[],
  { standing, cards, length }: Surroundings,
): Features {
  let [asked, covered, prominent, single] = [0, 0, 0, 0]
  covers.forEach(({ credit, isProminent }, i) => {
    const says = information[i] as number
    asked += says
    covered += says * credit
    single = Math.max(single, says * credit)
    if (isProminent) prominent += says * credit
  })
  return {
    coverage: asked > 0 ? covered / asked : 0,
    covered: Math.log(1 + covered),
    asked: Math.log(1 + asked),
    single,
    prominence: covered > 0 ? prominent / covered : 0,
    standing: Math.max(-1, Math.min(1, standing)),
    cards: Math.log10(1 + cards),
    length: Math.log10(1 + length),
  }
}

/** Below this confidence nothing is a hit. */
export const FLOOR = 0.5

export const CONSTANT = 7.55
export const COEFFICIENTS: Readonly<Record<keyof Features, number>> = {
  coverage: 4.28,
  covered: 7.31,
  asked: -3.05,
  single: -1.27,
  prominence: 1.82,
  standing: -1.69,
  cards: -0.99,
  length: -3.12,
}

const FEATURES = Object.keys(COEFFICIENTS) as (keyof Features)[]

/** Answers show four places, so that nobody asks for a `min_score` that was shown and misses by the fifth. */
const TEN_THOUSANDTHS = 10_000

export function confidenceOf(features: Features): number {
  const sum = FEATURES.reduce((sum, name) => sum + COEFFICIENTS[name] * features[name], CONSTANT)
  return Math.round(TEN_THOUSANDTHS / (1 + Math.exp(-sum))) / TEN_THOUSANDTHS
}
