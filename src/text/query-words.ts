import { type Token, termsOf, tokens } from './analyse.ts'
import { linesOfWrong, tellingLines } from './failure.ts'
import { fold } from './fold.ts'
import { isStackFrame, isStamped, terminalLines, withoutNoise } from './noise.ts'
import { STOP_WORDS } from './stopwords.ts'
import { partsOf, spokenProduct } from './token-terms.ts'

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
export const SHORT_NUMBER = /^\d{1,2}$/

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
