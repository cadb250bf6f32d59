import { type Beginnings, beginningsOf, type Emit, partsOfName, readToken, scan } from './analyse.ts'
import { looksLikeTrace } from './command-output.ts'
import { fold, foldCase, withoutDividers } from './fold.ts'
import { wordHash } from './term-hash.ts'
import { cutText, escapeHtml } from './unicode.ts'

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

type Mark = { start: number; end: number; terms: string[] }

/** The beginning of a field, with its words that matched. */
type Part = { where: string; text: string; isLog: boolean; marks: Mark[] }

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

// There are two snippets because there are two kinds of search. This one is for ranked search of cards: it knows stemmed
// terms, chooses the window with the most of them, and writes HTML with marks. literal-snippet.ts is for the search of
// memory by substring: it knows the characters as typed and gives plain text. They share no step.

const LONGEST_SNIPPET = 240
/** How much is shown before the first mark, at most. */
const LEAD = 40
/** Beside a trace the fix is shown; each then has half of the room. */
const LONGEST_BESIDE = 120
const MOST_MATCHED = 20
/** More marks than these do not help a reader. */
const MOST_MARKS = 8
const MOST_SAID = 8

/**
 * What matched in the texts of a card; `explain` says it in words. A search holds many of these at once, and a text may
 * repeat a word thousands of times, so of the marks only those that can be shown stay.
 */
export type Marked = {
  /** The text to quote, and where in it the window begins. */
  best: { part: Part; from: number }
  words: Pick<Shown, 'matched' | 'why'>
  /** The words of the card that stand for each term, as they are written there, folded. */
  forms: ReadonlyMap<string, ReadonlySet<string>>
}

export type Shown = {
  matched: string[]
  snippet: string
  /** The snippet is from a log. */
  isLog: boolean
  /** Which words matched where, without single letters and bare digits, which match by chance. */
  why: { where: string; words: string[] }[]
}

/** Finds the words of a card that matched. */
export function markTexts(texts: CardFields, terms: WantedTerms): Marked {
  const all = markParts(texts, terms)
  return { best: bestPart(all), words: wordsIn(all), forms: formsIn(all) }
}

function formsIn(parts: readonly Part[]): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>()
  const known = new Set<string>()
  for (const { text, marks } of parts)
    for (const { start, end, terms } of marks) {
      const token = text.slice(start, end)
      if (known.has(token)) continue
      known.add(token)
      const formOf = formsOfToken(token)
      for (const term of new Set(terms)) {
        const ofTerm = forms.get(term) ?? new Set()
        forms.set(term, ofTerm.add(formOf(term)))
      }
    }
  return forms
}

/** The part with the window that shows the most. The title is shown beside it, so it is quoted only where nothing else matched. */
function bestPart([title, ...parts]: readonly Part[]): Marked['best'] {
  let best = { part: title as Part, from: bestWindow((title as Part).marks).from }
  let most = 0
  for (const part of parts) {
    const { from, distinct } = bestWindow(part.marks)
    if (distinct <= most) continue
    most = distinct
    best = { part, from }
  }
  return { ...best, part: { ...best.part, marks: best.part.marks.filter(isNear(best.from)) } }
}

const isNear =
  (from: number) =>
  ({ start, end }: Mark): boolean =>
    end > from - LEAD && start < from + LONGEST_SNIPPET

/**
 * Where the window begins that shows the most different terms; the earliest of equals. It moves from mark to mark and
 * counts what comes in and what goes out: a text may consist of marks alone.
 */
function bestWindow(marks: readonly Mark[]): { from: number; distinct: number } {
  let best = { from: 0, distinct: 0 }
  const inside = new Map<string, number>()
  let next = 0
  for (let i = 0; i < marks.length; i++) {
    const { start, terms } = marks[i] as Mark
    next = Math.max(next, i)
    for (; next < marks.length && (marks[next] as Mark).end - start <= LONGEST_SNIPPET; next++)
      for (const term of (marks[next] as Mark).terms) inside.set(term, (inside.get(term) ?? 0) + 1)
    if (inside.size > best.distinct) best = { from: start, distinct: inside.size }
    // A later window shows a part of what this one shows.
    if (next === marks.length) break
    if (next > i) for (const term of terms) leave(inside, term)
  }
  return best
}

function leave(inside: Map<string, number>, term: string): void {
  const left = (inside.get(term) ?? 0) - 1
  if (left > 0) inside.set(term, left)
  else inside.delete(term)
}

const WORD_BREAK = /\s/

/** Begins a little before the first mark and at a word, so that the reader sees what it belongs to. */
function windowAround(text: string, from: number, longest: number): { start: number; end: number } {
  let start = Math.max(0, from - LEAD)
  if (start > 0) {
    const space = text.slice(start, from).search(WORD_BREAK)
    start = space < 0 ? from : start + space + 1
  }
  let end = Math.min(text.length, start + longest)
  if (end < text.length) {
    const tail = text.slice(end - LEAD, end)
    const space = tail.lastIndexOf(' ')
    if (space > 0) end = end - LEAD + space
  }
  return { start, end: keepPairWhole(text, end) }
}

/** An end between the two halves of a character would show a broken one. */
const keepPairWhole = (text: string, end: number) => {
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

function render(
  text: string,
  marks: readonly Mark[],
  { start, end }: { start: number; end: number },
): string {
  let html = start > 0 ? '…' : ''
  let at = start
  let marked = 0
  for (const mark of marks) {
    if (mark.end <= at || mark.end > end) continue
    const from = Math.max(mark.start, at)
    if (from < start) continue
    // Pairs of characters that touch are one mark to the eye.
    const isNew = from > at || marked === 0
    if (isNew && marked === MOST_MARKS) break
    if (isNew) marked++
    html += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, mark.end))}</mark>`
    at = mark.end
  }
  return (html + escapeHtml(text.slice(at, end)) + (end < text.length ? '…' : ''))
    .replaceAll('</mark><mark>', '')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Why a card was found: its words that matched, and the part of its texts that shows most of them, as HTML in which
 * nothing but the marks is markup. If that part is a trace, `remedy` is shown beside it, because the reader already
 * knows the trace.
 */
export function explain({ best: { part, from }, words }: Marked, remedy = ''): Shown {
  return { ...words, snippet: snippetOf(part, from, remedy), isLog: part.isLog }
}

function snippetOf({ text, marks, isLog }: Part, from: number, remedy: string): string {
  const shown = windowAround(text, from, LONGEST_SNIPPET)
  if (remedy === '' || !(isLog || looksLikeTrace(text.slice(shown.start, shown.end))))
    return render(text, marks, shown)
  const fix = render(remedy, [], windowAround(remedy, 0, LONGEST_BESIDE))
  return `${render(text, marks, windowAround(text, from, LONGEST_BESIDE))} · Fix: ${fix}`
}

const SAYS_NOTHING = /^(?:[\p{L}\p{M}]|[\p{N}.]+)$/u

function wordsIn(parts: readonly Part[]): Pick<Shown, 'matched' | 'why'> {
  const matched = new Set<string>()
  const said = new Map<string, Set<string>>()
  for (const { where, text, marks } of parts)
    for (const token of new Set(marks.map(({ start, end }) => text.slice(start, end)))) {
      const word = fold(token)
      matched.add(word)
      if (!SAYS_NOTHING.test(word)) said.set(where, (said.get(where) ?? new Set()).add(word))
    }
  return {
    matched: [...matched].slice(0, MOST_MATCHED),
    why: Array.from(said, ([where, words]) => ({ where, words: [...words].slice(0, MOST_SAID) })),
  }
}

const IS_NAME = /_|\p{Ll}\p{Lu}/u

/**
 * For each term of a token how it is written there: of a name the part that the term stands for, where it is one. A long
 * name is cut into its parts once, not once for each of them.
 */
function formsOfToken(token: string): (term: string) => string {
  const folded = fold(token)
  if (!IS_NAME.test(token)) return () => folded
  const parts = partsOfName(token)
  const whole = readToken(token).terms.at(-1)
  return (term) =>
    term === whole ? parts.join('') : (parts.find((part) => part.startsWith(term.slice(0, 3))) ?? folded)
}

/**
 * A search may ask for a thousand hits, and each may be very long. So their texts are read in steps, up to a number of
 * characters; what is beyond is not shown.
 */
export const READ_AT_ONCE = 25
export const MOST_CHARACTERS = 4 * 1024 * 1024

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const wordsOf = (text: string): string => ` ${(withoutDividers(text).match(WORD) ?? []).map(fold).join(' ')} `

const ONLY_ASCII = /^[\0-\x7f]*$/

/** A test for texts that have the words of a phrase one after the other, with any signs between them. */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsOf(phrase)
  // Where words are not set apart by blanks, a phrase may begin and end inside of what looks like one word.
  const wanted = UNSPACED.test(phrase) ? words.trim() : words
  const each = wanted.split(' ').filter(Boolean)
  // Most texts lack one of the words, which is seen without cutting the text into words.
  const mayHave = (text: string): boolean => {
    if (!ONLY_ASCII.test(text)) return true
    const folded = text.toLowerCase()
    return each.every((word) => folded.includes(word))
  }
  return (text) => each.length > 0 && mayHave(text) && wordsOf(text).includes(wanted)
}

const NAME = /[\p{L}\p{N}\p{M}_]+/gu

export type NamedTexts = {
  texts: readonly string[]
  names: () => {
    /** The words of each name that has several. */
    words: readonly (readonly string[])[]
    /** The same names as one text. */
    spoken: string
  }
}

/**
 * Texts that are asked for many names. To cut all of theirs into words takes far longer than to look for one, so it is
 * done once, and only if a name may be there.
 */
export function namedTexts(texts: readonly string[]): NamedTexts {
  const wordsIn = (text: string) =>
    [...text.matchAll(NAME)].map(([name]) => partsOfName(name)).filter(({ length }) => length > 1)
  const cut = () => {
    const words = texts.flatMap(wordsIn)
    return { words, spoken: words.map((name) => ` ${name.join(' ')} `).join('\n') }
  }
  let names: ReturnType<typeof cut> | undefined
  return {
    texts,
    names: () => {
      names ??= cut()
      return names
    },
  }
}

/**
 * A test for texts that say a name, given by its words: one after the other, or as words of a longer name. So `crash loop`
 * is in `CrashLoopBackOff`, and not in `crashLooper`.
 */
export function nameTest(spoken: string): (named: NamedTexts) => boolean {
  const isSaid = phraseTest(spoken)
  const whole = spoken.replaceAll(' ', '')
  const mayHave = (text: string) => text.toLowerCase().includes(whole)
  return ({ texts, names }) =>
    texts.some(isSaid) || (texts.some(mayHave) && names().spoken.includes(` ${spoken} `))
}

/** A test for texts with a longer name that has this beginning, up to the end of one of its parts: `crashloop` of `CrashLoopBackOff`. */
export function beginningTest(beginning: string): (named: NamedTexts) => boolean {
  const isBegun = (words: readonly string[]): boolean => {
    let begun = ''
    for (const word of words) {
      begun += word
      if (begun.length >= beginning.length) return begun === beginning
    }
    return false
  }
  const mayHave = (text: string) => text.toLowerCase().replaceAll('_', '').includes(beginning)
  return ({ texts, names }) => texts.some(mayHave) && names().words.some(isBegun)
}

// For a search by substring; snippet.ts says why there are two.

const SNIPPET_LENGTH = 240
const BEFORE_MATCH = 80

/** The text around the first occurrence of `foldedNeedle`, or the beginning of `text`. */
export function snippetAround(text: string, foldedNeedle: string): string {
  const at = Math.max(0, indexOfFolded(text, foldedNeedle))
  const from = at <= BEFORE_MATCH ? 0 : wordStart(text, at - BEFORE_MATCH)
  const { text: piece, truncated } = cutText(text.slice(from), SNIPPET_LENGTH)
  return `${from > 0 ? '… ' : ''}${piece.trim()}${truncated ? ' …' : ''}`
}

/** Where the needle stands in the text as it is written, although it was found in the folded text. */
function indexOfFolded(text: string, foldedNeedle: string): number {
  const folded = foldCase(text)
  const at = folded.indexOf(foldedNeedle)
  if (at <= 0 || folded.length === text.length) return at
  // Folding has changed lengths before the match (ß, ligatures, accents written apart): walk until as much is folded.
  const units = new FoldedUnits(text)
  let foldedSoFar = 0
  let index = 0
  while (index < text.length && foldedSoFar < at) {
    const end = units.endOf(index)
    foldedSoFar += units.foldedLength(index, end)
    index = end
  }
  return index
}

/** A mark on the letter before it, or a letter of Hangul that makes one syllable with it. */
const JOINS_BEFORE = /^[\p{M}\u1160-\u11ff]/u
const FIRST_MARK = 0x300
const FIRST_BEYOND_ASCII = 0x80

/** The parts of a text that fold by themselves: a character with the marks on it. Texts repeat a few hundred of them. */
class FoldedUnits {
  readonly #text: string
  readonly #joins = new Map<number, boolean>()
  readonly #lengths = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
  }

  endOf(start: number): number {
    let end = this.#after(start)
    while (this.#isJoined(end)) end = this.#after(end)
    return end
  }

  foldedLength(start: number, end: number): number {
    if (end === start + 1 && this.#text.charCodeAt(start) < FIRST_BEYOND_ASCII) return 1
    const unit = this.#text.slice(start, end)
    const known = this.#lengths.get(unit)
    if (known !== undefined) return known
    const { length } = foldCase(unit)
    this.#lengths.set(unit, length)
    return length
  }

  #after(at: number): number {
    return at + ((this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
  }

  #isJoined(at: number): boolean {
    const code = this.#text.codePointAt(at) ?? 0
    if (code < FIRST_MARK) return false
    const known = this.#joins.get(code)
    if (known !== undefined) return known
    const joins = JOINS_BEFORE.test(String.fromCodePoint(code))
    this.#joins.set(code, joins)
    return joins
  }
}

/** The next beginning of a word after `at`, so that a snippet does not begin inside one. */
function wordStart(text: string, at: number): number {
  const gap = text.slice(at, at + 30).search(/\s/)
  const start = gap === -1 ? at : at + gap + 1
  const first = text.charCodeAt(start)
  return first >= 0xdc00 && first <= 0xdfff ? start + 1 : start
}
