import { type Token, termsOf, tokens } from './analyse.ts'
import { isStackFrame, isStamped, terminalLines, withoutNoise } from './command-output.ts'
import { linesOfWrong, tellingLines } from './failure.ts'
import { fold } from './fold.ts'
import { isCommonStem, partsOf, STOP_WORDS, spokenProduct } from './terms.ts'

/** k1: how quickly extra occurrences stop adding to the score. b: how much long texts are penalised. */
export type Bm25 = { k1: number; b: number }

export const rarity = (holding: number, all: number): number => {
  const known = Math.max(all, holding, 1)
  return Math.log(1 + (known - holding + 0.5) / (holding + 0.5))
}

export const dampingOf = ({ k1, b }: Bm25, length: number, averageLength: number): number =>
  k1 * (1 - b + (b * length) / averageLength)

export const gainOf = ({ k1 }: Bm25, frequency: number, damping: number): number =>
  (frequency * (k1 + 1)) / (frequency + damping)

export type AskedWord = {
  typed: string
  term: string
  /** Parts count only together or beside the whole: `NoSuchMethodError` never matches `no`. */
  parts: readonly string[]
  /** The parts as spoken: `no such method error`. */
  spoken: string
  times: number
  otherTerms?: readonly string[]
  /** Quoted words are never corrected. */
  isQuoted?: boolean
  /** True only if the whole query consists of stop words. */
  isStopWord?: boolean
  /** Only names an origin: `java` and `lang` in `java.lang.NullPointerException`. */
  isQualifier?: boolean
}

/** Long texts: only the beginning and the end are read, where logs name the cause. */
const MAX_HEAD_LENGTH = 16_000
const MAX_TAIL_LENGTH = 8_000
/** A single line up to this many characters counts as typed; anything longer as pasted. */
const MAX_TYPED_LENGTH = 200

/** Half a log line has lost its time and would look like prose, so a cut moves to a line end. */
const NEAR_LINE_END = 1000

function ends(text: string): string {
  if (text.length <= MAX_HEAD_LENGTH + MAX_TAIL_LENGTH) return text
  const tailFrom = text.length - MAX_TAIL_LENGTH
  const lastOfHead = text.lastIndexOf('\n', MAX_HEAD_LENGTH)
  const firstOfTail = text.indexOf('\n', tailFrom)
  const head = text.slice(0, MAX_HEAD_LENGTH - lastOfHead < NEAR_LINE_END ? lastOfHead : MAX_HEAD_LENGTH)
  const tail = text.slice(
    firstOfTail >= 0 && firstOfTail - tailFrom < NEAR_LINE_END ? firstOfTail + 1 : tailFrom,
  )
  return `${head}\n${tail}`
}

function tellingText(query: string): string {
  if (query.length <= MAX_TYPED_LENGTH && !query.includes('\n')) return query
  const text = ends(query)
  return withoutNoise(failureIn(query, text)) || withoutNoise(text) || text
}

/** Fewer lines with a time may be prose; they are dropped only if another line surely failed. */
const MIN_SHARE_OF_LOG = 5

function failureIn(whole: string, shown: string): string {
  const lines = terminalLines(shown)
  const stamped = lines.filter(isStamped).length
  if (stamped === 0) return shown === whole ? shown : [...tellingLines(whole), shown].join('\n')
  const telling = stamped < MIN_SHARE_OF_LOG ? tellingLines(whole) : linesOfWrong(whole)
  if (telling.length === 0) return shown
  return [...telling, ...lines.filter((line) => !isStamped(line) && !isStackFrame(line))].join('\n')
}

const QUALIFIES: ReadonlySet<string> = new Set(['.', '::', '\\'])

/** Returns which tokens qualify a name. The last token of a chain decides for all before it. */
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

/** Returns each word of a query once, without stop words unless there is nothing else. */
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

const SHORT_NUMBER = /^\d{1,2}$/

const LETTERS_OF_CODE = /^[a-z]{1,6}$/i
const DIGITS_OF_CODE = /^\d{3,7}$/
const BETWEEN = ' -('

/** `TS 2345`, `TS-2345` and `ts(2345)` become ts2345, `mac os` becomes macos. */
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
    if (before.parts.length === 0) Object.assign(before, { parts: asked.parts, spoken: asked.spoken })
    if (asked.otherTerms) before.otherTerms ??= asked.otherTerms
    if (!asked.isQualifier) delete before.isQualifier
  }
}

const ONLY_NUMBERS = /^[\d.]+$/
const CODE = /^([a-z]{1,6})(\d{3,7})$/i

/** Returns a code or product name as several words: `ts 2345`, `mac os`. */
function spokenOf(token: string): string | undefined {
  const [, letters, digits] = CODE.exec(token) ?? []
  return letters && digits ? fold(`${letters} ${digits}`) : spokenProduct(fold(token))
}

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
  // At least two words must remain: TypeError does not ask for type.
  if (parts.length < 3 || !SAYS_NAME_OF_ERROR.has(parts.at(-1) ?? '')) return [asked]
  return [{ ...asked, otherTerms: termsOf(parts.slice(0, -1).join('')) }]
}

const SAYS_NAME_OF_ERROR: ReadonlySet<string> = new Set(['error', 'exception', 'warning'])

/** Fitted by `bench/confidence.ts`, which also draws docs/search-confidence.svg. */

export type Cover = {
  /** 1: as typed. Less for another form of the word, or for a corrected word. */
  credit: number
  isProminent: boolean
  isCorrected: boolean
  isByParts: boolean
}

export const STEM_CREDIT = 0.9
/** The credit for a match in logs and notes only, which mention words in passing. */
export const MINOR_CREDIT = 0.8

/** From nearly 0 (in every card) to 1 (in none); a rare word counts equally in small and large vaults. */
export function informationOf(term: string, cards: number, all: number, times: number): number {
  const says = (1 + Math.log(times)) * (Math.log(1 + (all + 1) / (cards + 1)) / Math.log(2 + all))
  return cards === 0 && HAS_DIGIT.test(term) ? says * UNKNOWN_NUMBER : says
}

/** An unknown number or code is most often a random id. */
const UNKNOWN_NUMBER = 0.3
const HAS_DIGIT = /\d/

const SHORT_NUMBER_SHARE = 0.3

const COMMON_SHARE = 0.6

/** A card seldom writes the qualifier of a name, such as `sqlalchemy.exc.` before OperationalError. */
const QUALIFIER_SHARE = 0.3

export function askedInformation(
  { term, isStopWord, isQualifier }: AskedWord,
  cards: number,
  all: number,
): number {
  if (isStopWord) return 0
  const says = cardInformationOf(term, cards, all)
  return isQualifier ? says * QUALIFIER_SHARE : says
}

/** Repetition in the query counts for the order of hits only. */
export function cardInformationOf(term: string, cards: number, all: number): number {
  // The two counts are read separately, and cards may be added in between.
  const among = Math.max(all, cards)
  const says = Math.max(0, Math.log((2 + among) / (1 + cards)) / Math.log(2 + among))
  if (cards === 0 && HAS_DIGIT.test(term)) return says * UNKNOWN_NUMBER
  if (SHORT_NUMBER.test(term)) return says * SHORT_NUMBER_SHARE
  return isCommonStem(term) ? says * COMMON_SHARE : says
}

export type Surroundings = {
  /** How many cards the asker may see: among many, more share words by chance. */
  cards: number
  /** The number of words: a long card shares more words by chance. */
  length: number
}

export type Coverage = {
  coverage: number
  covered: number
  asked: number
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
  /** The share of the query's information in words without a card and without a correction. */
  unknown: number
  cards: number
  length: number
}

/** Beyond this number, chance matches no longer grow, because words get rarer too. */
const MAX_CARDS = 30_000

export type WeighedWord = { information: number; isUnknown: boolean }

type WeighedQuery = {
  information: readonly number[]
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

/** Written field by field for speed: the function runs for every candidate. */
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
    cards: Math.log10(1 + Math.min(cards, MAX_CARDS)),
    length: Math.log10(1 + length),
  }
}

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

/** Written out for speed: it runs for every candidate. */
export const logitOf = (features: Features): number =>
  CONSTANT +
  COEFFICIENTS.coverage * features.coverage +
  COEFFICIENTS.covered * features.covered +
  COEFFICIENTS.asked * features.asked +
  COEFFICIENTS.prominence * features.prominence +
  COEFFICIENTS.unknown * features.unknown +
  COEFFICIENTS.cards * features.cards +
  COEFFICIENTS.length * features.length

/** Fitted by `npm run eval -- near --fit` on questions beside cards of the same trade. */
export const ALIKE_CONSTANT = -4.5
export const ALIKE_COEFFICIENTS = { coverage: 3.87, covered: 2.48, asked: 0.3, prominence: 0.55 }

/** From about 500 cards on, cards of one trade are a smaller part of a vault, and few words decide. */
const FEW_CARDS = Math.log10(500)
const PER_MORE_CARDS = 2

/** A missing word that says less is no sign of another card. */
const TELLING = 0.4

/** Returns whether the card has none of the forms of a telling word. */
export const lacksTelling = (information: readonly number[], covers: readonly Cover[]): boolean =>
  covers.some(({ credit }, i) => credit === 0 && (information[i] as number) >= TELLING)

/** The confidence that the card is meant, and not another one about the same tools, though a telling word is missing. */
export const logitAmongAlike = ({ coverage, covered, asked, prominence, cards }: Features): number =>
  ALIKE_CONSTANT +
  ALIKE_COEFFICIENTS.coverage * coverage +
  ALIKE_COEFFICIENTS.covered * covered +
  ALIKE_COEFFICIENTS.asked * asked +
  ALIKE_COEFFICIENTS.prominence * prominence +
  PER_MORE_CARDS * Math.max(0, cards - FEW_CARDS)

const SEVERAL_WORDS = 3
const MIN_PER_WORD = 0.35
const MOSTLY_UNKNOWN = 0.5
const LOGIT_OF_CHANCE = -3

export const isMetByChance = (covers: readonly Cover[], { asked, coverage, unknown }: Features): boolean =>
  asked === 0 ||
  (covers.length >= SEVERAL_WORDS &&
    coverage < MIN_PER_WORD &&
    unknown >= MOSTLY_UNKNOWN &&
    covers.filter(({ credit }) => credit > 0).length < 2)

export const logitOfChance = (logit: number): number => Math.min(LOGIT_OF_CHANCE, logit)

export function logitByCovers(query: WeighedQuery, covers: readonly Cover[], around: Surroundings): number {
  const features = featuresOf(query, covers, around)
  const logit = logitOf(features)
  return isMetByChance(covers, features) ? logitOfChance(logit) : logit
}

/** Returns how sure a hit is to be more than a neighbour of what was asked; it is if it has every telling word. */
export const neighbourLogit = (
  query: WeighedQuery,
  covers: readonly Cover[],
  around: Surroundings,
): number =>
  lacksTelling(query.information, covers)
    ? logitAmongAlike(featuresOf(query, covers, around))
    : Number.POSITIVE_INFINITY

/** Confidences have four decimals, so that a shown value can be used as `min_score`. */
const TEN_THOUSANDTHS = 10_000

export const confidenceOf = (logit: number): number =>
  Math.round(TEN_THOUSANDTHS / (1 + Math.exp(-logit))) / TEN_THOUSANDTHS

/** The best confidence among this many first hits tells whether the vault covers the subject. */
export const FIRST_HITS = 3
const TOWARDS_BEST = 0.75
/** Caps the best logit, so that a clear winner does not make the cards behind it sure. */
const MAX_SHARE_OF_BEST = 0.6

/** A vault that answers a query is likelier to have further answers; minus infinity stays. */
export function besideBest(logit: number, best: number): number {
  if (logit === Number.NEGATIVE_INFINITY) return logit
  const towards = Math.min(best, MAX_SHARE_OF_BEST)
  return towards > 0 && towards > logit ? logit + TOWARDS_BEST * (towards - logit) : logit
}
