import { type Beginnings, beginningsOf, type Emit, partsOfName, readToken, scan } from './analyse.ts'
import { looksLikeTrace } from './command-output.ts'
import { fold, foldCase, withoutDividers } from './fold.ts'
import { wordHash } from './term-hash.ts'
import { cutText, escapeHtml } from './unicode.ts'

/** In characters. Long texts are searched whole, but matches are shown only in the beginning. */
const MAX_READ_LENGTH = 20_000

export type Field = { where: string; text: string; isLog?: boolean }

type Words = {
  ends: number[]
  terms: string[]
  /** Three numbers per term: start, end, and the last bits of its hash. */
  positions: Uint16Array
}

const NUMBERS_EACH = 3

/** The texts of a card, optionally split into words for repeated marking. */
export type CardFields = {
  fields: readonly Field[]
  words: Words | undefined
}

export const cardFields = (title: string, fields: readonly Field[]): CardFields => ({
  fields: [{ where: 'title', text: title }, ...fields.filter(({ text }) => text !== '')],
  words: undefined,
})

const beginningOf = (text: string): string =>
  text.length > MAX_READ_LENGTH ? text.slice(0, MAX_READ_LENGTH) : text

/** Splits the texts into words for repeated marking. */
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
  card.words = { ends, terms: terms.slice(), positions: new Uint16Array(positions) }
}

type Mark = { start: number; end: number; terms: string[] }

type Part = { where: string; text: string; isLog: boolean; marks: Mark[] }

/** Terms to find, with filters that quickly rule out other words. */
export type WantedTerms = {
  terms: ReadonlySet<string>
  beginnings: Beginnings
  hashBits: number
}

export function wantTerms(terms: ReadonlySet<string>): WantedTerms {
  let hashBits = 0
  for (const term of terms) hashBits |= 1 << wordHash(term)
  return { terms, beginnings: beginningsOf(terms), hashBits }
}

/** Marks matches in each field. A token matches by its parts: `getUserById` matches user. */
export function markParts({ fields, words }: CardFields, wanted: WantedTerms): Part[] {
  const marksOf = words ? markingIn(words, wanted) : marking(wanted)
  return fields.map(({ where, text, isLog = false }, i) => {
    const shown = beginningOf(text)
    return { where, text: shown, isLog, marks: marksOf(shown, i) }
  })
}

type MarksOf = (text: string, field: number) => Mark[]

/** Limits marks of one term per text: a text may repeat a word thousands of times. */
const MAX_PER_TERM = 100

function countingTerms(): (term: string) => boolean {
  const counts = new Map<string, number>()
  return (term) => {
    const count = counts.get(term) ?? 0
    if (count === MAX_PER_TERM) return false
    counts.set(term, count + 1)
    return true
  }
}

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

const MAX_SNIPPET_LENGTH = 240
const LEAD = 40
/** Limit in characters when the fix is shown beside a trace. */
const MAX_LENGTH_BESIDE = 120
const MAX_MATCHED = 20
const MAX_MARKS = 8
const MAX_SAID = 8

/** The matches in a card's texts. Only marks that can be shown are kept, to save memory. */
export type Marked = {
  best: { part: Part; from: number }
  words: Pick<Shown, 'matched' | 'why'>
  forms: ReadonlyMap<string, ReadonlySet<string>>
}

export type Shown = {
  matched: string[]
  snippet: string
  isLog: boolean
  /** Which words matched where, without single letters and bare digits, which match by chance. */
  why: { where: string; words: string[] }[]
}

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

/** Returns the part whose window shows the most. The title is used only if nothing else matched. */
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
    end > from - LEAD && start < from + MAX_SNIPPET_LENGTH

/** Runs in linear time: a text may consist of marks alone. */
function bestWindow(marks: readonly Mark[]): { from: number; distinct: number } {
  let best = { from: 0, distinct: 0 }
  const inside = new Map<string, number>()
  let next = 0
  for (let i = 0; i < marks.length; i++) {
    const { start, terms } = marks[i] as Mark
    next = Math.max(next, i)
    for (; next < marks.length && (marks[next] as Mark).end - start <= MAX_SNIPPET_LENGTH; next++)
      for (const term of (marks[next] as Mark).terms) inside.set(term, (inside.get(term) ?? 0) + 1)
    if (inside.size > best.distinct) best = { from: start, distinct: inside.size }
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

/** Never cut between the two halves of a surrogate pair. */
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
    // Touching pairs of characters form one mark.
    const isNew = from > at || marked === 0
    if (isNew && marked === MAX_MARKS) break
    if (isNew) marked++
    html += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, mark.end))}</mark>`
    at = mark.end
  }
  return (html + escapeHtml(text.slice(at, end)) + (end < text.length ? '…' : ''))
    .replaceAll('</mark><mark>', '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns HTML in which only the marks are markup. */
export function explain({ best: { part, from }, words }: Marked, remedy = ''): Shown {
  return { ...words, snippet: snippetOf(part, from, remedy), isLog: part.isLog }
}

function snippetOf({ text, marks, isLog }: Part, from: number, remedy: string): string {
  const shown = windowAround(text, from, MAX_SNIPPET_LENGTH)
  if (remedy === '' || !(isLog || looksLikeTrace(text.slice(shown.start, shown.end))))
    return render(text, marks, shown)
  const fix = render(remedy, [], windowAround(remedy, 0, MAX_LENGTH_BESIDE))
  return `${render(text, marks, windowAround(text, from, MAX_LENGTH_BESIDE))} · Fix: ${fix}`
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
    matched: [...matched].slice(0, MAX_MATCHED),
    why: Array.from(said, ([where, words]) => ({ where, words: [...words].slice(0, MAX_SAID) })),
  }
}

const IS_NAME = /_|\p{Ll}\p{Lu}/u

/** Returns how each term is written in a token: for a name, the part that matches. */
function formsOfToken(token: string): (term: string) => string {
  const folded = fold(token)
  if (!IS_NAME.test(token)) return () => folded
  const parts = partsOfName(token)
  const whole = readToken(token).terms.at(-1)
  return (term) =>
    term === whole ? parts.join('') : (parts.find((part) => part.startsWith(term.slice(0, 3))) ?? folded)
}

/** How many texts of hits are read in one step: a search may have a thousand long hits. */
export const READ_AT_ONCE = 25
export const MAX_CHARACTERS = 4 * 1024 * 1024

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const wordsOf = (text: string): string => ` ${(withoutDividers(text).match(WORD) ?? []).map(fold).join(' ')} `

const ONLY_ASCII = /^[\0-\x7f]*$/

/** Returns a test for texts with the words of a phrase in order, with any signs between. */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsOf(phrase)
  // In scripts without blanks a phrase may begin and end inside a word.
  const wanted = UNSPACED.test(phrase) ? words.trim() : words
  const each = wanted.split(' ').filter(Boolean)
  // Fast check: most texts lack one of the words.
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
    words: readonly (readonly string[])[]
    spoken: string
  }
}

/** Prepares texts for many name tests. They are split into words once, and only if a name may occur. */
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

/** `crash loop` matches `CrashLoopBackOff`, not `crashLooper`. */
export function nameTest(spoken: string): (named: NamedTexts) => boolean {
  const isSaid = phraseTest(spoken)
  const whole = spoken.replaceAll(' ', '')
  const mayHave = (text: string) => text.toLowerCase().includes(whole)
  return ({ texts, names }) =>
    texts.some(isSaid) || (texts.some(mayHave) && names().spoken.includes(` ${spoken} `))
}

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

const SNIPPET_LENGTH = 240
const BEFORE_MATCH = 80

/** Returns the text around the first occurrence of `foldedNeedle`, or the beginning of `text`. */
export function snippetAround(text: string, foldedNeedle: string): string {
  const at = Math.max(0, indexOfFolded(text, foldedNeedle))
  const from = at <= BEFORE_MATCH ? 0 : wordStart(text, at - BEFORE_MATCH)
  const { text: piece, truncated } = cutText(text.slice(from), SNIPPET_LENGTH)
  return `${from > 0 ? '… ' : ''}${piece.trim()}${truncated ? ' …' : ''}`
}

/** Returns the position in the original text of a needle found in the folded text. */
function indexOfFolded(text: string, foldedNeedle: string): number {
  const folded = foldCase(text)
  const at = folded.indexOf(foldedNeedle)
  if (at <= 0 || folded.length === text.length) return at
  // Folding changed lengths before the match (ß, ligatures, accents): walk to the position.
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

/** A mark, or a Hangul letter that joins the syllable before it. */
const JOINS_BEFORE = /^[\p{M}\u1160-\u11ff]/u
const FIRST_MARK = 0x300
const FIRST_BEYOND_ASCII = 0x80

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

function wordStart(text: string, at: number): number {
  const gap = text.slice(at, at + 30).search(/\s/)
  const start = gap === -1 ? at : at + gap + 1
  const first = text.charCodeAt(start)
  return first >= 0xdc00 && first <= 0xdfff ? start + 1 : start
}
