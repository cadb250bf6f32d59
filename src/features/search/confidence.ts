/**
 * How sure search is that a hit answers the query. It compares the information of the query with the part that the
 * hit has, not the scores of the ranking. So it means the same in a vault of ten cards and of a hundred thousand, and
 * for two words as for a page. Fitted by `bench/confidence.ts`, which also draws docs/search-confidence.svg.
 */

/** How much of one asked word a hit has. */
export type Cover = {
  /** 1: as typed. Less for another form of the word, or for a corrected word. */
  credit: number
  /** In the title, in a tag, or more than once. */
  isProminent: boolean
  isCorrected: boolean
  /** It has the parts of a name, but not the name. */
  isByParts: boolean
}

/** The credit for a match by the stem of a word. */
export const STEM_CREDIT = 0.9
/** The credit for a match in logs and notes only, which mention a word in passing. */
export const MINOR_CREDIT = 0.8

/**
 * The information of a word, from nearly 0 for one that every card has to 1 for one that none has. It is divided by
 * the logarithm of all cards, so that a rare word counts as much in a small vault as in a large one.
 */
export function informationOf(term: string, cards: number, all: number, times: number): number {
  const says = (1 + Math.log(times)) * (Math.log(1 + (all + 1) / (cards + 1)) / Math.log(2 + all))
  return cards === 0 && HAS_DIGIT.test(term) ? says * UNKNOWN_NUMBER : says
}

/** A number or a code that no card has is most often a random id. */
const UNKNOWN_NUMBER = 0.3
const HAS_DIGIT = /\d/

/** What is known of a hit besides its words. */
export type Surroundings = {
  /** How far it stands out from the ten best others: 1 if they have nothing of the query, 0 if they have as much. */
  standing: number
  /** How many cards the asker may see: among many, more share words by chance. */
  cards: number
  /** The number of words: a long card shares more words by chance. */
  length: number
}

export type Features = {
  /** The share of the query's information that the hit has. */
  coverage: number
  /** That information, and the information of the whole query. */
  covered: number
  asked: number
  /** The largest contribution of one word: a hit that rests on one word is less sure. */
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

/** Confidences have four decimals, so that a shown value can be used as `min_score`. */
const TEN_THOUSANDTHS = 10_000

export function confidenceOf(features: Features): number {
  const sum = FEATURES.reduce((sum, name) => sum + COEFFICIENTS[name] * features[name], CONSTANT)
  return Math.round(TEN_THOUSANDTHS / (1 + Math.exp(-sum))) / TEN_THOUSANDTHS
}
