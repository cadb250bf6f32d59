import { type Token, termsOf, tokens } from './analyse.ts'
import { isStackFrame, isStamped, terminalLines, withoutNoise } from './command-output.ts'
import { linesOfWrong, tellingLines } from './failure.ts'
import { fold } from './fold.ts'
import { isCommonStem, partsOf, STOP_WORDS, spokenProduct } from './terms.ts'

/** k1: how quickly extra occurrences of a term stop adding to the score. b: how much long texts are held back. */
export type Bm25 = { k1: number; b: number }

/** The weight of a term that occurs in `holding` of `all` documents. */
export const rarity = (holding: number, all: number): number => {
  const known = Math.max(all, holding, 1)
  return Math.log(1 + (known - holding + 0.5) / (holding + 0.5))
}

/** The k1 of the formula, grown with the length of the text: it holds long texts back. */
export const dampingOf = ({ k1, b }: Bm25, length: number, averageLength: number): number =>
  k1 * (1 - b + (b * length) / averageLength)

/** The gain of a term with this frequency, before its rarity. */
export const gainOf = ({ k1 }: Bm25, frequency: number, damping: number): number =>
  (frequency * (k1 + 1)) / (frequency + damping)

/** One thing that a query asks for. */
export type AskedWord = {
  /** As it was typed, folded. */
  typed: string
  /** How the index knows it; of an identifier the whole name. */
  term: string
  /** The parts of an identifier. They count only together or beside the whole: `NoSuchMethodError` never matches `no`. */
  parts: readonly string[]
  /** The parts as somebody would say them: `no such method error`. */
  spoken: string
  /** How often it stands in the query. */
  times: number
  /**
   * Terms that stand for it as well: of `TS 2345` each has ts2345, of `mac os` each has macos, ModuleNotFoundError has
   * modulenotfound, and a lone character of a script without spaces has the pairs that hold it.
   */
  otherTerms?: readonly string[]
  /** It is never corrected. */
  isQuoted?: boolean
  /** It says nothing about what is asked: the query is made of such words alone. */
  isStopWord?: boolean
  /** It says only where a name is from: `java` and `lang` in `java.lang.NullPointerException`. */
  isQualifier?: boolean
}

/** Of a longer text the beginning and the end are read: a log names its cause in either. */
const LONGEST_HEAD = 16_000
const LONGEST_TAIL = 8_000
/** A text of up to this many characters on one line was typed, every word on purpose; a longer one was pasted. */
const LONGEST_TYPED = 200

/** Half a line of a log has lost its time, and would count as what somebody wrote. So a cut is moved to a line end this near. */
const NEAR_LINE_END = 1000

function ends(text: string): string {
  if (text.length <= LONGEST_HEAD + LONGEST_TAIL) return text
  const tailFrom = text.length - LONGEST_TAIL
  const lastOfHead = text.lastIndexOf('\n', LONGEST_HEAD)
  const firstOfTail = text.indexOf('\n', tailFrom)
  const head = text.slice(0, LONGEST_HEAD - lastOfHead < NEAR_LINE_END ? lastOfHead : LONGEST_HEAD)
  const tail = text.slice(
    firstOfTail >= 0 && firstOfTail - tailFrom < NEAR_LINE_END ? firstOfTail + 1 : tailFrom,
  )
  return `${head}\n${tail}`
}

/** A pasted text without what differs each time; a typed one unchanged. */
function tellingText(query: string): string {
  if (query.length <= LONGEST_TYPED && !query.includes('\n')) return query
  const text = ends(query)
  return withoutNoise(failureIn(query, text)) || withoutNoise(text) || text
}

/** Fewer lines that begin with a time may be what somebody wrote: they are left out only if another line surely failed. */
const LEAST_OF_A_LOG = 5

/**
 * Of a log that says what failed or what is wrong those lines, wherever they stand, and what somebody wrote around it.
 * Of any other text its ends, after the lines that say what failed if those may stand between the ends.
 */
function failureIn(whole: string, shown: string): string {
  const lines = terminalLines(shown)
  const stamped = lines.filter(isStamped).length
  if (stamped === 0) return shown === whole ? shown : [...tellingLines(whole), shown].join('\n')
  const telling = stamped < LEAST_OF_A_LOG ? tellingLines(whole) : linesOfWrong(whole)
  if (telling.length === 0) return shown
  return [...telling, ...lines.filter((line) => !isStamped(line) && !isStackFrame(line))].join('\n')
}

/** What stands between the parts of `sqlalchemy.exc.OperationalError`, `std::bad_alloc` and `Illuminate\\Encryption\\MissingAppKey`. */
const QUALIFIES: ReadonlySet<string> = new Set(['.', '::', '\\'])

/** Which tokens qualify a name of several words. The last token of a chain decides for all before it. */
function qualifiersIn(text: string, found: readonly Token[]): boolean[] {
  const typed = ({ start, end }: Token) => text.slice(start, end)
  const all = new Array<boolean>(found.length).fill(false)
  let isNamed: boolean | undefined
  for (let i = found.length - 1; i >= 0; i--) {
    const [token, next] = [found[i] as Token, found[i + 1]]
    const isJoined = next !== undefined && QUALIFIES.has(text.slice(token.end, next.start))
    if (isJoined) isNamed ??= partsOf(typed(next)).length > 1
    else isNamed = undefined
    all[i] = isNamed === true
  }
  return all
}

/** The words of a query, each once, without stop words unless there is nothing else. */
export function readQuery(query: string): AskedWord[] {
  const text = tellingText(query)
  const found = tokens(text)
  const qualifiers = qualifiersIn(text, found)
  const meaningful = new Map<string, AskedWord>()
  const stopWords = new Map<string, AskedWord>()
  let code: string | undefined
  for (const [i, { start, end, terms }] of found.entries()) {
    const token = text.slice(start, end)
    const isStopWord = terms.length === 1 && STOP_WORDS.has(fold(token))
    const begun = nameInTwo(text, found[i], found[i + 1])
    const whole = begun ?? code
    code = begun
    const isQualifier = qualifiers[i] as boolean
    for (const read of askedBy(token, terms)) {
      const asked = isQualifier ? { ...read, isQualifier } : read
      if (isStopWord) count(stopWords, { ...asked, isStopWord })
      else count(meaningful, whole === undefined ? asked : { ...asked, otherTerms: [whole] })
    }
  }
  const words = [...(meaningful.size > 0 ? meaningful : stopWords).values()]
  return words.every(({ term }) => SHORT_NUMBER.test(term))
    ? words.map((word) => ({ ...word, isStopWord: true }))
    : words
}

/** A digit or two stand in many texts, whatever they are about. */
const SHORT_NUMBER = /^\d{1,2}$/

const LETTERS_OF_CODE = /^[a-z]{1,6}$/i
const DIGITS_OF_CODE = /^\d{3,7}$/
const BETWEEN = ' -('

/**
 * The word that two neighbours are: `TS 2345`, `TS-2345` and `ts(2345)` are the code ts2345, and `mac os` is the name of
 * a product.
 */
function nameInTwo(text: string, first: Token | undefined, second: Token | undefined): string | undefined {
  if (!first || !second || second.start !== first.end + 1) return undefined
  const [one, other] = [first, second].map(({ start, end }) => text.slice(start, end)) as [string, string]
  if (!BETWEEN.includes(text.charAt(first.end)) || STOP_WORDS.has(fold(one))) return undefined
  const whole = fold(one + other)
  const isCode = DIGITS_OF_CODE.test(other) && LETTERS_OF_CODE.test(one)
  return isCode || spokenProduct(whole) === fold(`${one} ${other}`) ? whole : undefined
}

function count(words: Map<string, AskedWord>, asked: AskedWord): void {
  const before = words.get(asked.term)
  if (!before) words.set(asked.term, { ...asked })
  else {
    before.times++
    // A name that is also written as one word still has its parts.
    if (before.parts.length === 0) Object.assign(before, { parts: asked.parts, spoken: asked.spoken })
    if (asked.otherTerms) before.otherTerms ??= asked.otherTerms
    if (!asked.isQualifier) delete before.isQualifier
  }
}

const ONLY_NUMBERS = /^[\d.]+$/
const CODE = /^([a-z]{1,6})(\d{3,7})$/i

/** The words in which somebody may write a code or the name of a product: `ts 2345`, `mac os`. */
function spokenOf(token: string): string | undefined {
  const [, letters, digits] = CODE.exec(token) ?? []
  return letters && digits ? fold(`${letters} ${digits}`) : spokenProduct(fold(token))
}

/** What a token asks for: itself; of `3.11.2` also 3.11, but not each 3; of `python3` also python. A code is also asked in two. */
function askedBy(token: string, terms: readonly string[]): AskedWord[] {
  const plain = (term: string): AskedWord => ({ typed: fold(token), term, parts: [], spoken: '', times: 1 })
  const spoken = spokenOf(token)
  if (spoken !== undefined) {
    const [whole, ...rest] = terms.map(plain)
    return whole ? [{ ...whole, parts: termsOf(spoken), spoken }, ...rest] : []
  }
  if (terms.length === 1) return terms.map(plain)
  if (terms.every((term) => ONLY_NUMBERS.test(term))) return terms.slice(1).map(plain)
  if (terms.length === 2) return terms.map(plain)
  const parts = partsOf(token)
  const asked = { ...plain(terms.at(-1) ?? ''), parts: terms.slice(0, -1), spoken: parts.join(' ') }
  // Two words at least must be left: TypeError does not ask for type.
  if (parts.length < 3 || !SAYS_NAME_OF_ERROR.has(parts.at(-1) ?? '')) return [asked]
  return [{ ...asked, otherTerms: termsOf(parts.slice(0, -1).join('')) }]
}

/** What languages put behind the name of an error. People and tools leave it out. */
const SAYS_NAME_OF_ERROR: ReadonlySet<string> = new Set(['error', 'exception', 'warning'])

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
