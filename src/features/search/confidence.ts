import { isCommonStem } from '../../text/common-words.ts'
import { type AskedWord, SHORT_NUMBER } from '../../text/query-words.ts'

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

const SHORT_NUMBER_SHARE = 0.3

/** The share of its information that a common English word keeps. */
const COMMON_SHARE = 0.6

/** The share that the words before a qualified name keep: a card seldom writes `sqlalchemy.exc.` before OperationalError. */
const QUALIFIER_SHARE = 0.3

/** The information of an asked word for the confidence in cards. */
export function askedInformation(
  { term, isStopWord, isQualifier }: AskedWord,
  cards: number,
  all: number,
): number {
  if (isStopWord) return 0
  const says = cardInformationOf(term, cards, all)
  return isQualifier ? says * QUALIFIER_SHARE : says
}

/**
 * The information of a word for the confidence in cards: 0 for one that every card has, also in a small vault, where
 * all cards may be about the same product. Repetition in the query counts for the order of hits only.
 */
export function cardInformationOf(term: string, cards: number, all: number): number {
  // The two counts are read one after the other, and cards may be counted in between.
  const among = Math.max(all, cards)
  const says = Math.max(0, Math.log((2 + among) / (1 + cards)) / Math.log(2 + among))
  if (cards === 0 && HAS_DIGIT.test(term)) return says * UNKNOWN_NUMBER
  if (SHORT_NUMBER.test(term)) return says * SHORT_NUMBER_SHARE
  return isCommonStem(term) ? says * COMMON_SHARE : says
}

/** What is known of a hit besides its words. */
export type Surroundings = {
  /** How many cards the asker may see: among many, more share words by chance. */
  cards: number
  /** The number of words: a long card shares more words by chance. */
  length: number
}

export type Coverage = {
  /** The share of the query's information that the hit has. */
  coverage: number
  /** That information, and the information of the whole query. */
  covered: number
  asked: number
  /** The share of the covered information that is prominent. */
  prominence: number
}

export function coverageOf(information: readonly number[], covers: readonly Cover[]): Coverage {
  let [asked, covered, prominent] = [0, 0, 0]
  for (let i = 0; i < covers.length; i++) {
    const { credit, isProminent } = covers[i] as Cover
    const says = information[i] as number
    asked += says
    covered += says * credit
    if (isProminent) prominent += says * credit
  }
  return {
    coverage: asked > 0 ? covered / asked : 0,
    covered: Math.log(1 + covered),
    asked: Math.log(1 + asked),
    prominence: covered > 0 ? prominent / covered : 0,
  }
}

export type Features = Coverage & {
  /** The share of the query's information in words that no card has, and for which no correction is known. */
  unknown: number
  cards: number
  length: number
}

/** Among more cards than this, no more of them share words by chance: their words are rarer, too. */
const MOST_CARDS = 30_000

/** A word of the query: its information, and whether neither the word nor a correction of it stands in any card. */
export type WeighedWord = { information: number; isUnknown: boolean }

/** The words of a query with what is the same for every hit of it. */
export type WeighedQuery = {
  information: readonly number[]
  /** The share of the information in unknown words. */
  unknown: number
}

export function weighQuery(words: readonly WeighedWord[]): WeighedQuery {
  let [asked, unknown] = [0, 0]
  for (const { information, isUnknown } of words) {
    asked += information
    if (isUnknown) unknown += information
  }
  return {
    information: words.map(({ information }) => information),
    unknown: asked > 0 ? unknown / asked : 0,
  }
}

/** Field by field, as it is made for every candidate. */
export function featuresOf(
  { information, unknown }: WeighedQuery,
  covers: readonly Cover[],
  { cards, length }: Surroundings,
): Features {
  const { coverage, covered, asked, prominence } = coverageOf(information, covers)
  return {
    coverage,
    covered,
    asked,
    prominence,
    unknown,
    cards: Math.log10(1 + Math.min(cards, MOST_CARDS)),
    length: Math.log10(1 + length),
  }
}

/** Below this confidence nothing is a hit. */
export const FLOOR = 0.5

export const CONSTANT = 6.57
export const COEFFICIENTS: Readonly<Record<keyof Features, number>> = {
  coverage: 6.5,
  covered: 8.72,
  asked: -2.29,
  prominence: 1.55,
  unknown: -1.57,
  cards: -1.6,
  length: -3.59,
}

/** The logit of the confidence in a hit without a look at the other hits. Written out: it is computed for every candidate. */
export const logitOf = (features: Features): number =>
  CONSTANT +
  COEFFICIENTS.coverage * features.coverage +
  COEFFICIENTS.covered * features.covered +
  COEFFICIENTS.asked * features.asked +
  COEFFICIENTS.prominence * features.prominence +
  COEFFICIENTS.unknown * features.unknown +
  COEFFICIENTS.cards * features.cards +
  COEFFICIENTS.length * features.length

/** A hit that covers one word of several, and less than this share of a query that is mostly unknown, is met by chance. */
const SEVERAL_WORDS = 3
const LEAST_OF_ONE_WORD = 0.35
const MOSTLY_UNKNOWN = 0.5
const LOGIT_OF_CHANCE = -3

/** A card with the `bake` of "how to bake a chocolate cake" is met by chance, and so is each for "is it the". */
export const isMetByChance = (covers: readonly Cover[], { asked, coverage, unknown }: Features): boolean =>
  asked === 0 ||
  (covers.length >= SEVERAL_WORDS &&
    coverage < LEAST_OF_ONE_WORD &&
    unknown >= MOSTLY_UNKNOWN &&
    covers.filter(({ credit }) => credit > 0).length < 2)

export const logitOfChance = (logit: number): number => Math.min(LOGIT_OF_CHANCE, logit)

/** The logit of a hit by its covers. */
export function logitByCovers(query: WeighedQuery, covers: readonly Cover[], around: Surroundings): number {
  const features = featuresOf(query, covers, around)
  const logit = logitOf(features)
  return isMetByChance(covers, features) ? logitOfChance(logit) : logit
}

/** Confidences have four decimals, so that a shown value can be used as `min_score`. */
const TEN_THOUSANDTHS = 10_000

export const confidenceOf = (logit: number): number =>
  Math.round(TEN_THOUSANDTHS / (1 + Math.exp(-logit))) / TEN_THOUSANDTHS

/** The best confidence among this many first hits tells whether the vault has cards about the subject. */
export const FIRST_HITS = 3
/** If it is above the floor, the logits of unsure hits move towards it by this share of the difference. */
const TOWARDS_BEST = 0.75
/** No more than this of the best logit counts: a clear winner does not make the cards behind it sure. */
const MOST_OF_BEST = 0.6

/**
 * The logit of a hit beside the best of the first hits. If a vault answers a query, further cards of it are likelier to.
 * Of a hit whose words are not known (minus infinity) nothing is known beside the best either.
 */
export function besideBest(logit: number, best: number): number {
  if (logit === Number.NEGATIVE_INFINITY) return logit
  const towards = Math.min(best, MOST_OF_BEST)
  return towards > 0 && towards > logit ? logit + TOWARDS_BEST * (towards - logit) : logit
}
